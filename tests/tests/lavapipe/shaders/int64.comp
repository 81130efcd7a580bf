#version 450
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
// Arithmetic, shifts and comparisons of 64 bits.
//@ buffer 0 128 random
//@ buffer 1 512 zero

layout(local_size_x = 64) in;
layout(std430, binding = 0) readonly buffer Input { uint64_t data[]; };
layout(std430, binding = 1) buffer Output { uint64_t result[]; };

void main() {
    uint i = gl_GlobalInvocationID.x;
    uint64_t a = data[i], b = data[63u - i];
    int64_t s = int64_t(a), t = int64_t(b);
    result[i] = a * b + (a - b);
    result[64u + i] = (a << uint(b & 63ul)) ^ (a >> uint(a & 63ul)) ^ uint64_t(s >> uint(b & 63ul));
    result[128u + i] = uint64_t(min(s, t)) ^ max(a, b);
    result[192u + i] = (a < b ? 1ul : 0ul) | (s < t ? 2ul : 0ul) | (a == (b & a) ? 4ul : 0ul) | (uint64_t(abs(s)) << 8);
}
