#version 450
// Quotients and remainders, signed and unsigned, by variables and constants.
//@ buffer 0 64 random
//@ buffer 1 384 zero

layout(local_size_x = 64) in;
layout(std430, binding = 0) readonly buffer Input { uint data[]; };
layout(std430, binding = 1) buffer Output { uint result[]; };

void main() {
    uint i = gl_GlobalInvocationID.x;
    uint a = data[i], b = (data[63u - i] >> (a & 31u)) | 1u;
    int s = int(a), t = int(b & 0x7fffffffu) | 1;
    result[i] = a / b;
    result[64u + i] = a % b;
    result[128u + i] = uint(s / t);
    result[192u + i] = a / 7u + a % 10u + a / 641u;
    result[256u + i] = uint(s / 7 + s / -3 + s / 65536);
    result[320u + i] = uint(abs(s) % t);
}
