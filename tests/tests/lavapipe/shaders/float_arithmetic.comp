#version 450
// Exact operations: sum, difference, product, fused product, absolute, negative.
//@ buffer 0 64 f32 -100 100
//@ buffer 1 256 zero

layout(local_size_x = 64) in;
layout(std430, binding = 0) readonly buffer Input { float data[]; };
layout(std430, binding = 1) buffer Output { float result[]; };

void main() {
    uint i = gl_GlobalInvocationID.x;
    precise float a = data[i], b = data[63u - i];
    precise float sum = a + b, product = a * b;
    result[i] = sum;
    result[64u + i] = product;
    result[128u + i] = abs(a) - b;
    result[192u + i] = min(a, b) + -max(a, b);
}
