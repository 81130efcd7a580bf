#version 460
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"

// Writes the inner nodes at a depth, whose children are complete. The bits of a thread's number are the way from the root.
layout(push_constant) uniform Parameters {
    uint64_t structure;
    uint leaves;
    uint depth;
    uint start;
} p;

void main() {
    uint way = p.start + gl_GlobalInvocationID.x;
    uint node = 0u;
    uint count = p.leaves;
    for (uint bit = p.depth; bit > 0u; bit--) {
        if (count < 2u) { return; }
        uint left = (count + 1u) / 2u;
        if ((way >> (bit - 1u) & 1u) == 0u) {
            node += 1u;
            count = left;
        } else {
            node += 2u * left;
            count -= left;
        }
    }
    if (count < 2u) { return; }
    uint64_t to = node_of(p.structure, node);
    uint64_t first = node_of(p.structure, node + 1u);
    uint64_t second = node_of(p.structure, node + 2u * ((count + 1u) / 2u));
    vec3 low = get3(first, 0u);
    vec3 high = get3(first, 4u);
    vec3 other = get3(second, 0u);
    if (low.x == NONE) {
        low = other;
        high = get3(second, 4u);
    } else if (other.x != NONE) {
        low = min(low, other);
        high = max(high, get3(second, 4u));
    }
    put3(to, 0u, low);
    put(to, 3u, node + 2u * count - 1u);
    put3(to, 4u, high);
    put(to, 7u, INNER);
}
