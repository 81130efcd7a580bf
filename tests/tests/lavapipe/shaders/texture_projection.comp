#version 450
//@ groups 1 1 1
//@ buffer 0 128 zero
//@ close 0 f32 0.001
//@ image 1 2d rgba32f 5 5 1 1 f32 -1 1
//@ sampler 1 linear repeat
//@ image 2 cube rgba32f 4 4 1 3 f32 -1 1
//@ sampler 2 levels_nearest edge
layout(local_size_x = 32) in;
layout(binding = 0) buffer Out { vec4 result[32]; };
layout(binding = 1) uniform sampler2D plane;
layout(binding = 2) uniform samplerCube cube;
void main() {
    uint i = gl_LocalInvocationIndex;
    vec3 way = vec3(sin(float(i) * 1.7), cos(float(i) * 0.9), sin(float(i) * 2.3 + 1.0));
    vec4 flat_one = textureProjLod(plane, vec3(float(i), 3.0, float(i) + 5.0), 0.0);
    vec4 offset = textureProjLodOffset(plane, vec4(float(i), 3.0, 7.0, 11.0), 0.0, ivec2(2, -3));
    result[i] = flat_one + 2.0 * offset + 4.0 * textureLod(cube, way, float(i % 3u));
}
