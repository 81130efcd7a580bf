// The Mandelbrot set with smooth colours: one invocation a pixel, rgba8 packed into a word.

struct View {
    width: u32,
    height: u32,
    limit: u32,
    unused: u32,
    centre: vec2<f32>,
    // Side of a pixel in the complex plane.
    pixel: f32,
}

@group(0) @binding(0) var<storage, read_write> picture: array<u32>;
@group(0) @binding(1) var<uniform> view: View;

// A colour wheel without corners: three cosine waves with slightly different phases, from gold to blue.
fn palette(turn: f32) -> vec3<f32> {
    let phase = vec3<f32>(0.16, 0.08, 0.0) + vec3<f32>(turn);
    return vec3<f32>(0.5) + 0.5 * cos(6.2831853 * phase);
}

// Bytes r, g, b and an opaque alpha, red lowest.
fn pack(colour: vec3<f32>) -> u32 {
    let bytes = vec3<u32>(clamp(colour, vec3<f32>(0.0), vec3<f32>(1.0)) * 255.0 + vec3<f32>(0.5));
    return bytes.x | (bytes.y << 8u) | (bytes.z << 16u) | 0xff000000u;
}

@compute @workgroup_size(8, 4)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x >= view.width || id.y >= view.height {
        return;
    }
    let from_middle = vec2<f32>(id.xy) - 0.5 * vec2<f32>(f32(view.width), f32(view.height));
    let c = view.centre + from_middle * view.pixel;

    var z = vec2<f32>(0.0);
    var square = vec2<f32>(0.0);
    var count = 0u;
    // A large escape radius makes the logarithmic smoothing below exact to the eye.
    while count < view.limit && square.x + square.y < 256.0 {
        z = vec2<f32>(square.x - square.y, 2.0 * z.x * z.y) + c;
        square = z * z;
        count++;
    }

    var colour = vec3<f32>(0.0);
    if count < view.limit {
        // Fraction of an iteration by which the orbit overshot the radius.
        let smooth_count = f32(count) + 4.0 - log2(log2(square.x + square.y));
        colour = palette(0.6 - 0.2 * sqrt(smooth_count));
    }
    picture[id.y * view.width + id.x] = pack(colour);
}
