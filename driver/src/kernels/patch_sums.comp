// Places the points and indices of a batch of tessellated patches in the room, in the order of patches, and prepares the launches that write
// them and the draw. Patches beyond the end of the room are omitted. One workgroup of 32 threads, each with successive patches.

const uint THREADS = 32u;

layout(set = 0, binding = 3) buffer Used { uint used[]; };

// Points and primitives of each thread, and the end of its patches: of all its patches, then of those that have room.
shared uvec3 sums[32];

const uint MOST = 0x10000000u;

// Words for points and indices.
uint words(uint points, uint primitives) {
    return 3u * points + p.corners * primitives;
}

void launch(uint at, uint threads) {
    launches[at] = threads;
    launches[at + 1u] = 1u;
    launches[at + 2u] = 1u;
    launches[at + 3u] = 64u;
    launches[at + 4u] = 1u;
    launches[at + 5u] = 1u;
}

void finish(uint start, uvec3 total) {
    used[0] = 4u * (start + words(total.x, total.y));
    uint indices = start + 3u * total.x;
    uint low = p.room_address.x + 4u * start;
    launches[POINTS_ADDRESS] = low;
    launches[POINTS_ADDRESS + 1u] = p.room_address.y + (low < p.room_address.x ? 1u : 0u);
    launches[POINTS] = start;
    launches[INDICES] = indices;
    launches[KEPT] = total.z;
    launch(POINTS_LAUNCH, total.x);
    launch(PRIMITIVES_LAUNCH, p.corners == 1u ? 0u : total.y);
    launches[DRAW] = p.corners * total.y;
    launches[DRAW + 1u] = 1u;
    launches[DRAW + 2u] = indices;
    launches[DRAW + 3u] = 0u;
    launches[DRAW + 4u] = 0u;
}

void main() {
    uint thread = gl_GlobalInvocationID.x;
    uint batch = min(p.first_patch, launches[PATCHES]);
    uint batch_end = batch + min(launches[PATCHES] - batch, p.most_patches);
    uint each = (batch_end - batch + THREADS - 1u) / THREADS;
    uint first = min(batch + thread * each, batch_end);
    uint end = min(first + each, batch_end);
    uvec2 sum = uvec2(0u, 0u);
    for (uint number = first; number < end; number++) {
        uint patch_word = description(number);
        sum.x = min(sum.x + patches[patch_word + POINT_COUNT], MOST);
        sum.y = min(sum.y + patches[patch_word + PRIMITIVE_COUNT], MOST);
    }
    sums[thread] = uvec3(sum, 0u);
    barrier();
    uvec3 before = uvec3(0u, 0u, 0u);
    for (uint other = 0u; other < thread; other++) { before = min(before + sums[other], uvec3(MOST)); }
    barrier();
    uint start = (used[0] + 15u) >> 4u << 2u;
    uint free_words = (p.room_bytes >> 2u) - min(p.room_bytes >> 2u, start);
    uvec3 kept = uvec3(0u, 0u, 0u);
    for (uint number = first; number < end; number++) {
        uint patch_word = description(number);
        uvec2 after = min(before.xy + uvec2(patches[patch_word + POINT_COUNT], patches[patch_word + PRIMITIVE_COUNT]), uvec2(MOST));
        patches[patch_word + POINT_COUNT] = before.x;
        patches[patch_word + PRIMITIVE_COUNT] = before.y;
        if (words(after.x, after.y) <= free_words) { kept = uvec3(after, number + 1u); }
        before.x = after.x;
        before.y = after.y;
    }
    sums[thread] = kept;
    barrier();
    if (thread == 0u) {
        uvec3 total = uvec3(0u, 0u, 0u);
        for (uint other = 0u; other < THREADS; other++) { total = max(total, sums[other]); }
        finish(start, total);
    }
}
