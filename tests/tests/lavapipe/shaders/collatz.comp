#version 450
// Long divergent loops.
//@ buffer 0 64 below 1000
//@ buffer 1 64 zero

layout(local_size_x = 64) in;
layout(std430, binding = 0) readonly buffer Input { uint data[]; };
layout(std430, binding = 1) buffer Output { uint result[]; };

void main() {
    uint i = gl_GlobalInvocationID.x;
    uint n = data[i] + 1u, steps = 0u;
    while (n != 1u) {
        n = (n & 1u) == 0u ? n / 2u : n * 3u + 1u;
        steps++;
    }
    result[i] = steps;
}
