// Counts the primitives of meshes: for a query, and those that enter and leave clipping. One thread.
layout(push_constant) uniform Parameters { uint corners; } p;
layout(set = 0, binding = 2) readonly buffer Memory { uint memory[]; };
layout(set = 0, binding = 3) buffer Query { uint query[]; };

void main() {
    uint first = numbers[2];
    uint emitted = 0u;
    for (uint index = first; index < first + numbers[0]; index += p.corners) {
        if (memory[index] != 0xffffffffu) { emitted++; }
    }
    uint low = query[0] + emitted;
    query[0] = low;
    query[1] += low < emitted ? 1u : 0u;
    add(5u, uvec2(emitted, 0u));
    add(6u, uvec2(emitted, 0u));
}
