#version 450
// Nested structs copied between buffers and functions, partly changed.
//@ buffer 0 256 random
//@ buffer 1 256 zero

layout(local_size_x = 16) in;
struct Inner { uint a[3]; uint b; };
struct Outer { Inner first; uvec2 pair; Inner second; uint rest[6]; };
layout(std430, binding = 0) readonly buffer Input { Outer data[16]; };
layout(std430, binding = 1) buffer Output { Outer result[16]; };

Outer changed(Outer value, uint i) {
    Inner swap = value.first;
    value.first = value.second;
    value.second = swap;
    value.second.a[i % 3u] ^= value.pair.x;
    value.rest[i % 6u] = value.first.b;
    value.pair.y += i;
    return value;
}

void main() {
    uint i = gl_GlobalInvocationID.x;
    result[i] = changed(data[15u - i], i);
}
