#version 450
// Wrapping arithmetic, shifts and bit operations on 32 bits.
//@ buffer 0 64 random
//@ buffer 1 64 zero

layout(local_size_x = 64) in;
layout(std430, binding = 0) readonly buffer Input { uint data[]; };
layout(std430, binding = 1) buffer Output { uint result[]; };

void main() {
    uint i = gl_GlobalInvocationID.x;
    uint a = data[i], b = data[63u - i];
    uint r = a * b + (a ^ (b >> 7)) - (~a & b);
    r = (r << (b & 31u)) | (r >> (31u - (b & 31u)));
    result[i] = r + uint(int(a) >> int(b & 31u));
}
