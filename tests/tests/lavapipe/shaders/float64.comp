#version 450
// 64-bit floats: sum, product, quotient, root, comparison, exactly rounded.
//@ buffer 0 64 f64 0.001 1000
//@ buffer 1 384 zero

layout(local_size_x = 32) in;
layout(std430, binding = 0) readonly buffer Input { double data[]; };
layout(std430, binding = 1) buffer Output { double result[]; };

void main() {
    uint i = gl_GlobalInvocationID.x;
    precise double a = data[i], b = data[31u - i];
    precise double sum = a + b, difference = a - b, product = a * b, quotient = a / b;
    result[i] = sum;
    result[32u + i] = difference;
    result[64u + i] = product;
    result[96u + i] = quotient;
    result[128u + i] = sqrt(a);
    result[160u + i] = a < b ? -a : b;
}
