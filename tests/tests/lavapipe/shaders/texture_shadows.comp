#version 450
//@ groups 1 1 1
//@ buffer 0 128 zero
//@ close 0 f32 0.004
//@ image 1 2d depth32f 8 8 1 1 f32 0 1
//@ sampler 1 linear edge less_equal
//@ image 2 2d_array depth32f 8 8 2 1 f32 0 1
//@ sampler 2 edge greater
layout(local_size_x = 32) in;
layout(binding = 0) buffer Out { vec4 result[32]; };
layout(binding = 1) uniform sampler2DShadow shadow;
layout(binding = 2) uniform sampler2DArrayShadow layers;
void main() {
    uint i = gl_LocalInvocationIndex;
    vec2 at = vec2(float(i) * 0.0283 + 0.011, float(i % 7u) * 0.131 + 0.023);
    result[i].x = textureLod(shadow, vec3(at, 0.4), 0.0);
    result[i].y = textureProjLod(shadow, vec4(at * 2.0, 1.2, 2.0), 0.0);
    result[i].z = textureGrad(layers, vec4(at, float(i & 1u), 0.5), vec2(0.0), vec2(0.0));
    result[i].w = dot(textureGather(shadow, at, 0.5), vec4(1.0, 2.0, 4.0, 8.0));
}
