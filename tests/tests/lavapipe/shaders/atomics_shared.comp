#version 450
// Atomics on shared memory, signed ones too.
//@ groups 2 1 1
//@ buffer 0 128 random
//@ buffer 1 32 zero

layout(local_size_x = 64) in;
layout(std430, binding = 0) readonly buffer Input { uint data[]; };
layout(std430, binding = 1) buffer Output { uint result[]; };
shared uint bins[8];
shared int least;
shared int most;

void main() {
    uint local = gl_LocalInvocationIndex, a = data[gl_GlobalInvocationID.x];
    if (local < 8u)
        bins[local] = 0u;
    if (local == 0u) {
        least = 0x7fffffff;
        most = -0x7fffffff;
    }
    barrier();
    atomicAdd(bins[a & 7u], 1u);
    atomicMin(least, int(a));
    atomicMax(most, int(a));
    barrier();
    uint base = gl_WorkGroupID.x * 16u;
    if (local < 8u)
        result[base + local] = bins[local];
    if (local == 8u)
        result[base + 8u] = uint(least);
    if (local == 9u)
        result[base + 9u] = uint(most);
}
