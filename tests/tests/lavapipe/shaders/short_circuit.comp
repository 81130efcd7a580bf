#version 450
// Conditions with side effects behind && and ||.
//@ buffer 0 64 random
//@ buffer 1 64 zero

layout(local_size_x = 64) in;
layout(std430, binding = 0) readonly buffer Input { uint data[]; };
layout(std430, binding = 1) buffer Output { uint result[]; };

bool bump(inout uint count, uint value) {
    count++;
    return value != 0u;
}

void main() {
    uint i = gl_GlobalInvocationID.x;
    uint count = 0u;
    bool a = (data[i] & 1u) == 1u && bump(count, data[i] & 6u) && bump(count, 1u);
    bool b = (data[i] & 8u) == 8u || bump(count, data[i] & 16u) || bump(count, 0u);
    result[i] = count * 4u + (a ? 2u : 0u) + (b ? 1u : 0u);
}
