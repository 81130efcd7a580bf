// Copies a box of texels to a box of another size without filter.
layout(push_constant) uniform Parameters { ivec3 at; vec3 start; vec3 step; ivec3 most; vec3 inverse; } p;
layout(set = 0, binding = 0) uniform Texture src;
layout(set = 0, binding = 1, FORMAT) writeonly uniform Image dst;
layout(set = 0, binding = 2) uniform sampler none;

void main() {
    vec3 place = p.start + (vec3(gl_GlobalInvocationID) + 0.5) * p.step;
    ivec3 texel = clamp(ivec3(floor(place)), ivec3(0), p.most);
    imageStore(dst, p.at + ivec3(gl_GlobalInvocationID), texelFetch(Sampled(src, none), texel, 0));
}
