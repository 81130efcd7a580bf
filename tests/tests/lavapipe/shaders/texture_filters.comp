#version 450
//@ groups 2 1 1
//@ buffer 0 256 zero
//@ close 0 f32 0.001
//@ image 1 2d rgba32f 7 5 1 1 f32 -4 4
//@ sampler 2 linear repeat
//@ sampler 3 linear mirror
//@ sampler 4 linear border white
//@ sampler 5 edge
layout(local_size_x = 32) in;
layout(binding = 0) buffer Out { vec4 result[64]; };
layout(binding = 1) uniform texture2D t;
layout(binding = 2) uniform sampler repeats;
layout(binding = 3) uniform sampler mirrors;
layout(binding = 4) uniform sampler borders;
layout(binding = 5) uniform sampler nearest;
void main() {
    uint i = gl_GlobalInvocationID.x;
    // Away from the edges of texels, where the nearest one depends on rounding.
    vec2 at = vec2(float(i) * 0.0731 - 1.013, float(i % 11u) * 0.1717 - 0.513);
    vec4 sum = textureLod(sampler2D(t, repeats), at, 0.0);
    sum += 2.0 * textureLod(sampler2D(t, mirrors), at, 0.0);
    sum += 3.0 * textureLod(sampler2D(t, borders), at, 0.0);
    sum += 4.0 * textureLod(sampler2D(t, nearest), at, 0.0);
    result[i] = sum;
}
