// Two painted boxes on a mirror. The mirror marks where it is in the stencil buffer; the boxes are drawn upside down there,
// seen through the glass, and then as they stand.

struct Draw { mirrored: f32 }
var<immediate> draw: Draw;

@group(0) @binding(0) var paint: texture_2d<f32>;
@group(0) @binding(1) var smooth_repeat: sampler;

const GROUND = -1.15;

// The eye is above the origin and looks along -z and a little down.
fn project(world: vec3<f32>) -> vec4<f32> {
    let q = world - vec3<f32>(0.0, 1.3, 0.0);
    let p = vec3<f32>(q.x, 0.96 * q.y - 0.28 * q.z, 0.28 * q.y + 0.96 * q.z);
    let near = 0.1;
    let far = 100.0;
    let z = (far * p.z + near * far) / (near - far);
    return vec4<f32>(1.5 / (4.0 / 3.0) * p.x, -1.5 * p.y, z, -p.z);
}

struct Varyings {
    @builtin(position) position: vec4<f32>,
    @location(0) colour: vec3<f32>,
    @location(1) uv: vec2<f32>,
}

@vertex fn box(
    @location(0) corner: vec3<f32>,
    @location(1) normal: vec3<f32>,
    @location(2) uv: vec2<f32>,
    @location(3) place: vec4<f32>,
    @location(4) turn: vec2<f32>,
    @location(5) colour: vec4<f32>,
) -> Varyings {
    let turned = mat3x3<f32>(vec3(turn.x, 0.0, -turn.y), vec3(0.0, 1.0, 0.0), vec3(turn.y, 0.0, turn.x));
    var p = place.xyz + place.w * (turned * corner);
    p.y = mix(p.y, 2.0 * GROUND - p.y, draw.mirrored);
    let light = 0.35 + 0.65 * max(dot(turned * normal, vec3(0.48, 0.64, 0.6)), 0.0);
    return Varyings(project(p), colour.rgb * light, uv);
}

@fragment fn painted(in: Varyings) -> @location(0) vec4<f32> {
    return vec4<f32>(textureSample(paint, smooth_repeat, in.uv).rgb * in.colour, 1.0);
}

@vertex fn ground(@builtin(vertex_index) vertex: u32) -> @builtin(position) vec4<f32> {
    let corner = vec2<f32>(f32(vertex & 1u), f32(vertex >> 1u));
    return project(vec3<f32>(mix(-2.4, 2.4, corner.x), GROUND, mix(-2.9, -7.2, corner.y)));
}

@fragment fn glass() -> @location(0) vec4<f32> {
    return vec4<f32>(0.25, 0.35, 0.45, 0.4);
}
