#version 450
//@ groups 1 1 1
//@ buffer 0 256 zero
//@ image 1 2d rgba8 16 8 1 3 random
//@ image 2 3d rgba32ui 4 4 4 1 random
//@ image 3 2d_array rgba8i 4 4 5 1 random
//@ texels 4 rgba8ui 1500 random
//@ texels 5 r32f 3000 f32 -9 9
layout(local_size_x = 32) in;
layout(binding = 0) buffer Out { uvec4 result[64]; };
layout(binding = 1) uniform texture2D plane;
layout(binding = 2) uniform utexture3D volume;
layout(binding = 3) uniform itexture2DArray layers;
layout(binding = 4) uniform utextureBuffer bytes;
layout(binding = 5) uniform textureBuffer floats;
#extension GL_EXT_samplerless_texture_functions : require
void main() {
    int i = int(gl_LocalInvocationIndex);
    uvec4 a = uvec4(texelFetch(plane, ivec2(i % 4, i % 2), i % 3) * 255.0 + 0.5);
    uvec4 b = texelFetch(volume, ivec3(i % 4, i / 4 % 4, i / 16), 0);
    uvec4 c = uvec4(texelFetch(layers, ivec3(i % 4, i / 4 % 4, i % 5), 0));
    result[i] = a ^ b ^ c ^ uvec4(textureSize(layers, 0), textureSize(plane, 1).x);
    result[32 + i] = texelFetch(bytes, i * 46) + floatBitsToUint(texelFetch(floats, 2999 - i * 93)).x
        + uint(textureSize(bytes) * 7 + textureSize(floats));
}
