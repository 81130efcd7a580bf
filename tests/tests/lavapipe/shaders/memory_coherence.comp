#version 450
// A last workgroup sums up what the others wrote: atomics with memory barriers.
//@ groups 4 1 1
//@ buffer 0 256 random
//@ buffer 1 66 zero

layout(local_size_x = 64) in;
layout(std430, binding = 0) readonly buffer Input { uint data[]; };
layout(std430, binding = 1) coherent buffer Output { uint result[]; };
shared bool last;

void main() {
    uint local = gl_LocalInvocationIndex;
    atomicAdd(result[local], data[gl_GlobalInvocationID.x]);
    memoryBarrierBuffer();
    barrier();
    if (local == 0u)
        last = atomicAdd(result[64], 1u) == gl_NumWorkGroups.x - 1u;
    barrier();
    if (last)
        atomicXor(result[65], result[local]);
}
