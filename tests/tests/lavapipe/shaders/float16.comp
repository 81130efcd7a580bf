#version 450
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
#extension GL_EXT_shader_16bit_storage : require
// Arithmetic in 16-bit floats. The driver rounds after each operation, as we do.
//@ buffer 0 64 f16 -8 8
//@ buffer 1 128 zero
//@ close 1 f16 2e-3

layout(local_size_x = 64) in;
layout(std430, binding = 0) readonly buffer Input { f16vec2 data[]; };
layout(std430, binding = 1) buffer Output { f16vec2 result[]; };

void main() {
    uint i = gl_GlobalInvocationID.x;
    f16vec2 a = data[i], b = data[63u - i];
    result[i] = a * b + a.yx;
    result[64u + i] = f16vec2(max(a.x, b.y), float16_t(float(a.y) * 0.5));
}
