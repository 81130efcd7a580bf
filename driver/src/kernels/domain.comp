// Tessellated patches: their places in memory, their edges, and the rings that their points form.
//
// The domain of a patch is a triangle, a square, or a set of parallel lines. The points of triangles and squares form rings: ring 0 is the
// outline, whose edges have levels of their own; the following ones have two segments less along each edge, and the last one is a triangle,
// a row of squares, a line or a point. Rings begin at v = 1, u = 0, and their points are clockwise if v points down. Edge 0 is u = 0,
// edge 1 is v = 0, edge 2 is u = 1 or the third edge of a triangle, and edge 3 is v = 1.
//
// Coordinates and levels are fixed-point numbers with 16 fractional bits. The description of an edge is its level, plus 1 if the edge has
// an odd number of segments, times 2^16, plus 1 if it is odd; all without the lowest bit of the level.
layout(push_constant) uniform Parameters {
    uint domain;
    uint spacing;
    uint corners;       // vertices per primitive; 1 draws the points
    uint reversed;      // whether triangles are counterclockwise if v points down
    uint record_words;  // words per record of a patch
    uint room_bytes;    // size of the memory for points and indices
    uvec2 room_address;
    uint first_patch;   // the patches of this batch
    uint most_patches;
} p;
layout(set = 0, binding = 0) buffer Launches { uint launches[]; };
layout(set = 0, binding = 1) buffer Patches { uint patches[]; };
layout(set = 0, binding = 2) buffer Room { uint room[]; };

const uint TRIANGLES = 0u;
const uint ISOLINES = 2u;

const uint EQUAL = 0u;
const uint FRACTIONAL_EVEN = 1u;
const uint FRACTIONAL_ODD = 2u;

const uint ONE = 0x10000u;

// Words of the launches (`render/tessellation.rs`).
const uint POINTS_ADDRESS = 66u;
const uint POINTS_LAUNCH = 80u;
const uint PRIMITIVES_LAUNCH = 88u;
const uint DRAW = 96u;
const uint PATCHES = 104u;          // number of patches of all instances
const uint RECORDS = 105u;          // word of the first record
const uint DESCRIPTIONS = 106u;     // word of the first description
const uint POINTS = 107u;           // word of the first point in the room
const uint INDICES = 108u;          // word of the first index in the room
const uint KEPT = 109u;             // end of the patches of the batch that have room

// Words of the description of a patch.
const uint DESCRIPTION_WORDS = 8u;
const uint POINT_COUNT = 0u;        // number of its points, then of those of all preceding patches
const uint PRIMITIVE_COUNT = 1u;    // the same for primitives
const uint OUTER = 2u;              // four outer edges
const uint INNER = 6u;              // edges along u and v as if they were not shortened; one segment if there is only the outline

uint description(uint number) {
    return launches[DESCRIPTIONS] + DESCRIPTION_WORDS * number;
}

uint edges() {
    return p.domain == TRIANGLES ? 3u : 4u;
}

// Number of segments of an edge.
uint segments(uint edge) {
    return 2u * (((edge >> 1u) + 0xffffu) >> 16u) - (edge & 1u);
}

// Coordinate of a point on an edge. The points are between those for the two adjacent whole numbers of segments of the same parity; the
// edge with more segments divides one segment of each half more.
uint place(uint edge, uint point) {
    uint odd = edge & 1u;
    uint low = edge >> 17u;
    uint fraction = (edge >> 1u) & 0xffffu;
    uint high = low + min(fraction, 1u);
    bool is_mirrored = point >= high;
    uint number = is_mirrored ? 2u * high - odd - point : point;
    if (number == high) { return ONE >> 1u; }
    // Segments are divided in the order of their halves' numbers with reversed bits.
    uint whole = low - odd;
    uint divided = 0u;
    if (whole != 0u) { divided = 2u * (whole ^ (1u << uint(findMSB(whole)))) + 1u; }
    uint lower = number - (fraction != 0u && number > divided ? 1u : 0u);
    uint low_length = uint(65536.0 / float(2u * low - odd) + 0.5);
    uint high_length = uint(65536.0 / float(2u * high - odd) + 0.5);
    uint sum = lower * low_length * (ONE - fraction) + number * high_length * fraction;
    uint at = (sum + (ONE >> 1u)) >> 16u;
    return is_mirrored ? ONE - at : at;
}

// Segments of the outline, of the inner edges along u and along v, and the number of the last ring.
uvec4 shape(uint patch_word) {
    uint outline = 0u;
    for (uint edge = 0u; edge < edges(); edge++) { outline += segments(patches[patch_word + OUTER + edge]); }
    uint along_u = segments(patches[patch_word + INNER]);
    uint along_v = segments(patches[patch_word + INNER + 1u]);
    return uvec4(outline, along_u, along_v, min(along_u, along_v) >> 1u);
}

// Segments of a ring.
uint perimeter(uvec4 sizes, uint ring) {
    if (ring == 0u) { return sizes.x; }
    if (p.domain == TRIANGLES) { return 3u * (sizes.y - 2u * ring); }
    return 2u * (sizes.y + sizes.z - 4u * ring);
}

// Segments of an edge of a ring.
uint side(uint patch_word, uvec4 sizes, uint ring, uint edge) {
    if (ring == 0u) { return segments(patches[patch_word + OUTER + edge]); }
    return ((edge & 1u) != 0u ? sizes.y : sizes.z) - 2u * ring;
}

// The patch that has a point or primitive, by the counts in its description.
uint owner(uint id, uint count_word) {
    uint low = p.first_patch;
    uint high = launches[KEPT];
    while (low + 1u < high) {
        uint middle = (low + high) >> 1u;
        if (patches[description(middle) + count_word] <= id) { low = middle; } else { high = middle; }
    }
    return low;
}
