// Workgroups of a draw of meshes: sizes of launches, and places of their results. Words of the launches: a record of the launch of the
// task shader, one of the mesh shader, the parameters of the draw, a table of one entry, and counts for statistics.
const uint TASK = 0u;
const uint MESH = 32u;
const uint DRAW = 64u;
const uint TABLE = 72u;
const uint COUNTS = 80u;

layout(push_constant) uniform Parameters {
    uvec2 memory;        // address of the memory for the results of the workgroups
    uint memory_bytes;
    uint is_fresh;       // whether nothing of it is in use
    uvec2 list;          // address of the launches
    uint first;          // number of the first workgroup
    uint most;           // at most so many workgroups
    uvec3 size;          // threads of a workgroup
    uint group_bytes;    // at most so many bytes of results of a workgroup
    uint task_bytes;     // bytes of the record of a task workgroup, or 0
    uint record_bytes;   // bytes of the outputs of a mesh workgroup
    uint vertex_bytes;   // bytes of the vertices of a mesh workgroup
    uint index_count;    // number of the indices of a mesh workgroup
    uint draw;           // number of the draw
    uint tasks;          // low word of the address of the memory of the task workgroups
} p;
layout(set = 0, binding = 0) buffer Used { uint used[]; };
layout(set = 0, binding = 1) buffer Launches { uint launches[]; };

uint product(uint a, uint b) {
    return a != 0u && b > 0xffffffffu / a ? 0xffffffffu : a * b;
}

// An address in memory.
void place(uint at, uvec2 base, uint offset) {
    uint sum = base.x + offset;
    launches[at] = sum;
    launches[at + 1u] = base.y + (sum < offset ? 1u : 0u);
}

void launch(uint at, uint groups) {
    launches[at] = groups * p.size.x;
    launches[at + 1u] = p.size.y;
    launches[at + 2u] = p.size.z;
    launches[at + 3u] = p.size.x;
    launches[at + 4u] = p.size.y;
    launches[at + 5u] = p.size.z;
}

// The number of workgroups that have room, of those that are wanted.
uint with_room(uint start, uint wanted) {
    return min(wanted, (p.memory_bytes - min(start, p.memory_bytes)) / p.group_bytes);
}

// The launch of mesh workgroups, and the draw of their primitives.
void meshes(uint wanted) {
    uint start = p.is_fresh != 0u ? 0u : used[0];
    uint groups = with_room(start, wanted);
    uint vertices = start + groups * p.record_bytes;
    uint indices = vertices + groups * p.vertex_bytes;
    used[0] = indices + 4u * groups * p.index_count;
    launch(MESH, groups);
    place(MESH + 24u, p.memory, start);
    place(MESH + 26u, p.memory, vertices);
    place(MESH + 28u, p.memory, indices);
    launches[DRAW] = groups * p.index_count;
    launches[DRAW + 1u] = 1u;
    launches[DRAW + 2u] = indices >> 2u;
    launches[DRAW + 3u] = 0u;
    launches[DRAW + 4u] = 0u;
    launches[COUNTS + 2u] = groups;
    launches[COUNTS + 3u] = p.size.x * p.size.y * p.size.z;
}
