#version 450
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
// Quotients and remainders of 64 bits.
//@ buffer 0 128 random
//@ buffer 1 512 zero

layout(local_size_x = 64) in;
layout(std430, binding = 0) readonly buffer Input { uint64_t data[]; };
layout(std430, binding = 1) buffer Output { uint64_t result[]; };

void main() {
    uint i = gl_GlobalInvocationID.x;
    uint64_t a = data[i], b = (data[63u - i] >> (uint(a) & 63u)) | 1ul;
    int64_t s = int64_t(a), t = int64_t(b >> 1) | 1l;
    result[i] = a / b;
    result[64u + i] = a % b;
    result[128u + i] = uint64_t(s / t);
    result[192u + i] = a / 10ul + uint64_t(s / -7l);
}
