// Copies a stretch of memory, an image of rows of 1024 texels, to texels, taken for unsigned integers. The first texel is number
// `start` of the stretch; `row` and `plane` are texels from a row and from a slice to the next.
layout(push_constant) uniform Parameters { ivec3 to; uint row; uint plane; uint start; } p;
layout(set = 0, binding = 0) uniform utexture2DArray src;
layout(set = 0, binding = 1, rgba32ui) writeonly uniform uimage2DArray dst;
layout(set = 0, binding = 2) uniform sampler none;

void main() {
    uvec3 id = gl_GlobalInvocationID;
    uint at = p.start + id.x + id.y * p.row + id.z * p.plane;
    uvec4 texel = texelFetch(usampler2DArray(src, none), ivec3(at & 1023u, at >> 10u, 0), 0);
    imageStore(dst, p.to + ivec3(id), texel);
}
