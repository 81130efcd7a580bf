#version 450
// Many live values: the rounds of a block cipher, unrolled by hand.
//@ buffer 0 64 random
//@ buffer 1 64 zero

layout(local_size_x = 64) in;
layout(std430, binding = 0) readonly buffer Input { uint data[]; };
layout(std430, binding = 1) buffer Output { uint result[]; };

#define STEP(a, b, c, n) a += b; c ^= a; c = (c << n) | (c >> (32 - n));
#define QUARTER(a, b, c, d) STEP(s[a], s[b], s[d], 16) STEP(s[c], s[d], s[b], 12) STEP(s[a], s[b], s[d], 8) STEP(s[c], s[d], s[b], 7)

void main() {
    uint i = gl_GlobalInvocationID.x;
    uint s[16];
    for (uint k = 0u; k < 16u; k++)
        s[k] = data[(i + k) & 63u];
    for (uint round = 0u; round < 4u; round++) {
        QUARTER(0, 4, 8, 12) QUARTER(1, 5, 9, 13) QUARTER(2, 6, 10, 14) QUARTER(3, 7, 11, 15)
        QUARTER(0, 5, 10, 15) QUARTER(1, 6, 11, 12) QUARTER(2, 7, 8, 13) QUARTER(3, 4, 9, 14)
    }
    uint r = 0u;
    for (uint k = 0u; k < 16u; k++)
        r = r * 31u + s[k];
    result[i] = r;
}
