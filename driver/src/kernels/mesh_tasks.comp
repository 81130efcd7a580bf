// Prepares the launch of the mesh workgroups that task workgroups emit: writes the table of them. One workgroup of 32 threads, each with
// successive task workgroups.
const uint THREADS = 32u;

// The memory of the table and of the records of task workgroups.
layout(set = 0, binding = 2) buffer Tasks { uint tasks[]; };

shared uint sums[32];

// The sum of two numbers, or the largest.
uint sum(uint a, uint b) {
    return a > 0xffffffffu - b ? 0xffffffffu : a + b;
}

void main() {
    uint thread = gl_LocalInvocationIndex;
    uint count = launches[COUNTS];
    uint table = (launches[MESH + 8u] - p.tasks) >> 2u;
    uint records = (launches[MESH + 10u] - p.tasks) >> 2u;
    uint words = p.task_bytes >> 2u;
    uint each = (count + THREADS - 1u) / THREADS;
    uint first = min(thread * each, count);
    uint end = min(first + each, count);
    uint own = 0u;
    for (uint task = first; task < end; task++) {
        uint record = records + task * words;
        own = sum(own, product(tasks[record], product(tasks[record + 1u], tasks[record + 2u])));
    }
    sums[thread] = own;
    barrier();
    uint before = 0u;
    for (uint other = 0u; other < thread; other++) { before = sum(before, sums[other]); }
    for (uint task = first; task < end; task++) {
        uint record = records + task * words;
        uint entry = table + 4u + 4u * task;
        tasks[entry] = before;
        tasks[entry + 1u] = tasks[record];
        tasks[entry + 2u] = tasks[record + 1u];
        tasks[entry + 3u] = tasks[record + 2u];
        before = sum(before, product(tasks[record], product(tasks[record + 1u], tasks[record + 2u])));
    }
    if (thread == THREADS - 1u) {
        tasks[table] = count;
        tasks[table + 1u] = 0u;
        tasks[table + 2u] = p.task_bytes;
        tasks[table + 3u] = p.draw;
        meshes(before);
    }
}
