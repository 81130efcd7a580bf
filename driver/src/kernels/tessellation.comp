// Prepares the launches of a tessellated draw up to the description of its patches: sizes, and places in memory. One thread. If there is not
// enough memory, instances are omitted, or patches of the first one.
layout(push_constant) uniform Parameters {
    uvec2 indices;          // address of the indices
    uint elements;          // number of indices in their buffer
    uint index_shift;       // logarithm of the bytes per index
    uvec2 memory;           // address of the memory
    uint memory_bytes;
    uint is_fresh;          // whether nothing of it is in use
    uint vertices;          // vertices per patch
    uint control_vertices;  // output vertices of the control shader per patch
    uint workgroup;         // threads per workgroup of the control shader
    uint vertex_bytes;      // bytes of the vertices of a patch
    uint record_bytes;      // bytes of the record of a patch
} p;
layout(set = 0, binding = 0) readonly buffer Numbers { uint numbers[]; };
layout(set = 0, binding = 1) buffer Used { uint used[]; };
layout(set = 0, binding = 2) writeonly buffer Launches { uint launches[]; };

const uint DESCRIPTION_BYTES = 32u;

void place(uint at, uint offset) {
    uint sum = p.memory.x + offset;
    launches[at] = sum;
    launches[at + 1u] = p.memory.y + (sum < offset ? 1u : 0u);
}

// Threads, then threads per workgroup, and what the shader gets.
void launch(uint at, uint threads, uint instances, uint workgroup) {
    launches[at] = threads;
    launches[at + 1u] = instances;
    launches[at + 2u] = 1u;
    launches[at + 3u] = workgroup;
    launches[at + 4u] = 1u;
    launches[at + 5u] = 1u;
    launches[at + 6u] = threads;
}

void main() {
    uint first = numbers[2];
    uint start = p.is_fresh != 0u ? 0u : min((used[0] + 15u) & ~15u, p.memory_bytes);
    uint room = (p.memory_bytes - start) / (p.vertex_bytes + p.record_bytes + DESCRIPTION_BYTES);
    uint patches = min(numbers[0] / p.vertices, room);
    uint instances = patches == 0u ? 0u : min(numbers[1], room / patches);
    uint all = patches * instances;
    uint records = start + all * p.vertex_bytes;
    uint descriptions = records + all * p.record_bytes;
    used[0] = descriptions + all * DESCRIPTION_BYTES;
    launch(0u, patches * p.vertices, instances, 64u);
    launch(32u, patches * p.control_vertices, instances, p.workgroup);
    launch(72u, all, 1u, 64u);
    uint address = p.indices.x + (first << p.index_shift);
    launches[16] = address;
    launches[17] = p.indices.y + (address < p.indices.x ? 1u : 0u);
    launches[18] = p.elements - min(p.elements, first);
    launches[19] = patches;
    place(24u, start);
    place(56u, start);
    place(64u, records);
    launches[68] = p.vertices;
    launches[104] = all;
    launches[105] = records >> 2u;
    launches[106] = descriptions >> 2u;
}
