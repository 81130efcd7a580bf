#version 450
// A prefix sum: two barriers a round in a loop.
//@ groups 2 1 1
//@ buffer 0 128 random
//@ buffer 1 128 zero

layout(local_size_x = 64) in;
layout(std430, binding = 0) readonly buffer Input { uint data[]; };
layout(std430, binding = 1) buffer Output { uint result[]; };
shared uint values[64];

void main() {
    uint local = gl_LocalInvocationIndex;
    values[local] = data[gl_GlobalInvocationID.x];
    barrier();
    for (uint step = 1u; step < 64u; step *= 2u) {
        uint other = local >= step ? values[local - step] : 0u;
        barrier();
        values[local] += other;
        barrier();
    }
    result[gl_GlobalInvocationID.x] = values[local];
}
