#version 450
// Nested loops that lanes leave at different times, with break and continue.
//@ buffer 0 64 below 30
//@ buffer 1 64 zero

layout(local_size_x = 64) in;
layout(std430, binding = 0) readonly buffer Input { uint data[]; };
layout(std430, binding = 1) buffer Output { uint result[]; };

void main() {
    uint i = gl_GlobalInvocationID.x;
    uint n = data[i], r = 0u;
    for (uint a = 0u; a < n; a++) {
        if ((a & 3u) == 2u)
            continue;
        for (uint b = a; b < n + 4u; b++) {
            if (b * a > 150u)
                break;
            r += b ^ a;
        }
        if (r > 3000u)
            break;
    }
    result[i] = r;
}
