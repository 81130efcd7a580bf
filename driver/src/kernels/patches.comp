// Describes tessellated patches by their levels: edges, and numbers of points and primitives. One thread for each patch.

// A level in the range of the spacing. NaN becomes the minimum.
uint clamped(float level) {
    float lowest = p.spacing == FRACTIONAL_EVEN ? 2.0 : 1.0;
    float highest = p.spacing == FRACTIONAL_ODD ? 63.0 : 64.0;
    float inside = level > lowest ? min(level, highest) : lowest;
    return uint((p.spacing == EQUAL ? ceil(inside) : inside) * 65536.0 + 0.5);
}

uint edge_of(uint level) {
    uint odd = p.spacing == EQUAL ? (level >> 16u) & 1u : (p.spacing == FRACTIONAL_ODD ? 1u : 0u);
    return (((level + odd * ONE + 1u) >> 1u) << 1u) | odd;
}

float level_of(uint record, uint number) {
    return uintBitsToFloat(patches[record + number]);
}

// The number of lines is always a whole number.
uvec2 describe_lines(uint patch_word, uint record) {
    float lines = level_of(record, 0u);
    uint count = uint(ceil(lines > 1.0 ? min(lines, 64.0) : 1.0));
    uint edge = edge_of(clamped(level_of(record, 1u)));
    uint odd = count & 1u;
    patches[patch_word + OUTER] = ((count + odd) << 16u) | odd;
    patches[patch_word + OUTER + 1u] = edge;
    return uvec2(count * (segments(edge) + 1u), count * segments(edge));
}

uvec2 describe_rings(uint patch_word, uint record) {
    uint most = 0u;
    for (uint edge = 0u; edge < edges(); edge++) {
        uint level = clamped(level_of(record, edge));
        most = max(most, level);
        patches[patch_word + OUTER + edge] = edge_of(level);
    }
    uint along_u = clamped(level_of(record, 4u));
    uint along_v = p.domain == TRIANGLES ? along_u : clamped(level_of(record, 5u));
    bool is_undivided = max(most, max(along_u, along_v)) == ONE;
    // If anything is divided, there is a ring inside the outline.
    uint least = is_undivided ? ONE : (p.spacing == FRACTIONAL_ODD ? ONE + 1u : 2u * ONE);
    patches[patch_word + INNER] = is_undivided ? (2u * ONE | 1u) : edge_of(max(along_u, least));
    patches[patch_word + INNER + 1u] = is_undivided ? (2u * ONE | 1u) : edge_of(max(along_v, least));
    uvec4 sizes = shape(patch_word);
    uint inner_u = sizes.y - 2u;
    uint inner_v = sizes.z - 2u;
    if (p.domain == TRIANGLES) {
        if (is_undivided) { return uvec2(3u, 1u); }
        uint points = (3u * inner_u * (inner_u + 2u) + 4u) >> 2u;
        return uvec2(sizes.x + points, sizes.x + 3u * inner_u + ((3u * inner_u * inner_u) >> 1u));
    }
    if (is_undivided) { return uvec2(4u, 2u); }
    uint points = (inner_u + 1u) * (inner_v + 1u);
    return uvec2(sizes.x + points, sizes.x + 2u * (inner_u + inner_v + inner_u * inner_v));
}

void main() {
    uint number = gl_GlobalInvocationID.x;
    uint record = launches[RECORDS] + p.record_words * number;
    uint patch_word = description(number);
    bool is_culled = false;
    for (uint edge = 0u; edge < (p.domain == ISOLINES ? 2u : edges()); edge++) {
        if (!(level_of(record, edge) > 0.0)) { is_culled = true; }
    }
    uvec2 counts = uvec2(0u, 0u);
    if (!is_culled) {
        counts = p.domain == ISOLINES ? describe_lines(patch_word, record) : describe_rings(patch_word, record);
    }
    patches[patch_word + POINT_COUNT] = counts.x;
    patches[patch_word + PRIMITIVE_COUNT] = p.corners == 1u ? counts.x : counts.y;
}
