#version 450
//@ groups 1 1 1
//@ buffer 0 128 zero
//@ close 0 f32 0.001
//@ image 1 2d_array rgba16f 4 4 6 1 f16 -2 2
//@ sampler 1 linear edge
//@ image 2 1d_array r32f 9 1 3 1 f32 0 1
//@ sampler 2 edge
//@ image 3 cube_array r32f 2 2 2 1 f32 0 1
//@ sampler 3 edge
layout(local_size_x = 32) in;
layout(binding = 0) buffer Out { vec4 result[32]; };
layout(binding = 1) uniform sampler2DArray planes;
layout(binding = 2) uniform sampler1DArray lines;
layout(binding = 3) uniform samplerCubeArray cubes;
void main() {
    uint i = gl_LocalInvocationIndex;
    // Layers below zero, between two, and beyond the last.
    float layer = float(i) * 0.31 - 1.04;
    vec3 way = vec3(sin(float(i) * 1.3), cos(float(i) * 0.7), sin(float(i) * 2.1 + 1.0));
    vec4 plane = textureLod(planes, vec3(float(i) * 0.03 + 0.01, 0.4, layer), 0.0);
    float line = textureLod(lines, vec2(float(i) * 0.0301 + 0.007, layer), 0.0).x;
    float cube = textureLod(cubes, vec4(way, layer), 0.0).x;
    result[i] = vec4(plane.xy, line, cube) + vec4(textureSize(planes, 0), textureSize(cubes, 0).z);
}
