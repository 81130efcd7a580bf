#version 450
// Between floats and integers, in range.
//@ buffer 0 64 f32 -100000 100000
//@ buffer 1 256 zero

layout(local_size_x = 64) in;
layout(std430, binding = 0) readonly buffer Input { float data[]; };
layout(std430, binding = 1) buffer Output { uint result[]; };

void main() {
    uint i = gl_GlobalInvocationID.x;
    float a = data[i];
    result[i] = uint(int(a));
    result[64u + i] = uint(abs(a));
    result[128u + i] = floatBitsToUint(float(floatBitsToUint(a)));
    result[192u + i] = floatBitsToUint(float(floatBitsToInt(a)));
}
