#version 460
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"

// A step of a bitonic sort of pairs, whose number is a power of two: exchanges pairs at a distance, within runs
// that ascend and descend in turn. Equal keys are in the order of their leaves.
layout(push_constant) uniform Parameters {
    uint64_t pairs;
    uint run;
    uint distance;
    uint start;
} p;

void main() {
    uint id = p.start + gl_GlobalInvocationID.x;
    // The first of two pairs: the bit of the distance is 0.
    uint below = id & (p.distance - 1u);
    uint first = (id - below) * 2u + below;
    uint second = first + p.distance;
    uvec2 a = uvec2(word(p.pairs, 2u * first), word(p.pairs, 2u * first + 1u));
    uvec2 b = uvec2(word(p.pairs, 2u * second), word(p.pairs, 2u * second + 1u));
    bool is_after = a.x > b.x || (a.x == b.x && a.y > b.y);
    bool ascends = (first & p.run) == 0u;
    if (is_after == ascends) {
        put(p.pairs, 2u * first, b.x);
        put(p.pairs, 2u * first + 1u, b.y);
        put(p.pairs, 2u * second, a.x);
        put(p.pairs, 2u * second + 1u, a.y);
    }
}
