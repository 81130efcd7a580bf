#version 450
// Exponentials, logarithms, powers, sines. The driver approximates with few terms.
//@ buffer 0 64 f32 0.1 6
//@ buffer 1 384 zero
//@ close 1 f32 2e-4

layout(local_size_x = 64) in;
layout(std430, binding = 0) readonly buffer Input { float data[]; };
layout(std430, binding = 1) buffer Output { float result[]; };

void main() {
    uint i = gl_GlobalInvocationID.x;
    float a = data[i], b = data[63u - i];
    result[i] = exp2(a - 3.0);
    result[64u + i] = log2(a);
    result[128u + i] = pow(a, b * 0.5);
    result[192u + i] = sin(a);
    result[256u + i] = cos(a * 0.5);
    result[320u + i] = exp(-a) + log(b);
}
