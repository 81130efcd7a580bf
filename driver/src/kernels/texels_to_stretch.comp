// Copies texels, interpreted as unsigned integers, to a texel buffer, as an image with rows of 16384 texels. It begins at texel
// `start` of the buffer; `row` and `plane` are the distances of rows and slices in texels.
layout(push_constant) uniform Parameters { ivec3 from; uint row; uint plane; uint start; } p;
layout(set = 0, binding = 0) uniform utexture2DArray src;
layout(set = 0, binding = 1, rgba32ui) writeonly uniform uimage2DArray dst;
layout(set = 0, binding = 2) uniform sampler none;

void main() {
    uvec3 id = gl_GlobalInvocationID;
    uint at = p.start + id.x + id.y * p.row + id.z * p.plane;
    uvec4 texel = texelFetch(usampler2DArray(src, none), p.from + ivec3(id), 0);
    imageStore(dst, ivec3(at & 16383u, at >> 14u, 0), texel);
}
