// Copies a box of texels of a 3D image to a box of another size with a linear filter.
layout(push_constant) uniform Parameters { ivec3 at; vec3 start; vec3 step; ivec3 most; vec3 inverse; } p;
layout(set = 0, binding = 0) uniform texture3D src;
layout(set = 0, binding = 1, rgba32f) writeonly uniform image2DArray dst;
layout(set = 0, binding = 2) uniform sampler filtered;

void main() {
    vec3 place = p.start + (vec3(gl_GlobalInvocationID) + 0.5) * p.step;
    vec4 value = textureLod(sampler3D(src, filtered), place * p.inverse, 0.0);
    imageStore(dst, p.at + ivec3(gl_GlobalInvocationID), value);
}
