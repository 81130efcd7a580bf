#version 460
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"

// Writes the pairs that are sorted: the place of each leaf on a curve through space, and the leaf. Pairs without a leaf come last.
layout(push_constant) uniform Parameters {
    uint64_t scratch;
    uint64_t pairs;
    uint leaves;
    uint start;
} p;

// The lower 10 bits, two zeros after each.
uint spread(uint bits) {
    bits = (bits | bits << 16u) & 0x030000ffu;
    bits = (bits | bits << 8u) & 0x0300f00fu;
    bits = (bits | bits << 4u) & 0x030c30c3u;
    return (bits | bits << 2u) & 0x09249249u;
}

void main() {
    uint leaf = p.start + gl_GlobalInvocationID.x;
    uint key = 0xffffffffu;
    if (leaf < p.leaves) {
        uint64_t box = box_of(p.scratch, leaf);
        vec3 low = get3(box, 0u);
        key = 0xfffffffeu;
        if (low.x != NONE) {
            vec3 centre = low * 0.5 + get3(box, 4u) * 0.5;
            key = 0u;
            for (uint axis = 0u; axis < 3u; axis++) {
                float first = unordered(word(p.scratch, axis));
                float size = unordered(word(p.scratch, axis + 3u)) - first;
                float place = size > 0.0 ? clamp((centre[axis] - first) / size, 0.0, 1.0) : 0.0;
                key |= spread(uint(place * 1023.0)) << axis;
            }
        }
    }
    put(p.pairs, 2u * leaf, key);
    put(p.pairs, 2u * leaf + 1u, leaf);
}
