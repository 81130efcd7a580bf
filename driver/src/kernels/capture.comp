// Prepares a launch that captures the vertices of a draw: the number of vertices, the number of them that fit into the buffers, and
// their addresses. One thread. A primitive is captured completely or not at all; after one that is not, no others are.
layout(push_constant) uniform Parameters {
    uvec4 strides;      // bytes per vertex in each buffer, 0 for unused buffers
    uvec4 sizes;        // sizes of the buffers in bytes
    uvec4 low;          // their addresses
    uvec4 high;
    uvec2 indices;      // address of the indices
    uint elements;      // number of indices in their buffer
    uint index_shift;   // logarithm of the bytes per index
    uint corners;       // vertices per primitive
    uint base;          // so many vertices begin no primitive
    uint step;          // further vertices per primitive
} p;
layout(set = 0, binding = 0) readonly buffer Numbers { uint numbers[]; };
layout(set = 0, binding = 1) buffer Offsets { uint offsets[]; };
layout(set = 0, binding = 2) writeonly buffer Launch { uint record[]; };
layout(set = 0, binding = 3) buffer Query { uint results[]; };

uint with_room(uint most, uint stride, uint size, uint offset) {
    if (stride == 0u) { return most; }
    uint left = size - min(size, offset);
    return min(most, left / (stride * p.corners));
}

void add(uint word, uint number) {
    uint before = results[word];
    uint sum = before + number;
    results[word] = sum;
    if (sum < before) { results[word + 1u] = results[word + 1u] + 1u; }
}

void place(uint at, uint low, uint high, uint offset) {
    uint sum = low + offset;
    record[at] = sum;
    record[at + 1u] = high + (sum < low ? 1u : 0u);
}

void main() {
    uint count = numbers[0];
    uint instances = numbers[1];
    uint first = numbers[2];
    uint primitives = (count - min(count, p.base)) / p.step;
    uvec4 at = uvec4(offsets[0], offsets[1], offsets[2], offsets[3]);
    uint needed = primitives * instances;
    uint written = with_room(needed, p.strides.x, p.sizes.x, at.x);
    written = with_room(written, p.strides.y, p.sizes.y, at.y);
    written = with_room(written, p.strides.z, p.sizes.z, at.z);
    written = with_room(written, p.strides.w, p.sizes.w, at.w);
    uint vertices = written * p.corners;
    // Threads, then threads per workgroup. Instances that do not fit at all are omitted.
    record[0] = primitives * p.corners;
    record[1] = primitives == 0u ? 0u : (written + primitives - 1u) / primitives;
    record[2] = 1u;
    record[3] = 64u;
    record[4] = 1u;
    record[5] = 1u;
    record[6] = primitives * p.corners;
    record[7] = vertices;
    place(8u, p.low.x, p.high.x, at.x);
    place(10u, p.low.y, p.high.y, at.y);
    place(12u, p.low.z, p.high.z, at.z);
    place(14u, p.low.w, p.high.w, at.w);
    place(16u, p.indices.x, p.indices.y, first << p.index_shift);
    record[18] = p.elements - min(p.elements, first);
    record[19] = primitives;
    offsets[0] = at.x + vertices * p.strides.x;
    offsets[1] = at.y + vertices * p.strides.y;
    offsets[2] = at.z + vertices * p.strides.z;
    offsets[3] = at.w + vertices * p.strides.w;
    add(0u, written);
    add(2u, needed);
}
