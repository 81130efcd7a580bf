#version 450
#extension GL_EXT_shader_explicit_arithmetic_types_int8 : require
#extension GL_EXT_shader_explicit_arithmetic_types_int16 : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
// Chains of conversions between all widths.
//@ buffer 0 64 random
//@ buffer 1 128 zero

layout(local_size_x = 64) in;
layout(std430, binding = 0) readonly buffer Input { uint data[]; };
layout(std430, binding = 1) buffer Output { uint result[]; };

void main() {
    uint i = gl_GlobalInvocationID.x;
    uint a = data[i];
    int64_t wide = int64_t(int8_t(a)) * int64_t(int16_t(a >> 8));
    uint16_t middle = uint16_t(wide >> 3) + uint16_t(uint8_t(a >> 24));
    float16_t h = float16_t(int(a & 2047u)) * float16_t(0.5);
    result[i] = uint(middle) ^ uint(wide) ^ uint(int(int8_t(middle)));
    result[64u + i] = uint(int(h)) + floatBitsToUint(float(h)) + uint(float16BitsToUint16(h));
}
