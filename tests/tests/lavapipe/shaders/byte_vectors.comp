#version 450
#extension GL_EXT_shader_explicit_arithmetic_types_int8 : require
#extension GL_EXT_shader_explicit_arithmetic_types_int16 : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
// Vectors of bytes, packed and taken apart.
//@ buffer 0 64 random
//@ buffer 1 128 zero

layout(local_size_x = 64) in;
layout(std430, binding = 0) readonly buffer Input { uint data[]; };
layout(std430, binding = 1) buffer Output { uint result[]; };

void main() {
    uint i = gl_GlobalInvocationID.x;
    u8vec4 a = unpack8(data[i]), b = unpack8(data[63u - i]);
    u8vec4 c = a * b + a.wzyx;
    result[i] = pack32(c);
    result[64u + i] = pack32(u16vec2(pack16(c.xy), pack16(c.zw ^ b.xy))) + uint(pack64(uvec2(data[i], i)) >> 20);
}
