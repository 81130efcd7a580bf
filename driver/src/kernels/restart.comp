// Decomposes strips and fans with restart indices: writes the indices of each primitive, and the parameters of a draw of them.
// One thread.
layout(push_constant) uniform Parameters {
    uint shift;         // logarithm of the bytes per index
    uint skew;          // offset of the first index in the first word
    uint elements;      // indices in the buffer
    uint most;          // maximum number of indices to write
    uint shape;         // 0 strips of lines, 1 strips of triangles, 2 fans; 3, 4, 5: lists of points, lines, triangles
    uint last;          // whether the last vertex is the provoking vertex
} p;
layout(set = 0, binding = 0) readonly buffer Numbers { uint numbers[]; };
layout(set = 0, binding = 1) readonly buffer Indices { uint indices[]; };
layout(set = 0, binding = 2) writeonly buffer List { uint list[]; };
layout(set = 0, binding = 3) writeonly buffer Draw { uint draw[]; };

void main() {
    uint first = numbers[2];
    uint total = numbers[0];
    uint mask = 0xffffffffu;
    if (p.shift == 0u) { mask = 0xffu; }
    if (p.shift == 1u) { mask = 0xffffu; }
    uint centre = 0u;
    uint older = 0u;
    uint newer = 0u;
    uint length = 0u;
    uint count = 0u;
    for (uint number = 0u; number < total && count < p.most; number++) {
        // Indices outside the buffer are zero.
        uint at = first + number;
        uint index = 0u;
        if (at < p.elements) {
            uint byte = p.skew + (at << p.shift);
            index = (indices[byte >> 2u] >> ((byte & 3u) * 8u)) & mask;
        }
        if (index == mask) {
            length = 0u;
            continue;
        }
        if (length == 0u) { centre = index; }
        if (p.shape >= 3u) {
            uint corners = p.shape - 2u;
            if ((length + 1u) % corners == 0u && count + corners <= p.most) {
                if (corners == 3u) { list[count] = older; }
                if (corners >= 2u) { list[count + corners - 2u] = newer; }
                list[count + corners - 1u] = index;
                count += corners;
            }
        } else if (p.shape == 0u) {
            if (length >= 1u && count + 2u <= p.most) {
                list[count] = newer;
                list[count + 1u] = index;
                count += 2u;
            }
        } else if (length >= 2u && count + 3u <= p.most) {
            uint a = older;
            uint b = newer;
            uint c = index;
            if (p.shape == 2u) {
                a = newer;
                b = index;
                c = centre;
                if (p.last != 0u) { a = centre; b = newer; c = index; }
            } else if ((length & 1u) != 0u) {
                // Swap two vertices of every other triangle, so that all have the same orientation.
                if (p.last != 0u) { a = newer; b = older; } else { b = index; c = newer; }
            }
            list[count] = a;
            list[count + 1u] = b;
            list[count + 2u] = c;
            count += 3u;
        }
        older = newer;
        newer = index;
        length++;
    }
    draw[0] = count;
    draw[1] = numbers[1];
    draw[2] = 0u;
    draw[3] = numbers[3];
    draw[4] = numbers[4];
}
