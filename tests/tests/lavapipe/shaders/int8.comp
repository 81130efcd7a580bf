#version 450
#extension GL_EXT_shader_explicit_arithmetic_types_int8 : require
// Arithmetic of 8 bits with its wrapping and sign extension.
//@ buffer 0 64 random
//@ buffer 1 256 zero

layout(local_size_x = 64) in;
layout(std430, binding = 0) readonly buffer Input { uint data[]; };
layout(std430, binding = 1) buffer Output { uint result[]; };

void main() {
    uint i = gl_GlobalInvocationID.x;
    uint8_t a = uint8_t(data[i]), b = uint8_t(data[63u - i]);
    int8_t s = int8_t(a), t = int8_t(b);
    result[i] = uint(a + b) | uint(a * b) << 8 | uint(a - b) << 16;
    result[64u + i] = uint(int(s >> int8_t(b & uint8_t(7)))) + uint(a >> (b & uint8_t(7)));
    result[128u + i] = uint(int(min(s, t))) ^ uint(max(a, b));
    result[192u + i] = uint(a / (b | uint8_t(1))) + uint(int(s / (t | int8_t(1)))) + (s < t ? 256u : 0u);
}
