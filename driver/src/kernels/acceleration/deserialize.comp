#version 460
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"
#include "sizes.glsl"

// Writes a structure from its serialised form, with the handles of that: each thread a word.
layout(push_constant) uniform Parameters {
    uint64_t from;
    uint64_t structure;
    uint start;
} p;

void main() {
    uint id = p.start + gl_GlobalInvocationID.x;
    uint handles = word(p.from, 12u);
    uint64_t data = p.from + header_of(handles);
    if (uint64_t(id) * 4ul >= bytes_of(data)) { return; }
    uint value = word(data, id);
    if (handles != 0u) {
        uint first = (HEADER + (2u * handles - 1u) * NODE) / 4u;
        uint within = (id - first) % INSTANCE_WORDS;
        if (id >= first && (within == STRUCTURE_WORD || within == STRUCTURE_WORD + 1u)) {
            value = word(p.from, 14u + 2u * ((id - first) / INSTANCE_WORDS) + within - STRUCTURE_WORD);
        }
    }
    put(p.structure, id, value);
}
