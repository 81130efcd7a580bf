#version 460
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"

// Writes the leaves in their order: the node and the record of each. The tree halves the leaves at every node.
layout(push_constant) uniform Parameters {
    uint64_t scratch;
    uint64_t pairs;
    uint64_t structure;
    uint leaves;
    uint leaf_bytes;
    uint start;
} p;

void main() {
    uint rank = p.start + gl_GlobalInvocationID.x;
    uint leaf = word(p.pairs, 2u * rank + 1u);
    uint node = 0u;
    uint count = p.leaves;
    uint rest = rank;
    while (count > 1u) {
        uint left = (count + 1u) / 2u;
        if (rest < left) {
            node += 1u;
            count = left;
        } else {
            node += 2u * left;
            rest -= left;
            count -= left;
        }
    }
    uint64_t box = box_of(p.scratch, leaf);
    uint64_t to = node_of(p.structure, node);
    put3(to, 0u, get3(box, 0u));
    put(to, 3u, node + 1u);
    put3(to, 4u, get3(box, 4u));
    put(to, 7u, rank);
    uint64_t record = record_of(p.scratch, p.leaves, leaf, p.leaf_bytes);
    uint64_t place = leaf_of(p.structure, p.leaves, rank, p.leaf_bytes);
    for (uint index = 0u; index < p.leaf_bytes / 4u; index++) { put(place, index, word(record, index)); }
}
