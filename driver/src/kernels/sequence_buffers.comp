// Writes the places of the attributes of generated draws, one thread for each sequence: addresses, with the stride in the bits above
// those of addresses, and the numbers of the last elements.
layout(push_constant) uniform Parameters {
    uvec2 zeros;        // address of zeros, for attributes outside their buffer
    uint most;
    uint stride;        // words from the values of a sequence to those of the next
} p;
layout(set = 0, binding = 0) readonly buffer Values { uint values[]; };
layout(set = 0, binding = 1) readonly buffer Count { uint count[]; };
// For each location: the word of the sequence with its buffer, all ones if commands have set it; offset and bytes of an element; the
// address and the last element that commands have set.
layout(set = 0, binding = 2) readonly buffer Known { uint known[]; };
layout(set = 0, binding = 3) writeonly buffer To { uint place[]; };

void main() {
    uint id = gl_GlobalInvocationID.x;
    if (id >= min(count[0], p.most)) { return; }
    uint first = 96u * id;
    for (uint location = 0u; location < 32u; location++) {
        uint from = 6u * location;
        uint low = known[from + 3u];
        uint high = known[from + 4u];
        uint last = known[from + 5u];
        if (known[from] != 0xffffffffu) {
            uint given = id * p.stride + known[from];
            uint offset = known[from + 1u];
            uint needed = offset + known[from + 2u];
            uint size = values[given + 2u];
            uint step = values[given + 3u];
            low = p.zeros.x;
            high = p.zeros.y;
            last = 0u;
            // No buffer has the address 0.
            if (size >= needed && (values[given] | values[given + 1u]) != 0u) {
                low = values[given] + offset;
                high = ((values[given + 1u] + (low < offset ? 1u : 0u)) & 0xffu) | (step << 8u);
                last = 0xffffffffu;
                if (step != 0u) { last = (size - needed) / step; }
            }
        }
        place[first + 2u * location] = low;
        place[first + 2u * location + 1u] = high;
        place[first + 64u + location] = last;
    }
}
