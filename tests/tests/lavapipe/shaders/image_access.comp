#version 450
//@ groups 2 2 1
//@ buffer 0 64 zero
//@ storage 1 2d rgba32f 16 16 1 1 f32 0 1
//@ storage 2 2d_array r32ui 16 16 3 1 random
//@ storage 3 3d rgba8 16 16 2 1 random
//@ storage 4 cube rgba32i 16 16 1 1 random
//@ storage_texels 5 rgba8ui 1100 random
layout(local_size_x = 8, local_size_y = 8) in;
layout(binding = 0) buffer Out { ivec4 result[16]; };
layout(binding = 1, rgba32f) uniform image2D plane;
layout(binding = 2, r32ui) uniform uimage2DArray layers;
layout(binding = 3, rgba8) uniform writeonly image3D volume;
layout(binding = 4, rgba32i) uniform iimageCube cube;
layout(binding = 5, rgba8ui) uniform uimageBuffer bytes;
void main() {
    ivec2 at = ivec2(gl_GlobalInvocationID.xy);
    vec4 old = imageLoad(plane, at);
    imageStore(plane, at, old.wzyx + vec4(at, 0.0, 1.0));
    imageStore(layers, ivec3(at, 2), imageLoad(layers, ivec3(at, 0)) ^ imageLoad(layers, ivec3(at, 1)));
    imageStore(volume, ivec3(at, at.x & 1), vec4(at, 3.0, 15.0) / 15.0);
    imageStore(cube, ivec3(at, 5), imageLoad(cube, ivec3(at, 3)).yxwz);
    int index = at.y * 16 + at.x + 800;
    imageStore(bytes, index, imageLoad(bytes, index - 800) + uvec4(1u));
    if (at.x == 0) {
        result[at.y] = ivec4(imageSize(layers), imageSize(bytes)) + imageSize(volume).zxyz * 1000;
    }
}
