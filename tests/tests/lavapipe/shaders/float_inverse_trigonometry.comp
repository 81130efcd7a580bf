#version 450
// Arc functions and hyperbolic ones.
//@ buffer 0 64 f32 -0.95 0.95
//@ buffer 1 384 zero
//@ close 1 f32 1e-3

layout(local_size_x = 64) in;
layout(std430, binding = 0) readonly buffer Input { float data[]; };
layout(std430, binding = 1) buffer Output { float result[]; };

void main() {
    uint i = gl_GlobalInvocationID.x;
    float a = data[i], b = data[63u - i];
    result[i] = atan(a);
    result[64u + i] = atan(a, b);
    result[128u + i] = asin(a);
    result[192u + i] = acos(a);
    result[256u + i] = tanh(a);
    result[320u + i] = sinh(a) + cosh(b);
}
