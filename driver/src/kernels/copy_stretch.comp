// Copies memory as texels: both sides are texel buffers, as images with rows of 16384 texels, and begin at texels `from` and `to`.
layout(push_constant) uniform Parameters { uint from; uint to; } p;
layout(set = 0, binding = 0) uniform utexture2DArray src;
layout(set = 0, binding = 1, rgba32ui) writeonly uniform uimage2DArray dst;
layout(set = 0, binding = 2) uniform sampler none;

ivec3 place(uint at) {
    return ivec3(at & 16383u, at >> 14u, 0);
}

void main() {
    uint id = gl_GlobalInvocationID.x;
    imageStore(dst, place(p.to + id), texelFetch(usampler2DArray(src, none), place(p.from + id), 0));
}
