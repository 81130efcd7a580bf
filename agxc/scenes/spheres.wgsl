// Three lit spheres above a plain. The mesh comes from the vertex number, place and colour from the instance.

struct Camera { aspect: f32, focus: f32, near: f32, far: f32, light: vec4<f32>, sky: vec4<f32> }
@group(0) @binding(0) var<uniform> camera: Camera;

struct Varyings {
    @builtin(position) position: vec4<f32>,
    @location(0) normal: vec3<f32>,
    @location(1) colour: vec3<f32>,
    @location(2) distance: f32,
}

// The eye is at the origin and looks along -z.
fn project(p: vec3<f32>) -> vec4<f32> {
    let span = camera.near - camera.far;
    let z = (camera.far * p.z + camera.near * camera.far) / span;
    return vec4<f32>(camera.focus / camera.aspect * p.x, -camera.focus * p.y, z, -p.z);
}

const STACKS = 20u;
const SLICES = 40u;
const CORNERS = array<vec2<u32>, 6>(vec2(0u, 0u), vec2(1u, 0u), vec2(0u, 1u), vec2(0u, 1u), vec2(1u, 0u), vec2(1u, 1u));

@vertex fn sphere(@builtin(vertex_index) vertex: u32, @location(0) place: vec4<f32>, @location(1) colour: vec4<f32>) -> Varyings {
    let quad = vertex / 6u;
    let corner = CORNERS[vertex % 6u] + vec2<u32>(quad % SLICES, quad / SLICES);
    let around = f32(corner.x) * (6.2831853 / f32(SLICES));
    let down = f32(corner.y) * (3.1415927 / f32(STACKS));
    let normal = vec3<f32>(sin(down) * cos(around), cos(down), sin(down) * sin(around));
    let p = place.xyz + place.w * normal;
    return Varyings(project(p), normal, colour.rgb, -p.z);
}

@vertex fn plain(@location(0) place: vec3<f32>) -> Varyings {
    return Varyings(project(place), vec3<f32>(0.0, 1.0, 0.0), vec3<f32>(0.35, 0.4, 0.3), -place.z);
}

@fragment fn lit(in: Varyings) -> @location(0) vec4<f32> {
    let diffuse = max(dot(normalize(in.normal), camera.light.xyz), 0.0);
    let colour = in.colour * (0.2 + 0.8 * diffuse);
    let haze = 1.0 - exp2(-0.05 * in.distance);
    return vec4<f32>(mix(colour, camera.sky.rgb, haze), 1.0);
}
