#version 450
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_explicit_arithmetic_types_int16 : require
// Loads and stores of halves of words, in vectors too.
//@ buffer 0 64 random
//@ buffer 1 64 zero

layout(local_size_x = 32) in;
layout(std430, binding = 0) readonly buffer Input { u16vec2 data[]; };
layout(std430, binding = 1) buffer Output { u16vec4 result[]; };

void main() {
    uint i = gl_GlobalInvocationID.x;
    u16vec2 a = data[i * 2u], b = data[i * 2u + 1u];
    result[i] = u16vec4(a.y, b.x, a.x + b.y, uint16_t(i));
}
