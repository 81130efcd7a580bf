#version 460
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"
#include "sizes.glsl"

// Writes a size of a structure as a result of a query: 0 for its bytes, 1 for those of its serialised form, 2 for the number of its handles.
layout(push_constant) uniform Parameters {
    uint64_t structure;
    uint64_t result;
    uint asked;
} p;

void main() {
    uint handles = handles_of(p.structure);
    uint64_t bytes = bytes_of(p.structure);
    if (p.asked == 1u) { bytes += header_of(handles); }
    if (p.asked == 2u) { bytes = uint64_t(handles); }
    put(p.result, 0u, uint(bytes));
    put(p.result, 1u, uint(bytes >> 32ul));
}
