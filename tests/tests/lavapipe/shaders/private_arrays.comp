#version 450
// Local arrays that are read and written at dynamic places.
//@ buffer 0 64 random
//@ buffer 1 64 zero

layout(local_size_x = 64) in;
layout(std430, binding = 0) readonly buffer Input { uint data[]; };
layout(std430, binding = 1) buffer Output { uint result[]; };

void main() {
    uint i = gl_GlobalInvocationID.x;
    uint values[24];
    for (uint k = 0u; k < 24u; k++)
        values[k] = data[(i + k) & 63u];
    for (uint k = 0u; k < 40u; k++) {
        uint from = values[k % 24u] % 24u, to = (i * 5u + k) % 24u;
        uint swap = values[from];
        values[from] = values[to] + k;
        values[to] = swap;
    }
    uint r = 0u;
    for (uint k = 0u; k < 24u; k++)
        r = r * 33u + values[k];
    result[i] = r;
}
