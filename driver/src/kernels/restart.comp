// Decomposes primitives with restart indices or adjacent vertices: writes the indices of each primitive, and the parameters of a draw
// of them, followed by the number of vertices without restarts. One thread.
layout(push_constant) uniform Parameters {
    uint shift;         // logarithm of the bytes per index
    uint skew;          // offset of the first index in the first word
    uint elements;      // indices in the buffer; 0 for a draw without indices
    uint most;          // maximum number of indices to write
    uint kind;          // 0 lists, 1 strips, 2 fans, 3 strips of triangles with adjacency
    uint last;          // whether the last vertex is the provoking vertex
    uint corners;       // vertices per primitive
    uint base;          // so many vertices of a run begin no primitive
    uint step;          // further vertices per primitive
    uint kept;          // corners to write, bit 0 the first
    uint restarts;      // whether the highest index ends a run
} p;
layout(set = 0, binding = 0) readonly buffer Numbers { uint numbers[]; };
layout(set = 0, binding = 1) readonly buffer Indices { uint indices[]; };
layout(set = 0, binding = 2) writeonly buffer List { uint list[]; };
layout(set = 0, binding = 3) writeonly buffer Draw { uint draw[]; };

uint mask() {
    if (p.shift == 0u) { return 0xffu; }
    return p.shift == 1u ? 0xffffu : 0xffffffffu;
}

// Indices outside the buffer are zero; without indices, vertices are numbered.
uint index_at(uint at) {
    if (p.elements == 0u) { return at; }
    if (at >= p.elements) { return 0u; }
    uint byte = p.skew + (at << p.shift);
    return (indices[byte >> 2u] >> ((byte & 3u) * 8u)) & mask();
}

// The tables of `vertex_prolog.rs` in the compiler.
uint adjacent(uint primitive, uint corner, bool is_last) {
    uint odd = p.last != 0u ? 0x865204u : 0x048652u;
    uint table = (primitive & 1u) != 0u ? odd : 0x568402u;
    uint place = (table >> (4u * corner)) & 15u;
    if (place == 0u && primitive == 0u) { place = 3u; }
    if (place == 8u && is_last) { place = 7u; }
    return 2u * primitive + place - 2u;
}

// The position in its run of a primitive's vertex.
uint place(uint primitive, uint corner, bool is_last) {
    if (p.kind == 3u) { return adjacent(primitive, corner, is_last); }
    if (p.kind == 2u) {
        uint centre = p.last != 0u ? 0u : 2u;
        if (corner == centre) { return 0u; }
        return primitive + corner + (p.last != 0u ? 0u : 1u);
    }
    if (p.kind == 1u && p.corners == 3u && (primitive & 1u) != 0u) {
        // Swap two vertices of every other triangle, so that all have the same orientation.
        uint other = p.last != 0u ? 0u : 2u;
        if (corner == 1u) { corner = other; } else if (corner == other) { corner = 1u; }
    }
    return primitive * p.step + corner;
}

void main() {
    uint first = numbers[2];
    uint total = numbers[0];
    uint kept = uint(bitCount(p.kept));
    uint start = 0u;
    uint count = 0u;
    uint vertices = total;
    for (uint number = 0u; number <= total; number++) {
        bool ends = number == total;
        if (!ends && p.restarts != 0u) { ends = index_at(first + number) == mask(); }
        if (!ends) { continue; }
        if (number != total) { vertices--; }
        uint length = number - start;
        uint primitives = (length - min(length, p.base)) / p.step;
        for (uint primitive = 0u; primitive < primitives && count + kept <= p.most; primitive++) {
            for (uint corner = 0u; corner < p.corners; corner++) {
                if ((p.kept >> corner & 1u) == 0u) { continue; }
                list[count++] = index_at(first + start + place(primitive, corner, primitive + 1u == primitives));
            }
        }
        start = number + 1u;
    }
    draw[0] = count;
    draw[1] = numbers[1];
    draw[2] = 0u;
    draw[3] = p.elements == 0u ? 0u : numbers[3];
    draw[4] = p.elements == 0u ? numbers[3] : numbers[4];
    draw[5] = vertices;
}
