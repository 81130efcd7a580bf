#version 460
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"
#include "sizes.glsl"

// Writes the serialised form of a structure: each thread a word of it.
layout(push_constant) uniform Parameters {
    uint64_t structure;
    uint64_t to;
    // The identifier of the driver, and that of compatible forms.
    uvec4 driver;
    uvec4 form;
    uint start;
} p;

void put_size(uint index, uint64_t size) {
    put(p.to, index, uint(size));
    put(p.to, index + 1u, uint(size >> 32ul));
}

void main() {
    uint id = p.start + gl_GlobalInvocationID.x;
    uint handles = handles_of(p.structure);
    uint64_t bytes = bytes_of(p.structure);
    if (id == 0u) {
        for (uint index = 0u; index < 4u; index++) {
            put(p.to, index, p.driver[index]);
            put(p.to, index + 4u, p.form[index]);
        }
        put_size(8u, bytes + header_of(handles));
        put_size(10u, bytes);
        put_size(12u, uint64_t(handles));
    }
    if (id < handles) {
        uint64_t record = leaf_of(p.structure, handles, id, 4u * INSTANCE_WORDS);
        put(p.to, 14u + 2u * id, word(record, STRUCTURE_WORD));
        put(p.to, 15u + 2u * id, word(record, STRUCTURE_WORD + 1u));
    }
    if (uint64_t(id) * 4ul < bytes) { put(p.to + header_of(handles), id, word(p.structure, id)); }
}
