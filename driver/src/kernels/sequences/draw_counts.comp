#version 460
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"

// Copies the parameters of several draws for each sequence, one thread for each draw; those of draws that do not exist become zero.
layout(push_constant) uniform Parameters {
    uint64_t values;    // `VkDrawIndirectCountIndirectCommandEXT` of the first sequence
    uint64_t count;     // number of sequences
    uint64_t to;
    uint most;          // maximum number of sequences
    uint stride;        // words from the values of a sequence to those of the next
    uint draws;         // maximum number of draws of a sequence
    uint words;         // words of the parameters of a draw
} p;

void main() {
    uint id = gl_GlobalInvocationID.x;
    uint sequence = id / p.draws;
    uint draw = id % p.draws;
    bool is_drawn = false;
    uint64_t from = 0ul;
    if (sequence < min(word(p.count, 0u), p.most)) {
        uint64_t given = p.values + uint64_t(sequence * p.stride) * 4ul;
        is_drawn = draw < word(given, 3u);
        if (is_drawn) { from = long_word(given, 0u) + uint64_t(draw) * uint64_t(word(given, 2u)); }
    }
    for (uint at = 0u; at < p.words; at++) {
        uint value = 0u;
        if (is_drawn) { value = word(from, at); }
        put(p.to, id * p.words + at, value);
    }
}
