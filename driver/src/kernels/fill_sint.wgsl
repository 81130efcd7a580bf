// Fills texels of an image, or of a stretch of memory as an image of rows of 1024 texels (`rows`).
struct Parameters { value: vec4<i32>, at: vec3<u32>, rows: u32, size: vec3<u32> }
@group(0) @binding(0) var<uniform> p: Parameters;
@group(0) @binding(1) var dst: texture_storage_2d_array<rgba32sint, write>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x >= p.size.x { return; }
    var d = p.at + id;
    if p.rows != 0u { d = vec3(d.x & 1023u, d.x >> 10u, 0u); }
    textureStore(dst, d.xy, d.z, p.value);
}
