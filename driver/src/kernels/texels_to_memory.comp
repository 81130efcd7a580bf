// Copies texels, interpreted as unsigned integers, to memory. `Element` is the type of a texel in memory, `OF` converts to it;
// `row` and `plane` are the distances of rows and slices in elements.
layout(push_constant) uniform Parameters { ivec3 from; uint row; uint plane; } p;
layout(set = 0, binding = 0) uniform utexture2DArray src;
layout(set = 0, binding = 1) writeonly buffer Memory { Element dst[]; };
layout(set = 0, binding = 2) uniform sampler none;

void main() {
    uvec3 id = gl_GlobalInvocationID;
    uvec4 texel = texelFetch(usampler2DArray(src, none), p.from + ivec3(id), 0);
    dst[id.x + id.y * p.row + id.z * p.plane] = OF(texel);
}
