#version 450
#extension GL_EXT_shader_explicit_arithmetic_types_int16 : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
// Shared memory of structs with members of several sizes.
//@ buffer 0 64 random
//@ buffer 1 64 zero

layout(local_size_x = 64) in;
layout(std430, binding = 0) readonly buffer Input { uint data[]; };
layout(std430, binding = 1) buffer Output { uint result[]; };
struct Record {
    uint16_t small;
    uint64_t large;
    uvec3 triple;
};
shared Record records[64];

void main() {
    uint i = gl_LocalInvocationIndex;
    uint a = data[i];
    records[i] = Record(uint16_t(a), uint64_t(a) * 0x100000001ul, uvec3(a, a + 1u, a + 2u));
    barrier();
    Record other = records[(i + 17u) & 63u];
    result[i] = uint(other.small) + uint(other.large >> 32) + other.triple[i % 3u];
}
