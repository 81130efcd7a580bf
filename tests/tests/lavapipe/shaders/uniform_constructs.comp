#version 450
// Loops and ifs whose conditions are the same for all invocations, around loads of a buffer that nobody writes.
//@ groups 2 1 1
//@ buffer 0 64 random
//@ buffer 1 128 zero
//@ push 7 3 90 0

layout(local_size_x = 64) in;
layout(std430, binding = 0) readonly buffer Input { uint data[]; };
layout(std430, binding = 1) buffer Output { uint result[]; };
layout(push_constant) uniform Numbers { uint count; uint step; uint limit; uint never; };

uint checksum(uint first) {
    uint sum = first;
    for (uint at = 0u; at < count; at++) {
        uint word = data[at * step];
        if ((word & 1u) != 0u) {
            sum = sum * 31u + word;
        } else {
            sum ^= word >> 3;
        }
        if (sum == 12345u)
            return at;
    }
    return sum;
}

uint skipped() {
    uint last = 1u;
    if (never > 0u)
        last = data[never + 100000u];
    while (last < limit)
        last = last * 3u + 1u;
    return last;
}

void main() {
    uint i = gl_GlobalInvocationID.x;
    uint value = checksum(count) + skipped();
    if (limit > 80u) {
        uint chosen = data[step];
        value += i < 70u ? chosen * i : chosen + i;
    }
    result[i] = value ^ i;
}
