#version 450
//@ groups 1 1 1
//@ buffer 0 256 zero
//@ close 0 f32 0.0001
//@ image 1 2d rgba32f 8 8 1 1 f32 -1 1
//@ sampler 1 repeat
//@ image 2 2d rgba32i 8 8 1 1 random
//@ sampler 2 edge
layout(local_size_x = 16) in;
layout(binding = 0) buffer Out { vec4 result[64]; };
layout(binding = 1) uniform sampler2D plane;
layout(binding = 2) uniform isampler2D integers;
void main() {
    uint i = gl_LocalInvocationIndex;
    vec2 at = vec2(float(i) * 0.0619 + 0.021, float(i) * 0.113 + 0.017);
    result[i] = textureGather(plane, at, 2);
    result[16 + i] = textureGatherOffset(plane, at, ivec2(-3, 2), 1);
    result[32 + i] = textureGatherOffsets(plane, at, ivec2[4](ivec2(0), ivec2(1, -1), ivec2(-2, 3), ivec2(4, 4)), 3);
    result[48 + i] = vec4(textureGather(integers, at, 3) >> 8) + textureLodOffset(plane, at, 0.0, ivec2(3, -4));
}
