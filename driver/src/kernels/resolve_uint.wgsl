// Writes one value for all samples of each pixel: their mean, or the first of integers.
struct Parameters { origin: vec2<u32>, samples: u32, mean: u32, goal: vec3<u32>, size: vec2<u32> }
@group(0) @binding(0) var<uniform> p: Parameters;
@group(0) @binding(1) var src: texture_multisampled_2d<u32>;
@group(0) @binding(2) var dst: texture_storage_2d_array<rgba32uint, write>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x >= p.size.x { return; }
    let s = p.origin + id.xy;
    var sum = textureLoad(src, s, 0);
    if p.mean != 0u {
        for (var number = 1u; number < p.samples; number++) { sum += textureLoad(src, s, number); }
        sum = sum / u32(p.samples);
    }
    let d = p.goal + vec3(id.xy, 0u);
    textureStore(dst, d.xy, d.z, sum);
}
