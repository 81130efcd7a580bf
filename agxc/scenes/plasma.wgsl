// Waves over the whole screen, from the place of the pixel alone.

struct Waves { size: vec2<f32>, time: f32, scale: f32 }
@group(0) @binding(0) var<uniform> waves: Waves;

@vertex fn screen(@builtin(vertex_index) vertex: u32) -> @builtin(position) vec4<f32> {
    let corner = vec2<f32>(f32((vertex << 1u) & 2u), f32(vertex & 2u));
    return vec4<f32>(corner * 2.0 - 1.0, 0.0, 1.0);
}

@fragment fn plasma(@builtin(position) place: vec4<f32>) -> @location(0) vec4<f32> {
    let p = (place.xy / waves.size - 0.5) * waves.scale;
    let ring = length(p + vec2<f32>(0.5 * sin(waves.time), 0.4 * cos(waves.time)));
    let v = sin(p.x + waves.time) + sin(p.y * 1.3 - waves.time) + sin(3.0 * ring) + sin(p.x * p.y);
    let red = 0.5 + 0.5 * cos(v + 0.5);
    let green = 0.5 + 0.5 * cos(v * 1.2 + 2.5);
    let blue = 0.5 + 0.5 * cos(v * 0.8 + 4.5);
    return vec4<f32>(red, green, blue, 1.0);
}
