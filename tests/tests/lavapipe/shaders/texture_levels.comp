#version 450
//@ groups 1 1 1
//@ buffer 0 192 zero
//@ close 0 f32 0.01
//@ image 1 2d rgba32f 16 8 1 5 f32 0 1
//@ sampler 1 linear levels_linear repeat
//@ image 2 3d r32f 8 4 4 4 f32 0 1
//@ sampler 2 levels_nearest edge
layout(local_size_x = 16) in;
layout(binding = 0) buffer Out { vec4 result[48]; };
layout(binding = 1) uniform sampler2D plane;
layout(binding = 2) uniform sampler3D volume;
void main() {
    uint i = gl_LocalInvocationIndex;
    float x = float(i) * 0.0617 + 0.013;
    result[i] = textureLod(plane, vec2(x, 0.37), float(i) * 0.25 + 0.06);
    // Whole levels: lavapipe takes logarithms of what lies between roughly.
    float texels = exp2(float(i % 4u));
    result[16 + i] = textureGrad(plane, vec2(x, 0.61), vec2(texels / 16.0, 0.0), vec2(0.0, 0.5 * texels / 8.0));
    result[32 + i] = vec4(textureLod(volume, vec3(x, 0.3, 0.7), float(i % 4u)).x, textureQueryLevels(plane),
        textureSize(volume, 1).x, textureSize(volume, 3).y);
}
