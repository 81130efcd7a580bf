#version 450
#extension GL_KHR_shader_subgroup_quad : require
#extension GL_KHR_shader_subgroup_shuffle : require
// Swaps within groups of four, which every size of subgroup has.
//@ buffer 0 64 random
//@ buffer 1 256 zero

layout(local_size_x = 64) in;
layout(std430, binding = 0) readonly buffer Input { uint data[]; };
layout(std430, binding = 1) buffer Output { uint result[]; };

void main() {
    uint i = gl_GlobalInvocationID.x;
    uint a = data[i];
    result[i] = subgroupQuadSwapHorizontal(a);
    result[64u + i] = subgroupQuadSwapVertical(a) + subgroupQuadSwapDiagonal(a) * 3u;
    result[128u + i] = subgroupQuadBroadcast(a, 2u);
    result[192u + i] = subgroupShuffleXor(a, 5u);
}
