#version 310 es
// Texels of medium precision, and what is done with them: halves of the sampling instruction.
//@ groups 1 1 1
//@ buffer 0 256 zero
//@ close 0 f32 0.004
//@ image 1 2d rgba32f 8 8 1 1 f32 -1 1
//@ sampler 1 repeat
//@ image 2 2d rgba8 8 8 1 1 random
//@ sampler 2 edge
precision mediump float;
precision mediump sampler2D;
layout(local_size_x = 64) in;
layout(std430, binding = 0) buffer Out { highp vec4 result[64]; };
layout(binding = 1) uniform sampler2D plane;
layout(binding = 2) uniform sampler2D bytes;
void main() {
    highp uint i = gl_LocalInvocationIndex;
    highp vec2 at = vec2(float(i) * 0.0619 + 0.021, float(i) * 0.113 + 0.017);
    vec4 a = textureLod(plane, at, 0.0);
    vec4 b = textureLod(bytes, at.yx, 0.0);
    vec4 c = texelFetch(plane, ivec2(int(i & 7u), int(i >> 3u)), 0);
    vec3 sum = a.rgb * b.a + b.rgb * 0.5;
    if (c.x > 0.25)
        sum = sum + c.yzw * b.r;
    for (int k = 0; k < 3; k++)
        sum.x += texelFetch(bytes, ivec2(k, int(i >> 3u)), 0).y * 0.25;
    result[i] = vec4(sum * 1.5, max(a.w, c.w) * 0.75);
}
