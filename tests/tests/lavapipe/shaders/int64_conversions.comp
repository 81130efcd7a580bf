#version 450
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#extension GL_EXT_shader_explicit_arithmetic_types_int16 : require
#extension GL_EXT_shader_explicit_arithmetic_types_int8 : require
// Between 64 bits and the narrower integers and floats.
//@ buffer 0 128 random
//@ buffer 1 512 zero

layout(local_size_x = 64) in;
layout(std430, binding = 0) readonly buffer Input { uint64_t data[]; };
layout(std430, binding = 1) buffer Output { uint64_t result[]; };

void main() {
    uint i = gl_GlobalInvocationID.x;
    uint64_t a = data[i] >> (i & 63u);
    int64_t s = int64_t(data[i]) >> (i & 63u);
    result[i] = uint64_t(int64_t(int8_t(a))) ^ uint64_t(uint16_t(a));
    result[64u + i] = uint64_t(floatBitsToUint(float(s))) << 32 | uint64_t(floatBitsToUint(float(a)));
    // Not the conversion of a conversion: the driver leaves out both, with the rounding between.
    uint exponent = 100u + uint(data[i] >> 32) % 88u;
    result[128u + i] = uint64_t(int64_t(uintBitsToFloat((uint(data[i]) & 0x807fffffu) | exponent << 23)));
    result[192u + i] = uint64_t(int64_t(int(a))) + uint64_t(uint(s));
}
