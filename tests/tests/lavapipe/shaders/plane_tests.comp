#version 450
// Functions that return from unrolled loops over arrays of a uniform block, called under a condition that differs.
//@ groups 2 1 1
//@ uniform 0 64 random
//@ buffer 1 128 zero

layout(local_size_x = 64) in;
layout(std140, binding = 0) uniform Planes { uvec4 planes[8]; uvec4 more[8]; };
layout(std430, binding = 1) buffer Output { uint result[]; };

bool passes(uint at) {
    for (int i = 0; i < 6; i++)
        if (((planes[i].x * at + planes[i].y) & 7u) == 0u)
            return false;
    return true;
}

uint first(uint at) {
    for (uint i = 0u; i < 5u; i++) {
        uint word = more[i].z ^ at * more[i].w;
        if ((word & 3u) == 0u)
            return word + i;
        if ((word & 15u) == 5u)
            return i;
    }
    return 99u;
}

void main() {
    uint i = gl_GlobalInvocationID.x;
    uint value = 0u;
    if ((i & 4u) == 0u)
        value = passes(i) ? 1000u : 2000u;
    else
        value = first(i);
    result[i] = value;
}
