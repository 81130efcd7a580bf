#version 460
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"

// Writes the records and boxes of a geometry of boxes.
layout(push_constant) uniform Parameters {
    uint64_t data;
    uint64_t scratch;
    // Bytes between boxes.
    uint stride;
    // The number of the first leaf, and that of the first box of the launch.
    uint first;
    uint start;
    // The word of the geometry.
    uint geometry;
    uint leaves;
} p;

void main() {
    uint number_of_box = p.start + gl_GlobalInvocationID.x;
    uint leaf = p.first + number_of_box;
    uint64_t at = p.data + uint64_t(number_of_box) * uint64_t(p.stride);
    vec3 low = get3(at, 0u);
    vec3 high = get3(at, 3u);
    uint64_t record = record_of(p.scratch, p.leaves, leaf, 48u);
    put3(record, 0u, vec3(0.0));
    put(record, 3u, p.geometry);
    put3(record, 4u, vec3(0.0));
    put(record, 7u, number_of_box);
    put3(record, 8u, vec3(0.0));
    put(record, 11u, 0u);
    put_box(p.scratch, leaf, low, high, is_number(low) && is_number(high));
}
