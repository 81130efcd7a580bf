// Copies a box of texels to a box of another size without filter.
struct Parameters { at: vec3<u32>, size: vec3<u32>, start: vec3<f32>, step: vec3<f32>, most: vec3<u32>, inverse: vec3<f32> }
@group(0) @binding(0) var<uniform> p: Parameters;
@group(0) @binding(1) var src: texture_2d_array<i32>;
@group(0) @binding(2) var dst: texture_storage_2d_array<rgba32sint, write>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x >= p.size.x { return; }
    let place = p.start + (vec3<f32>(id) + 0.5) * p.step;
    let s = clamp(vec3<i32>(floor(place)), vec3(0), vec3<i32>(p.most));
    let d = p.at + id;
    textureStore(dst, d.xy, d.z, textureLoad(src, s.xy, s.z, 0));
}
