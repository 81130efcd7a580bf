struct Particle { position: vec3<f32>, mass: f32, rotation: mat2x2<f32> }
@group(0) @binding(0) var<uniform> factors: array<vec4<f32>, 4>;
@group(0) @binding(1) var<storage, read> old: array<Particle>;
@group(0) @binding(2) var<storage, read_write> new: array<Particle>;
@group(1) @binding(0) var<storage, read_write> bits: array<atomic<u32>, 8>;
@compute @workgroup_size(4, 4, 2)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
    let index = id.x + id.y * 4u + id.z * 16u * groups.x;
    var particle = old[index];
    var history: array<f32, 8>;
    for (var i = 0; i < 8; i++) {
        history[i] = particle.position[i % 3] * factors[i & 3].w;
    }
    let pointer = &history[index % 8u];
    *pointer = sqrt(abs(*pointer)) + fma(particle.mass, 2.0, -0.0);
    particle.rotation = transpose(particle.rotation) * 0.5;
    particle.position = normalize(cross(particle.position, vec3(history[0], history[3], history[7])));
    new[index] = particle;
    let old_bits = atomicOr(&bits[index % 8u], 1u << (index & 31u));
    if countOneBits(old_bits) > 16u { atomicExchange(&bits[0], pack2x16float(particle.position.xy)); }
}
