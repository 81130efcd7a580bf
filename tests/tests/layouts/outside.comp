#version 450
// Every kind of access, at indices that a buffer gives; vectors and words, an atomic.
layout(local_size_x = 8) in;
layout(set = 0, binding = 0, std140) uniform Block { uvec4 block[1024]; };
layout(set = 0, binding = 1, std430) readonly buffer Indices { uint indices[8]; };
layout(set = 0, binding = 2, std430) buffer Words { uint words[]; };
layout(set = 0, binding = 3, std430) buffer Vectors { uvec4 vectors[]; };
layout(set = 0, binding = 4, std430) buffer Counts { uint counts[]; };
layout(set = 0, binding = 5, std430) buffer Result { uvec4 result[24]; };
void main() {
    uint lane = gl_LocalInvocationIndex;
    uint i = indices[lane];
    result[3 * lane] = block[i];
    result[3 * lane + 1] = vectors[i];
    result[3 * lane + 2] = uvec4(words[i], atomicAdd(counts[i], 5u), 7u, 7u);
    words[i] = 100u + lane;
    vectors[i] = uvec4(200u + lane);
}
