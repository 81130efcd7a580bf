// Captures and counts the primitives that a geometry shader emitted to a stream, in order. One thread. A primitive is captured completely or not at
// all; after one that is not, no others are.
layout(push_constant) uniform Parameters {
    uvec4 strides;      // bytes per vertex in each buffer, 0 for unused buffers
    uvec4 sizes;        // sizes of the buffers in bytes
    uint corners;       // vertices per primitive
    uint captures;      // captured words of a vertex
    uint words;         // words of a vertex in memory
    uint stream;        // bits 0 and 1: the stream; bit 2: whether it is drawn; from bit 3: one more than the word of a vertex that
                        // names the stream of its primitive, before its corners, or 0 if there is only one stream
    uint places;        // primitives that an invocation may complete
} p;
layout(set = 0, binding = 0) readonly buffer Numbers { uint numbers[]; };
layout(set = 0, binding = 1) readonly buffer Memory { uint memory[]; };
layout(set = 0, binding = 2) readonly buffer Captures { uvec4 list[]; };    // buffer, byte, slot, mask
layout(set = 0, binding = 3) buffer Offsets { uint offsets[]; };
layout(set = 0, binding = 4) buffer Captured { uint captured[]; };
layout(set = 0, binding = 5) buffer Drawn { uint drawn[]; };
layout(set = 0, binding = 6) writeonly buffer To0 { uint to0[]; };
layout(set = 0, binding = 7) writeonly buffer To1 { uint to1[]; };
layout(set = 0, binding = 8) writeonly buffer To2 { uint to2[]; };
layout(set = 0, binding = 9) writeonly buffer To3 { uint to3[]; };
layout(set = 0, binding = 10) buffer Statistics { uint statistics[]; };

uint room(uint stride, uint size, uint offset) {
    return stride == 0u ? 1u : (size - min(size, offset)) / (p.corners * stride);
}

void store(uint number, uint byte, uint word) {
    uint at = byte >> 2u;
    if (number == 0u) { to0[at] = word; }
    if (number == 1u) { to1[at] = word; }
    if (number == 2u) { to2[at] = word; }
    if (number == 3u) { to3[at] = word; }
}

void main() {
    uint total = numbers[0];
    uint first = numbers[2];
    uint vertices = numbers[5];
    uvec4 at = uvec4(offsets[0], offsets[1], offsets[2], offsets[3]);
    uint emitted = 0u;
    uint written = 0u;
    for (uint index = first; index < first + total; index += p.corners) {
        // The indices are those of the drawn stream. With several streams, the vertex that completes a primitive has its corners.
        uint corners = index;
        uint last = 0u;
        bool is_point = false;
        if (p.stream < 8u) {
            if (memory[index] == 0xffffffffu) { continue; }
        } else {
            uint place = (index - first) / p.corners;
            last = place + (place / p.places + 1u) * (p.corners - 1u);
            corners = vertices + last * p.words + (p.stream >> 3u);
            if (memory[corners - 1u] != (p.stream & 3u)) { continue; }
            is_point = p.corners == 1u;
        }
        emitted++;
        uint rooms = min(min(room(p.strides.x, p.sizes.x, at.x), room(p.strides.y, p.sizes.y, at.y)),
                         min(room(p.strides.z, p.sizes.z, at.z), room(p.strides.w, p.sizes.w, at.w)));
        if (rooms == 0u || written + 1u < emitted) { continue; }
        written++;
        for (uint corner = 0u; corner < p.corners; corner++) {
            uint vertex = vertices + (is_point ? last : memory[corners + corner]) * p.words;
            for (uint number = 0u; number < p.captures; number++) {
                uvec4 capture = list[number];
                store(capture.x, at[capture.x] + capture.y, memory[vertex + capture.z] & capture.w);
            }
            at += p.strides;
        }
    }
    offsets[0] = at.x;
    offsets[1] = at.y;
    offsets[2] = at.z;
    offsets[3] = at.w;
    uvec2 captured_before = uvec2(captured[0], captured[2]);
    captured[0] = captured_before.x + written;
    captured[2] = captured_before.y + emitted;
    captured[1] += captured_before.x + written < written ? 1u : 0u;
    captured[3] += captured_before.y + emitted < emitted ? 1u : 0u;
    uint before = drawn[0];
    drawn[0] = before + emitted;
    drawn[1] += before + emitted < emitted ? 1u : 0u;
    // Primitives of the geometry shader, and those that enter and leave clipping.
    uint end = (p.stream & 4u) != 0u ? 14u : 10u;
    for (uint word = 8u; word < end; word += 2u) {
        uint sum = statistics[word] + emitted;
        statistics[word] = sum;
        statistics[word + 1u] += sum < emitted ? 1u : 0u;
    }
}
