#version 450
// Values cross the workgroup through shared memory.
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
    result[gl_GlobalInvocationID.x] = values[63u - local] ^ values[(local * 7u) & 63u];
}
