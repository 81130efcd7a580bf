#version 450
// 64-bit floats from and to narrower types.
//@ buffer 0 64 f64 -100000 100000
//@ buffer 1 256 zero

layout(local_size_x = 32) in;
layout(std430, binding = 0) readonly buffer Input { double data[]; };
layout(std430, binding = 1) buffer Output { double result[]; };

void main() {
    uint i = gl_GlobalInvocationID.x;
    precise double a = data[i], b = data[31u - i];
    result[i] = double(float(a));
    result[32u + i] = double(int(a)) + double(uint(abs(b)));
    result[64u + i] = floor(a) + trunc(b);
    result[96u + i] = abs(a) - min(a, b);
}
