#version 450
// Lengths of buffers, and a guard made of them.
//@ groups 2 1 1
//@ buffer 0 100 random
//@ buffer 1 77 zero

layout(local_size_x = 64) in;
layout(std430, binding = 0) readonly buffer Input { uint data[]; };
layout(std430, binding = 1) buffer Output { uint result[]; };

void main() {
    uint i = gl_GlobalInvocationID.x;
    if (i < uint(result.length()) && i < uint(data.length()))
        result[i] = data[uint(data.length()) - 1u - i] + uint(result.length());
}
