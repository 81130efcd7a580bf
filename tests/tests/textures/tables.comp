#version 450
#extension GL_EXT_nonuniform_qualifier : require
#extension GL_EXT_samplerless_texture_functions : require
layout(local_size_x = 8) in;
layout(binding = 0) buffer Out { float result[]; };
layout(binding = 1) uniform texture2D planes[4];
layout(binding = 2) uniform sampler samplers[2];
layout(binding = 3) uniform sampler2D pairs[];
layout(binding = 4, r32f) uniform image2D images[2];
void main() {
    uint i = gl_LocalInvocationIndex;
    uint one = nonuniformEXT(i & 3u), other = nonuniformEXT(i >> 2);
    float sampled = textureLod(sampler2D(planes[one], samplers[other]), vec2(0.5), 0.0).x;
    float pair = textureLod(pairs[nonuniformEXT(i % 3u)], vec2(0.5), 0.0).x;
    float size = float(textureSize(planes[one], 0).x);
    imageStore(images[other], ivec2(one, 0), imageLoad(images[1u - other], ivec2(one, 0)) + 100.0);
    result[i] = sampled + pair + size;
}
