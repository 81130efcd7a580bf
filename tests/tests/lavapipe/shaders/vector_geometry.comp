#version 450
// Dot and cross products, lengths, reflections.
//@ buffer 0 256 f32 -3 3
//@ buffer 1 256 zero
//@ close 1 f32 1e-5

layout(local_size_x = 64) in;
layout(std430, binding = 0) readonly buffer Input { vec4 data[]; };
layout(std430, binding = 1) buffer Output { vec4 result[]; };

void main() {
    uint i = gl_GlobalInvocationID.x;
    vec3 a = data[i].xyz, b = data[63u - i].yzw;
    vec3 n = normalize(a + vec3(0.0, 0.0, 7.0));
    result[i] = vec4(reflect(b, n), length(a)) + vec4(cross(a, b), dot(a, b)) + mix(vec4(a, 1.0), vec4(b, distance(a, b)), 0.25);
}
