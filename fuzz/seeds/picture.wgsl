struct Varying { @builtin(position) position: vec4<f32>, @location(0) uv: vec2<f32>, @location(1) @interpolate(flat) layer: u32 }
@group(0) @binding(0) var image: texture_2d_array<f32>;
@group(0) @binding(1) var filtering: sampler;
@group(0) @binding(2) var<uniform> transform: mat4x4<f32>;
@fragment
fn main(in: Varying, @builtin(front_facing) front: bool, @builtin(sample_index) number: u32) -> @location(0) vec4<f32> {
    var colour = textureSample(image, filtering, in.uv, in.layer);
    let size = vec2<f32>(textureDimensions(image, 0));
    colour += textureLoad(image, vec2<i32>(in.uv * size), in.layer, 0) * f32(number);
    let slope = dpdx(in.uv) + dpdyFine(in.uv);
    if colour.a < 0.1 || any(slope > vec2(1.0)) { discard; }
    return select(colour.bgra, transform * colour, front);
}
