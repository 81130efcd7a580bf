#version 460
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"

// Writes the records and boxes of the triangles of a geometry.
layout(push_constant) uniform Parameters {
    uint64_t vertices;
    // 0 without indices.
    uint64_t indices;
    // The address of a matrix of 3 × 4 floats; 0 for none.
    uint64_t transform;
    uint64_t scratch;
    // Bytes between vertices, and their format: 0 for floats, 1 for halves, 2 for signed normalised numbers of 16 bits; 4 is added for
    // vertices of two components.
    uint stride;
    uint format;
    // Bytes of an index.
    uint index_bytes;
    // The number of the first leaf, and that of the first triangle of the launch.
    uint first;
    uint start;
    // The word of the geometry.
    uint geometry;
    uint leaves;
} p;

uint vertex_number(uint corner) {
    if (p.index_bytes == 4u) { return word(p.indices, corner); }
    if (p.index_bytes == 2u) { return uint(Halves(p.indices).halves[corner]); }
    if (p.index_bytes == 1u) { return uint(Bytes(p.indices).bytes[corner]); }
    return corner;
}

float component(uint64_t vertex, uint index) {
    if ((p.format & 3u) == 0u) { return number(vertex, index); }
    uint bits = uint(Halves(vertex).halves[index]);
    if ((p.format & 3u) == 1u) { return unpackHalf2x16(bits).x; }
    return unpackSnorm2x16(bits).x;
}

vec3 place(uint number_of_vertex) {
    uint64_t vertex = p.vertices + uint64_t(number_of_vertex) * uint64_t(p.stride);
    float z = 0.0;
    if ((p.format & 4u) == 0u) { z = component(vertex, 2u); }
    vec3 at = vec3(component(vertex, 0u), component(vertex, 1u), z);
    if (p.transform == 0ul) { return at; }
    vec3 moved;
    for (uint row = 0u; row < 3u; row++) {
        moved[row] = dot(get3(p.transform, 4u * row), at) + number(p.transform, 4u * row + 3u);
    }
    return moved;
}

void main() {
    uint triangle = p.start + gl_GlobalInvocationID.x;
    uint leaf = p.first + triangle;
    vec3 a = place(vertex_number(3u * triangle));
    vec3 b = place(vertex_number(3u * triangle + 1u));
    vec3 c = place(vertex_number(3u * triangle + 2u));
    uint64_t record = record_of(p.scratch, p.leaves, leaf, 48u);
    put3(record, 0u, a);
    put(record, 3u, p.geometry);
    put3(record, 4u, b);
    put(record, 7u, triangle);
    put3(record, 8u, c);
    put(record, 11u, 0u);
    bool is_active = is_number(a) && is_number(b) && is_number(c);
    put_box(p.scratch, leaf, min(a, min(b, c)), max(a, max(b, c)), is_active);
}
