// Writes the indices of the lines or triangles of tessellated patches. One thread for each.
//
// Between two rings, each edge has a row of triangles. A corner of such a triangle is twice the number of a point on the outer edge, or twice
// the number of a point on the inner edge plus 1.

// Points of the first half of an edge with this number of segments, as bits: the places where they are on an edge with 64 segments, in the
// order in which segments are divided.
uint points_of_half(uint count) {
    uint halves = count >> 1u;
    if (halves == 0u) { return 0u; }
    uint distance = 32u >> uint(findMSB(halves));
    uint multiples = 1u;
    for (uint shift = 16u; shift >= distance && shift > 0u; shift >>= 1u) { multiples |= multiples << shift; }
    uint more = halves - 32u / distance;
    return multiples | ((multiples << (distance >> 1u)) & ((1u << (more * distance)) - 1u));
}

uint bits_below(uint word, uint end) {
    return uint(bitCount(word & ((1u << end) - 1u)));
}

uvec3 outer_triangle(uint inside, uint outside) {
    return uvec3(2u * outside, 2u * outside + 2u, 2u * inside + 1u);
}

uvec3 inner_triangle(uint inside, uint outside) {
    return uvec3(2u * inside + 1u, 2u * outside, 2u * inside + 3u);
}

// A triangle between the outline and the first ring: the segments of both edges are in the order of the places of their points; the second
// half mirrors the first.
uvec3 between_levels(uint number, uint inner_level, uint outer_level) {
    uint inner = points_of_half(inner_level) & ~1u;
    uint outer = points_of_half(outer_level);
    uint all_inner = uint(bitCount(inner));
    uint all_outer = uint(bitCount(outer));
    uint half_count = all_inner + all_outer;
    uint total = inner_level - 2u + outer_level;
    bool is_mirrored = number >= total - half_count;
    if (number >= half_count && !is_mirrored) {
        bool is_inner = (inner_level & 1u) != 0u && number == half_count;
        if (is_inner) { return inner_triangle(all_inner, all_outer); }
        return uvec3(2u * (all_inner + (inner_level & 1u)) + 1u, 2u * all_outer, 2u * all_outer + 2u);
    }
    uint step_number = is_mirrored ? total - 1u - number : number;
    uint at = 0u;
    for (uint distance = 16u; distance > 0u; distance >>= 1u) {
        uint next = at + distance;
        if (bits_below(inner, next) + bits_below(outer, next) <= step_number) { at = next; }
    }
    uint inside = bits_below(inner, at);
    uint outside = bits_below(outer, at);
    bool has_inner = (inner >> at & 1u) != 0u;
    bool is_inner = has_inner && inside + outside == step_number;
    if (has_inner && !is_inner) { inside++; }
    if (is_mirrored) {
        inside = inner_level - 2u - inside - (is_inner ? 1u : 0u);
        outside = outer_level - outside - (is_inner ? 0u : 1u);
    }
    return is_inner ? inner_triangle(inside, outside) : outer_triangle(inside, outside);
}

// A triangle between two inner rings; the outer edge has two segments more than the inner one.
uvec3 between_rings(uint number, uint inner_count) {
    if (number == 0u) { return outer_triangle(0u, 0u); }
    if (number == 2u * inner_count + 1u) { return outer_triangle(inner_count, inner_count + 1u); }
    uint inside = (number - 1u) >> 1u;
    uint outside = inside + 1u;
    bool is_second = (number & 1u) == 0u;
    if (inside < (inner_count + 1u) >> 1u) {
        return is_second ? uvec3(2u * outside, 2u * outside + 2u, 2u * inside + 3u)
                         : uvec3(2u * outside, 2u * inside + 3u, 2u * inside + 1u);
    }
    return is_second ? uvec3(2u * inside + 1u, 2u * outside + 2u, 2u * inside + 3u)
                     : uvec3(2u * inside + 1u, 2u * outside, 2u * outside + 2u);
}

// A triangle of the row of squares in the last ring of a square with odd levels. The corners are places on the ring.
uvec3 in_row(uint number, uvec4 sizes) {
    bool is_vertical = sizes.z >= sizes.y;
    uint count = max(sizes.y, sizes.z) - 2u * sizes.w;
    uint square = number >> 1u;
    bool is_second = (number & 1u) != 0u;
    // The sides of the row: from corner 0 on for a vertical one, or from corner 1 on, and the opposite one.
    uint near = is_vertical ? square : square + 1u;
    uint far = 2u * count + (is_vertical ? 1u : 2u) - square;
    if (is_vertical && (sizes.z & 1u) != 0u) {
        // The diagonal of the square in the middle has another direction than those of the others.
        if (square != count >> 1u) {
            return is_second ? uvec3(far, near + 1u, far - 1u) : uvec3(near, near + 1u, far);
        }
        return is_second ? uvec3(near, near + 1u, far - 1u) : uvec3(near, far - 1u, far);
    }
    return is_second ? uvec3(far, near + 1u, far - 1u) : uvec3(far, near, near + 1u);
}

// The number of the point at a place on a ring. The last ring may be a line, along which it returns.
uint point_on_ring(uvec4 sizes, uint ring, uint place_number) {
    uint count = perimeter(sizes, ring);
    bool is_line = ring > 0u && min(sizes.y, sizes.z) == 2u * ring;
    if (is_line && place_number > count >> 1u) { return count - place_number; }
    return place_number == count && !is_line ? 0u : place_number;
}

uvec3 in_rings(uint patch_word, uint number) {
    uvec4 sizes = shape(patch_word);
    if (p.domain != TRIANGLES && sizes.y == 1u) { return number == 0u ? uvec3(0u, 1u, 3u) : uvec3(1u, 2u, 3u); }
    uint rest = number;
    uint ring = 1u;
    uint outer_first = 0u;
    while (ring <= sizes.w && rest >= perimeter(sizes, ring) + perimeter(sizes, ring - 1u)) {
        rest -= perimeter(sizes, ring) + perimeter(sizes, ring - 1u);
        outer_first += perimeter(sizes, ring - 1u);
        ring++;
    }
    if (ring > sizes.w) {
        uvec3 places = p.domain == TRIANGLES ? uvec3(0u, 1u, 2u) : in_row(rest, sizes);
        return uvec3(outer_first + point_on_ring(sizes, sizes.w, places.x),
                     outer_first + point_on_ring(sizes, sizes.w, places.y),
                     outer_first + point_on_ring(sizes, sizes.w, places.z));
    }
    uint edge = 0u;
    uint inner = side(patch_word, sizes, ring, edge);
    uint outer = side(patch_word, sizes, ring - 1u, edge);
    uvec2 before = uvec2(0u, 0u);
    while (rest >= inner + outer) {
        rest -= inner + outer;
        before += uvec2(outer, inner);
        edge++;
        inner = side(patch_word, sizes, ring, edge);
        outer = side(patch_word, sizes, ring - 1u, edge);
    }
    uvec3 corners = ring == 1u ? between_levels(rest, inner + 2u, outer) : between_rings(rest, inner);
    uvec3 result = uvec3(0u, 0u, 0u);
    for (uint corner = 0u; corner < 3u; corner++) {
        uint code = corner == 0u ? corners.x : (corner == 1u ? corners.y : corners.z);
        uint at = code >> 1u;
        uint inner_point = outer_first + perimeter(sizes, ring - 1u) + point_on_ring(sizes, ring, before.y + at);
        uint outer_point = outer_first + point_on_ring(sizes, ring - 1u, before.x + at);
        uint point = (code & 1u) != 0u ? inner_point : outer_point;
        if (corner == 0u) { result.x = point; } else if (corner == 1u) { result.y = point; } else { result.z = point; }
    }
    return result;
}

void main() {
    uint id = gl_GlobalInvocationID.x;
    uint patch_word = description(owner(id, PRIMITIVE_COUNT));
    uint first = patches[patch_word + POINT_COUNT];
    uint number = id - patches[patch_word + PRIMITIVE_COUNT];
    uint word = launches[INDICES] + p.corners * id;
    if (p.domain == ISOLINES) {
        uint count = segments(patches[patch_word + OUTER + 1u]);
        uint point = first + number + number / count;
        room[word] = point;
        room[word + 1u] = point + 1u;
        return;
    }
    uvec3 corners = in_rings(patch_word, number);
    room[word] = first + corners.x;
    room[word + 1u] = first + (p.reversed != 0u ? corners.z : corners.y);
    room[word + 2u] = first + (p.reversed != 0u ? corners.y : corners.z);
}
