// Writes the points of tessellated patches. One thread for each point.

uvec2 on_lines(uint patch_word, uint position) {
    uint edge = patches[patch_word + OUTER + 1u];
    uint points = segments(edge) + 1u;
    uint line = position / points;
    return uvec2(place(edge, position - line * points), place(patches[patch_word + OUTER], line));
}

// A point of an edge of a triangle's ring. The distances of rings are thirds of the height.
uvec2 in_triangle(uint edge, uint along, uint across) {
    uint height = (across * 0xaaaau + (ONE >> 1u)) >> 16u;
    uint rest = along - ((height + 1u) >> 1u);
    if (edge == 0u) { return uvec2(height, rest); }
    return uvec2(rest, edge == 1u ? height : ONE - rest - height);
}

uvec2 on_edge(uint patch_word, uint ring, uint edge, uint position) {
    bool is_triangle = p.domain == TRIANGLES;
    uint own = patches[patch_word + (ring == 0u ? OUTER + edge : INNER + 1u - (edge & 1u))];
    uint other = patches[patch_word + INNER + (edge & 1u)];
    bool ascends = edge == 1u || (edge == 2u && !is_triangle);
    uint along = place(own, ascends ? ring + position : segments(own) - ring - position);
    uint across = place(other, edge < 2u || is_triangle ? ring : segments(other) - ring);
    if (is_triangle) { return in_triangle(edge, along, across); }
    return (edge & 1u) != 0u ? uvec2(along, across) : uvec2(across, along);
}

uvec2 on_rings(uint patch_word, uint number) {
    uvec4 sizes = shape(patch_word);
    uint position = number;
    // A square of four points begins at the corner 0, 0.
    if (p.domain != TRIANGLES && sizes.y == 1u) { position = (position + 1u) & 3u; }
    uint ring = 0u;
    while (ring < sizes.w && position >= perimeter(sizes, ring)) {
        position -= perimeter(sizes, ring);
        ring++;
    }
    if (perimeter(sizes, ring) == 0u) { return p.domain == TRIANGLES ? uvec2(0x5555u) : uvec2(0x8000u); }
    uint edge = 0u;
    uint length = side(patch_word, sizes, ring, edge);
    while (edge + 1u < edges() && position >= length) {
        position -= length;
        edge++;
        length = side(patch_word, sizes, ring, edge);
    }
    return on_edge(patch_word, ring, edge, position);
}

void main() {
    uint id = gl_GlobalInvocationID.x;
    uint number = owner(id, POINT_COUNT);
    uint patch_word = description(number);
    uint position = id - patches[patch_word + POINT_COUNT];
    uvec2 at = p.domain == ISOLINES ? on_lines(patch_word, position) : on_rings(patch_word, position);
    uint word = launches[POINTS] + 3u * id;
    room[word] = floatBitsToUint(float(at.x) / 65536.0);
    room[word + 1u] = floatBitsToUint(float(at.y) / 65536.0);
    room[word + 2u] = number;
    if (p.corners == 1u) { room[launches[INDICES] + id] = id; }
}
