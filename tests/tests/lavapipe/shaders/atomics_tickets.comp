#version 450
// Every value that an atomic returns is seen once: the tickets are a permutation.
//@ groups 4 1 1
//@ buffer 0 256 count
//@ buffer 1 257 zero

layout(local_size_x = 64) in;
layout(std430, binding = 0) readonly buffer Input { uint data[]; };
layout(std430, binding = 1) buffer Output { uint result[]; };

void main() {
    uint ticket = atomicAdd(result[256], 1u);
    atomicAdd(result[ticket], 1u + data[ticket]);
}
