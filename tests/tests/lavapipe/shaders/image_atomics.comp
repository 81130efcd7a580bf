#version 450
//@ groups 4 1 1
//@ buffer 0 256 zero
//@ linear 1 2d r32ui 16 8 1 1 zero
//@ linear 2 2d_array r32i 16 8 3 1 count
//@ storage_texels 3 r32ui 1200 count
layout(local_size_x = 64) in;
layout(binding = 0) buffer Out { uint result[256]; };
layout(binding = 1, r32ui) uniform uimage2D counts;
layout(binding = 2, r32i) uniform iimage2DArray extremes;
layout(binding = 3, r32ui) uniform uimageBuffer words;
void main() {
    uint i = gl_GlobalInvocationID.x;
    imageAtomicAdd(counts, ivec2(i % 16u, i % 8u), i);
    imageAtomicMax(extremes, ivec3(i % 16u, i / 16u % 8u, i % 3u), int(i * 37u % 101u) - 50);
    imageAtomicXor(words, int(1000u + i % 200u), 0x8000u >> (i & 15u));
    result[i] = imageAtomicExchange(words, int(i * 3u), i);
}
