#version 450
// Constant arrays with a dynamic index, of vectors too.
//@ buffer 0 64 random
//@ buffer 1 64 zero

layout(local_size_x = 64) in;
layout(std430, binding = 0) readonly buffer Input { uint data[]; };
layout(std430, binding = 1) buffer Output { uint result[]; };

const uint table[16] = uint[](3u, 1u, 4u, 1u, 5u, 9u, 2u, 6u, 5u, 3u, 5u, 8u, 9u, 7u, 9u, 3u);
const uvec2 pairs[4] = uvec2[](uvec2(1u, 20u), uvec2(300u, 4000u), uvec2(50000u, 600000u), uvec2(7u, 8u));

void main() {
    uint i = gl_GlobalInvocationID.x;
    uint a = data[i];
    result[i] = table[a % 16u] + pairs[(a >> 8) % 4u][(a >> 4) & 1u];
}
