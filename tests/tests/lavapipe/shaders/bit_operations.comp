#version 450
// Bit fields, counts, reversals and positions of bits.
//@ buffer 0 64 random
//@ buffer 1 512 zero

layout(local_size_x = 64) in;
layout(std430, binding = 0) readonly buffer Input { uint data[]; };
layout(std430, binding = 1) buffer Output { uint result[]; };

void main() {
    uint i = gl_GlobalInvocationID.x;
    uint a = data[i] >> (i & 15u), b = data[63u - i];
    int offset = int(b & 15u), bits = int((b >> 4) & 15u);
    result[i] = uint(bitCount(a));
    result[64u + i] = bitfieldReverse(a);
    result[128u + i] = uint(findMSB(a));
    result[192u + i] = uint(findLSB(a << (i & 7u)));
    result[256u + i] = bitfieldExtract(a, offset, bits);
    result[320u + i] = uint(bitfieldExtract(int(a), offset, bits));
    result[384u + i] = bitfieldInsert(a, b, offset, bits);
    result[448u + i] = uint(findMSB(int(a)) + findMSB(-int(a & 0xffffu) - 1));
}
