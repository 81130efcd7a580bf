#version 450
#extension GL_EXT_samplerless_texture_functions : require
layout(local_size_x = 1) in;
layout(binding = 0) buffer Out { float result[6]; };
layout(binding = 1) uniform texture2DMS plane;
layout(binding = 2) uniform texture2DMSArray layers;
void main() {
    result[0] = texelFetch(plane, ivec2(1, 0), 3).x;
    result[1] = texelFetch(layers, ivec3(0, 0, 1), 1).x;
    result[2] = float(textureSamples(plane));
    result[3] = float(textureSamples(layers));
    result[4] = float(textureSize(layers).z);
    result[5] = texelFetch(layers, ivec3(0, 0, 2), 1).x;
}
