#version 450
// Quotients, reciprocals, roots: within 4 units in the last place of the larger operand.
//@ buffer 0 64 f32 0.01 1000
//@ buffer 1 256 zero
//@ close 1 f32 1e-6

layout(local_size_x = 64) in;
layout(std430, binding = 0) readonly buffer Input { float data[]; };
layout(std430, binding = 1) buffer Output { float result[]; };

void main() {
    uint i = gl_GlobalInvocationID.x;
    float a = data[i], b = data[63u - i];
    result[i] = a / b;
    result[64u + i] = 1.0 / a;
    result[128u + i] = sqrt(a);
    result[192u + i] = inversesqrt(a);
}
