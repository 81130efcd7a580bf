// Prepares the launches of a draw with a geometry shader, and the draw of what it emits: sizes, and places in memory. One thread. If
// there is not enough memory, instances are omitted, or primitives of the first one.
layout(push_constant) uniform Parameters {
    uvec2 indices;      // address of the indices
    uint elements;      // number of indices in their buffer
    uint index_shift;   // logarithm of the bytes per index
    uvec2 memory;       // address of the memory
    uint memory_bytes;
    uint is_fresh;      // whether nothing of it is in use
    uint corners;       // vertices per primitive
    uint base;          // so many vertices begin no primitive
    uint step;          // further vertices per primitive
    uint invocations;   // invocations per primitive
    uint input_bytes;   // bytes of the input of a primitive
    uint output_bytes;  // bytes of the vertices that a primitive may emit
    uint index_count;   // number of their indices
} p;
layout(set = 0, binding = 0) readonly buffer Numbers { uint numbers[]; };
layout(set = 0, binding = 1) buffer Used { uint used[]; };
layout(set = 0, binding = 2) writeonly buffer Launches { uint record[]; };

void place(uint at, uint offset) {
    uint sum = p.memory.x + offset;
    record[at] = sum;
    record[at + 1u] = p.memory.y + (sum < offset ? 1u : 0u);
}

// Threads, then threads per workgroup.
void launch(uint at, uint threads, uint instances) {
    record[at] = threads;
    record[at + 1u] = instances;
    record[at + 2u] = 1u;
    record[at + 3u] = 64u;
    record[at + 4u] = 1u;
    record[at + 5u] = 1u;
    record[at + 6u] = threads;
}

void main() {
    uint count = numbers[0];
    uint first = numbers[2];
    uint start = p.is_fresh != 0u ? 0u : used[0];
    uint room = (p.memory_bytes - min(start, p.memory_bytes)) / (p.input_bytes + p.output_bytes + 4u * p.index_count);
    uint primitives = min((count - min(count, p.base)) / p.step, room);
    uint instances = primitives == 0u ? 0u : min(numbers[1], room / primitives);
    uint all = primitives * instances;
    uint vertices = start + all * p.input_bytes;
    uint indices = vertices + all * p.output_bytes;
    used[0] = indices + 4u * all * p.index_count;
    launch(0u, primitives * p.corners, instances);
    launch(32u, primitives * p.invocations, instances);
    for (uint at = 0u; at < 64u; at += 32u) {
        uint address = p.indices.x + (first << p.index_shift);
        record[at + 16u] = address;
        record[at + 17u] = p.indices.y + (address < p.indices.x ? 1u : 0u);
        record[at + 18u] = p.elements - min(p.elements, first);
        record[at + 19u] = primitives;
        place(at + 24u, start);
        place(at + 26u, vertices);
        place(at + 28u, indices);
    }
    // A draw with indices, and where its vertices are.
    record[64] = all * p.index_count;
    record[65] = 1u;
    record[66] = indices >> 2u;
    record[67] = 0u;
    record[68] = 0u;
    record[69] = vertices >> 2u;
}
