#version 450
// Carries, borrows and products of 64 bits.
//@ buffer 0 64 random
//@ buffer 1 512 zero

layout(local_size_x = 64) in;
layout(std430, binding = 0) readonly buffer Input { uint data[]; };
layout(std430, binding = 1) buffer Output { uint result[]; };

void main() {
    uint i = gl_GlobalInvocationID.x;
    uint a = data[i], b = data[63u - i], carry, borrow, high, low;
    int shigh, slow;
    result[i] = uaddCarry(a, b, carry);
    result[64u + i] = carry;
    result[128u + i] = usubBorrow(a, b, borrow);
    result[192u + i] = borrow;
    umulExtended(a, b, high, low);
    result[256u + i] = high;
    result[320u + i] = low;
    imulExtended(int(a), int(b), shigh, slow);
    result[384u + i] = uint(shigh);
    result[448u + i] = uint(slow);
}
