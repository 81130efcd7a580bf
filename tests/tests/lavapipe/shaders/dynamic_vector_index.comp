#version 450
// Components of vectors at dynamic places, read and written.
//@ buffer 0 256 random
//@ buffer 1 256 zero

layout(local_size_x = 64) in;
layout(std430, binding = 0) readonly buffer Input { uvec4 data[]; };
layout(std430, binding = 1) buffer Output { uvec4 result[]; };

void main() {
    uint i = gl_GlobalInvocationID.x;
    uvec4 v = data[i];
    uvec4 w = v.wzyx;
    w[v.x & 3u] += v[v.y & 3u];
    result[i] = w;
    result[i][v.z & 3u] ^= 1u;
}
