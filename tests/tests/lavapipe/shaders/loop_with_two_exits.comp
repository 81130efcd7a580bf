#version 450
// A loop with several exits, and values from each.
//@ buffer 0 64 random
//@ buffer 1 64 zero

layout(local_size_x = 64) in;
layout(std430, binding = 0) readonly buffer Input { uint data[]; };
layout(std430, binding = 1) buffer Output { uint result[]; };

void main() {
    uint i = gl_GlobalInvocationID.x;
    uint a = data[i], r = 0u, why = 0u;
    do {
        a = a * 1664525u + 1013904223u;
        if ((a >> 28) == 3u) {
            why = 1u;
            break;
        }
        r += a >> 16;
        if (r > 500000u) {
            why = 2u;
            break;
        }
    } while ((a & 31u) != 7u);
    result[i] = r * 4u + why;
}
