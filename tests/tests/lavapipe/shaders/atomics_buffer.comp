#version 450
// Every atomic on a buffer whose outcome does not depend on the order.
//@ groups 4 1 1
//@ buffer 0 256 random
//@ buffer 1 8 zero

layout(local_size_x = 64) in;
layout(std430, binding = 0) readonly buffer Input { uint data[]; };
layout(std430, binding = 1) buffer Output { uint result[]; };

void main() {
    uint a = data[gl_GlobalInvocationID.x];
    atomicAdd(result[0], a);
    atomicXor(result[1], a);
    atomicOr(result[2], 1u << (a & 15u));
    atomicMax(result[3], a);
    atomicMin(result[4], ~a);
    atomicAnd(result[5], a);
    atomicAdd(result[6], 1u);
}
