#version 450
#extension GL_EXT_samplerless_texture_functions : require
// Loads, stores and atomics at coordinates that a buffer gives, of an image, an array of images and texel buffers.
layout(local_size_x = 8) in;
layout(set = 0, binding = 0, std430) readonly buffer Places { ivec2 places[8]; };
layout(set = 0, binding = 1, std430) buffer Result { uvec4 result[16]; };
layout(set = 0, binding = 2, r32ui) uniform uimage2D loaded;
layout(set = 0, binding = 3, r32ui) uniform uimage2D stored;
layout(set = 0, binding = 4, r32ui) uniform uimage2D counted;
layout(set = 0, binding = 5) uniform usamplerBuffer texels[2];
layout(set = 0, binding = 7, r32ui) uniform uimageBuffer words;
layout(set = 0, binding = 8) uniform utexture2D fetched;
void main() {
    uint lane = gl_LocalInvocationIndex;
    ivec2 at = places[lane];
    uint old = imageAtomicAdd(counted, at, 100u + lane);
    imageStore(stored, at, uvec4(200u + lane));
    uint word = imageAtomicExchange(words, at.x, 300u + lane);
    result[2 * lane] = uvec4(imageLoad(loaded, at).x, texelFetch(fetched, at, 0).x, old, word);
    result[2 * lane + 1] = uvec4(texelFetch(texels[lane & 1u], at.x).xy, 7u, 7u);
}
