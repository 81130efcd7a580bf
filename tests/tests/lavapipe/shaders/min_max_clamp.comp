#version 450
// Minima, maxima and clamps of integers of either sign.
//@ buffer 0 64 random
//@ buffer 1 192 zero

layout(local_size_x = 64) in;
layout(std430, binding = 0) readonly buffer Input { uint data[]; };
layout(std430, binding = 1) buffer Output { uint result[]; };

void main() {
    uint i = gl_GlobalInvocationID.x;
    uint a = data[i], b = data[63u - i];
    int s = int(a), t = int(b);
    result[i] = min(a, b) ^ max(a, b >> 3);
    result[64u + i] = uint(min(s, t) ^ max(s, t >> 3));
    result[128u + i] = uint(clamp(s, -1000000, 1000000)) + clamp(a, 5u, b | 5u) + uint(sign(s) + abs(t));
}
