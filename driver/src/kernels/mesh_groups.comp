// Prepares the launch of the workgroups of a draw: of its task shader, or of its mesh shader if there is no other. One thread.
layout(set = 0, binding = 2) readonly buffer Numbers { uint numbers[]; };

// The launch of task workgroups. Their memory begins with the table of the mesh workgroups.
void tasks(uint wanted) {
    uint start = p.is_fresh != 0u ? 0u : used[0];
    uint groups = with_room(start, wanted);
    uint records = start + 16u + 16u * groups;
    used[0] = records + groups * p.task_bytes;
    launch(TASK, groups);
    place(TASK + 8u, p.list, 4u * TABLE);
    place(TASK + 10u, p.memory, records);
    place(MESH + 8u, p.memory, start);
    place(MESH + 10u, p.memory, records);
    launches[COUNTS] = groups;
    launches[COUNTS + 1u] = p.size.x * p.size.y * p.size.z;
}

void main() {
    uint total = product(numbers[0], product(numbers[1], numbers[2]));
    uint wanted = min(total - min(total, p.first), p.most);
    launches[TABLE] = 1u;
    launches[TABLE + 1u] = p.first;
    launches[TABLE + 2u] = p.task_bytes;
    launches[TABLE + 3u] = p.draw;
    launches[TABLE + 4u] = 0u;
    launches[TABLE + 5u] = numbers[0];
    launches[TABLE + 6u] = numbers[1];
    launches[TABLE + 7u] = numbers[2];
    if (p.task_bytes != 0u) {
        tasks(wanted);
    } else {
        place(MESH + 8u, p.list, 4u * TABLE);
        place(MESH + 10u, p.list, 4u * TABLE);
        meshes(wanted);
    }
}
