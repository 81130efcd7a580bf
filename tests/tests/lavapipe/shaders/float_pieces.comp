#version 450
// Mantissa and exponent taken apart and put together.
//@ buffer 0 64 f32 -5000 5000
//@ buffer 1 192 zero

layout(local_size_x = 64) in;
layout(std430, binding = 0) readonly buffer Input { float data[]; };
layout(std430, binding = 1) buffer Output { float result[]; };

void main() {
    uint i = gl_GlobalInvocationID.x;
    float a = data[i];
    int exponent;
    float mantissa = frexp(a, exponent);
    result[i] = mantissa;
    result[64u + i] = float(exponent);
    result[128u + i] = ldexp(mantissa, exponent - int(i & 7u));
}
