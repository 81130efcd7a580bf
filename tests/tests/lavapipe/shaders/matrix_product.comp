#version 450
// Products of matrices and vectors, transposes, determinants of small integers: exact.
//@ buffer 0 256 below 5
//@ buffer 1 64 zero

layout(local_size_x = 64) in;
layout(std430, binding = 0) readonly buffer Input { uvec4 data[]; };
layout(std430, binding = 1) buffer Output { float result[]; };

void main() {
    uint i = gl_GlobalInvocationID.x;
    mat4 m = mat4(data[i], data[(i + 1u) & 63u], data[(i + 2u) & 63u], data[(i + 3u) & 63u]);
    vec4 v = vec4(data[63u - i]);
    vec4 product = transpose(m) * (m * v) + v * m;
    mat3 outer = outerProduct(v.xyz, m[1].xyz);
    result[i] = dot(product, vec4(1.0, 2.0, 3.0, 4.0)) + outer[i % 3u][1] + determinant(mat2(m[0].xy, m[1].xy));
}
