// What the programs that build and copy acceleration structures share: memory by address, and the layout of structures
// (`agx_abi::acceleration`) and of the scratch memory of builds.
//
// Scratch memory: the bounds of all boxes' centres as six ordered words, 64 bytes; a box of 32 bytes for each leaf; the records of the
// leaves in the order of the application; pairs of a key and a leaf.

#include "../memory.glsl"

const uint HEADER = 64u;
const uint NODE = 32u;
const uint INNER = 0xffffffffu;
const uint INSTANCES = 2u;
const uint INSTANCE_WORDS = 32u;
const uint STRUCTURE_WORD = 24u;
// A coordinate of the boxes of leaves that are never hit: infinity.
#define NONE uintBitsToFloat(0x7f800000u)

float number(uint64_t address, uint index) {
    return uintBitsToFloat(Words(address).words[index]);
}

void put(uint64_t address, uint index, uint value) {
    Words(address).words[index] = value;
}

void put3(uint64_t address, uint index, vec3 value) {
    Words at = Words(address);
    at.words[index] = floatBitsToUint(value.x);
    at.words[index + 1u] = floatBitsToUint(value.y);
    at.words[index + 2u] = floatBitsToUint(value.z);
}

vec3 get3(uint64_t address, uint index) {
    Words at = Words(address);
    return uintBitsToFloat(uvec3(at.words[index], at.words[index + 1u], at.words[index + 2u]));
}

// A word whose order as an unsigned integer is that of the float.
uint ordered(float value) {
    uint bits = floatBitsToUint(value);
    return (bits & 0x80000000u) != 0u ? ~bits : bits | 0x80000000u;
}

float unordered(uint bits) {
    return uintBitsToFloat((bits & 0x80000000u) != 0u ? bits & 0x7fffffffu : ~bits);
}

uint64_t box_of(uint64_t scratch, uint leaf) {
    return scratch + 64ul + uint64_t(leaf) * 32ul;
}

uint64_t record_of(uint64_t scratch, uint leaves, uint leaf, uint bytes) {
    return scratch + 64ul + uint64_t(leaves) * 32ul + uint64_t(leaf) * uint64_t(bytes);
}

uint64_t node_of(uint64_t structure, uint node) {
    return structure + uint64_t(HEADER) + uint64_t(node) * uint64_t(NODE);
}

uint64_t leaf_of(uint64_t structure, uint leaves, uint leaf, uint bytes) {
    return node_of(structure, 2u * leaves - 1u) + uint64_t(leaf) * uint64_t(bytes);
}

// Writes the box of a leaf and adds its centre to the bounds. A leaf without a box is never hit.
void put_box(uint64_t scratch, uint leaf, vec3 low, vec3 high, bool is_active) {
    uint64_t box = box_of(scratch, leaf);
    put3(box, 0u, is_active ? low : vec3(NONE));
    put3(box, 4u, is_active ? high : vec3(NONE));
    if (!is_active) { return; }
    vec3 centre = low * 0.5 + high * 0.5;
    Words bounds = Words(scratch);
    for (uint axis = 0u; axis < 3u; axis++) {
        uint key = ordered(centre[axis]);
        atomicMin(bounds.words[axis], key);
        atomicMax(bounds.words[axis + 3u], key);
    }
}

bool is_number(vec3 value) {
    return !(isnan(value.x) || isnan(value.y) || isnan(value.z));
}
