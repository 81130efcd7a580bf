// One time step of the gravitational n-body problem.
//
// Every invocation owns one body, sums the pull of all others and moves its own. Positions are read from one
// buffer and written to another, so that no body sees a half-finished step.

struct Body {
    position: vec3<f32>,
    mass: f32,
    velocity: vec3<f32>,
    unused: f32,
}

struct Step {
    bodies: u32,
    seconds: f32,
    // Keeps the force finite when two bodies meet.
    softening: f32,
}

@group(0) @binding(0) var<storage, read> before: array<Body>;
@group(0) @binding(1) var<storage, read_write> after: array<Body>;
@group(0) @binding(2) var<uniform> step: Step;

// Acceleration that a body of `mass` at `offset` causes, with the gravitational constant taken as one.
fn pull(offset: vec3<f32>, mass: f32) -> vec3<f32> {
    let distance_squared = dot(offset, offset) + step.softening * step.softening;
    let inverse = inverseSqrt(distance_squared);
    return offset * (mass * inverse * inverse * inverse);
}

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x >= step.bodies {
        return;
    }
    var body = before[id.x];
    var acceleration = vec3<f32>(0.0);
    for (var other = 0u; other < step.bodies; other++) {
        // A body pulls itself with an offset of zero, that is, not at all.
        acceleration += pull(before[other].position - body.position, before[other].mass);
    }
    body.velocity += acceleration * step.seconds;
    body.position += body.velocity * step.seconds;
    after[id.x] = body;
}
