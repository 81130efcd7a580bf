// Copies elements of whole words whose places in a level the program computes: blocks of compressed images, and pixels of
// several samples. A side is a level of a tiled image (`tile` not 0) or rows in memory; strides are in elements.
struct Side { at: vec3<u32>, row: u32, plane_words: u32, tile_x: u32, tile_y: u32, start: u32 }
struct Parameters { size: vec3<u32>, words: u32, origin: Side, goal: Side }
@group(0) @binding(0) var<uniform> p: Parameters;
@group(0) @binding(1) var<storage, read> src: array<u32>;
@group(0) @binding(2) var<storage, read_write> dst: array<u32>;

fn spread(v: u32) -> u32 {
    var x = v & 0xffffu;
    x = (x | (x << 8u)) & 0x00ff00ffu;
    x = (x | (x << 4u)) & 0x0f0f0f0fu;
    x = (x | (x << 2u)) & 0x33333333u;
    return (x | (x << 1u)) & 0x55555555u;
}

fn place(side: Side, id: vec3<u32>) -> u32 {
    let at = side.at + id;
    let layer = side.start + at.z * side.plane_words;
    if side.tile_x == 0u { return layer + (at.y * side.row + at.x) * p.words; }
    let corner = vec2(at.x & ~(side.tile_x - 1u), at.y & ~(side.tile_y - 1u));
    let inside = spread(at.x - corner.x) | (spread(at.y - corner.y) << 1u);
    return layer + (corner.y * side.row + corner.x * side.tile_y + inside) * p.words;
}

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x >= p.size.x { return; }
    let s = place(p.origin, id);
    let d = place(p.goal, id);
    for (var word = 0u; word < p.words; word++) { dst[d + word] = src[s + word]; }
}
