#version 450
#extension GL_EXT_shader_explicit_arithmetic_types_int16 : require
// Arithmetic of 16 bits with its wrapping and sign extension.
//@ buffer 0 64 random
//@ buffer 1 256 zero

layout(local_size_x = 64) in;
layout(std430, binding = 0) readonly buffer Input { uint data[]; };
layout(std430, binding = 1) buffer Output { uint result[]; };

void main() {
    uint i = gl_GlobalInvocationID.x;
    uint16_t a = uint16_t(data[i]), b = uint16_t(data[63u - i]);
    int16_t s = int16_t(a), t = int16_t(b);
    result[i] = uint(uint16_t(a + b)) | uint(uint16_t(a * b)) << 16;
    result[64u + i] = uint(int(s >> int16_t(b & uint16_t(15)))) + uint(uint16_t(a << (b & uint16_t(15))));
    result[128u + i] = uint(int(min(s, t))) ^ uint(max(a, b)) ^ uint(int(-s));
    result[192u + i] = uint(a / (b | uint16_t(1))) + uint(int(s / (t | int16_t(1)))) + (s < t ? 65536u : 0u);
}
