// Copies texels, taken for unsigned integers, between images and stretches of memory. A stretch is an image of rows of 1024
// texels; `row` and `plane` are the texels of a row and of a slice in it, 0 for images.
struct Side { at: vec3<u32>, row: u32, plane: u32 }
struct Parameters { size: vec3<u32>, origin: Side, goal: Side }
@group(0) @binding(0) var<uniform> p: Parameters;
@group(0) @binding(1) var src: texture_2d_array<u32>;
@group(0) @binding(2) var dst: texture_storage_2d_array<rgba32uint, write>;

fn place(side: Side, id: vec3<u32>) -> vec3<u32> {
    if side.row == 0u { return side.at + id; }
    let index = side.at.x + id.x + id.y * side.row + id.z * side.plane;
    return vec3(index & 1023u, index >> 10u, 0u);
}

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x >= p.size.x { return; }
    let s = place(p.origin, id);
    let d = place(p.goal, id);
    textureStore(dst, d.xy, d.z, textureLoad(src, s.xy, s.z, 0));
}
