// Copies elements of whole words whose addresses in a level the program computes: blocks of compressed images, and multisampled
// pixels. A side is a level of a tiled image (`tile` not 0) or rows in memory; strides are in elements.
struct Side { uvec3 at; uint row; uint plane_words; uint tile_x; uint tile_y; };
layout(push_constant) uniform Parameters { Side from; Side to; uint words; } p;
layout(set = 0, binding = 0) readonly buffer From { uint src[]; };
layout(set = 0, binding = 1) writeonly buffer To { uint dst[]; };

uint spread(uint v) {
    uint x = v & 0xffffu;
    x = (x | (x << 8u)) & 0x00ff00ffu;
    x = (x | (x << 4u)) & 0x0f0f0f0fu;
    x = (x | (x << 2u)) & 0x33333333u;
    return (x | (x << 1u)) & 0x55555555u;
}

uint place(Side side, uvec3 id) {
    uvec3 at = side.at + id;
    uint layer = at.z * side.plane_words;
    if (side.tile_x == 0u) { return layer + (at.y * side.row + at.x) * p.words; }
    uvec2 corner = uvec2(at.x & ~(side.tile_x - 1u), at.y & ~(side.tile_y - 1u));
    uint inside = spread(at.x - corner.x) | (spread(at.y - corner.y) << 1u);
    return layer + (corner.y * side.row + corner.x * side.tile_y + inside) * p.words;
}

void main() {
    uint from = place(p.from, gl_GlobalInvocationID);
    uint to = place(p.to, gl_GlobalInvocationID);
    for (uint word = 0u; word < p.words; word++) { dst[to + word] = src[from + word]; }
}
