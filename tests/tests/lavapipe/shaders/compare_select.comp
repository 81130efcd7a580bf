#version 450
// Every comparison of integers and floats, infinities and NaN included, as bits.
//@ buffer 0 64 below 9
//@ buffer 1 128 zero

layout(local_size_x = 64) in;
layout(std430, binding = 0) readonly buffer Input { uint data[]; };
layout(std430, binding = 1) buffer Output { uint result[]; };

const uint values[9] = uint[](0u, 0x80000000u, 0x3f800000u, 0xbf800000u, 0x7f800000u, 0xff800000u, 0x7fc00000u, 0x7f7fffffu, 0xc2280000u);

void main() {
    uint i = gl_GlobalInvocationID.x;
    uint a = values[data[i]], b = values[data[63u - i]];
    float x = uintBitsToFloat(a), y = uintBitsToFloat(b);
    uint r = 0u;
    r |= x < y ? 1u : 0u;
    r |= x <= y ? 2u : 0u;
    r |= x > y ? 4u : 0u;
    r |= x >= y ? 8u : 0u;
    r |= x == y ? 16u : 0u;
    r |= x != y ? 32u : 0u;
    r |= isnan(x) ? 64u : 0u;
    r |= isinf(y) ? 128u : 0u;
    r |= !(x < y) ? 256u : 0u;
    result[i] = r;
    result[64u + i] = (a < b ? 1u : 0u) | (int(a) < int(b) ? 2u : 0u) | (int(a) >= int(b) ? 4u : 0u) | (a >= b ? 8u : 0u);
}
