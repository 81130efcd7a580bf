#version 460
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"

// Writes the records and boxes of instances (`VkAccelerationStructureInstanceKHR`).
layout(push_constant) uniform Parameters {
    uint64_t data;
    uint64_t scratch;
    // Whether the data are addresses of instances.
    uint has_addresses;
    // The number of the first leaf, and that of the first instance of the launch.
    uint first;
    uint start;
    uint leaves;
} p;

// The part of a float that rounding may lose.
const float MARGIN = 0.000001;

void put_rows(uint64_t record, uint at, vec3 x, vec3 y, vec3 z, vec3 constant) {
    put3(record, at, x);
    put(record, at + 3u, floatBitsToUint(constant.x));
    put3(record, at + 4u, y);
    put(record, at + 7u, floatBitsToUint(constant.y));
    put3(record, at + 8u, z);
    put(record, at + 11u, floatBitsToUint(constant.z));
}

void main() {
    uint instance = p.start + gl_GlobalInvocationID.x;
    uint leaf = p.first + instance;
    uint64_t at = p.data + uint64_t(instance) * 64ul;
    if (p.has_addresses != 0u) {
        uint64_t place = p.data + uint64_t(instance) * 8ul;
        at = uint64_t(word(place, 0u)) | uint64_t(word(place, 1u)) << 32ul;
    }
    vec3 x = get3(at, 0u);
    vec3 y = get3(at, 4u);
    vec3 z = get3(at, 8u);
    vec3 moved = vec3(number(at, 3u), number(at, 7u), number(at, 11u));
    vec3 yz = cross(y, z);
    vec3 zx = cross(z, x);
    vec3 xy = cross(x, y);
    float scale = 1.0 / dot(x, yz);
    // The columns of the inverse are the vector products of the rows.
    vec3 to_x = vec3(yz.x, zx.x, xy.x) * scale;
    vec3 to_y = vec3(yz.y, zx.y, xy.y) * scale;
    vec3 to_z = vec3(yz.z, zx.z, xy.z) * scale;
    vec3 back = -vec3(dot(to_x, moved), dot(to_y, moved), dot(to_z, moved));
    uint64_t record = record_of(p.scratch, p.leaves, leaf, 128u);
    put_rows(record, 0u, to_x, to_y, to_z, back);
    put_rows(record, 12u, x, y, z, moved);
    uint low_word = word(at, 14u);
    uint high_word = word(at, 15u);
    put(record, STRUCTURE_WORD, low_word);
    put(record, STRUCTURE_WORD + 1u, high_word);
    put(record, 26u, word(at, 12u));
    put(record, 27u, word(at, 13u));
    put(record, 28u, instance);
    for (uint rest = 29u; rest < INSTANCE_WORDS; rest++) { put(record, rest, 0u); }
    uint64_t structure = uint64_t(low_word) | uint64_t(high_word) << 32ul;
    bool is_active = structure != 0ul && is_number(moved);
    vec3 low = vec3(0.0);
    vec3 high = vec3(0.0);
    if (is_active) {
        uint64_t root = node_of(structure, 0u);
        low = get3(root, 0u);
        high = get3(root, 4u);
        is_active = word(structure, 0u) != 0u && low.x != NONE;
    }
    vec3 centre = low * 0.5 + high * 0.5;
    vec3 reach = high * 0.5 - low * 0.5;
    vec3 middle = vec3(dot(x, centre), dot(y, centre), dot(z, centre)) + moved;
    vec3 around = vec3(dot(abs(x), reach), dot(abs(y), reach), dot(abs(z), reach));
    around += MARGIN * (abs(middle) + around + abs(moved));
    put_box(p.scratch, leaf, middle - around, middle + around, is_active);
}
