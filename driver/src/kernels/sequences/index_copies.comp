#version 460
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"

// Copies the indices of a generated draw as words, where programs before the pass read them.
layout(push_constant) uniform Parameters {
    uint64_t token;     // `VkBindIndexBufferIndirectCommandEXT`
    uint64_t numbers;   // the parameters of the draw
    uint64_t to;
    uint capacity;      // number of indices that there is room for
    uint threads;
    uint restart;       // whether the largest index restarts primitives
} p;

void main() {
    uint first = word(p.numbers, 2u);
    uint end = min(first + min(word(p.numbers, 0u), 0xffffffffu - first), p.capacity);
    if (first >= end) { return; }
    uint64_t from = long_word(p.token, 0u);
    // Types of indices of Vulkan, and formats of DXGI.
    uint kind = word(p.token, 3u);
    uint shift = 0u;
    if (kind == 0u || kind == 57u) { shift = 1u; }
    if (kind == 1u || kind == 42u) { shift = 2u; }
    uint elements = word(p.token, 2u) >> shift;
    uint largest = 0xffffffffu >> (32u - (8u << shift));
    for (uint at = first + gl_GlobalInvocationID.x; at < end; at += p.threads) {
        uint index = 0u;
        if (at < elements) {
            uint64_t place = from + (uint64_t(at) << shift);
            if (shift == 2u) { index = Words(place).words[0]; }
            else if (shift == 1u) { index = uint(Halves(place).halves[0]); }
            else { index = uint(Bytes(place).bytes[0]); }
            if (p.restart != 0u && index == largest) { index = 0xffffffffu; }
        }
        put(p.to, at, index);
    }
}
