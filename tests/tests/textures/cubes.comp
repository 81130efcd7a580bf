#version 450
layout(local_size_x = 1) in;
layout(binding = 0) buffer Out { float result[]; };
layout(binding = 1, r32f) uniform imageCubeArray cubes;
layout(binding = 2, r32ui) uniform uimageCubeArray counts;
layout(binding = 3, r32f) uniform imageCube cube;
void main() {
    // The faces of all cubes are counted through.
    result[0] = imageLoad(cubes, ivec3(1, 0, 7)).x;
    imageStore(cubes, ivec3(0, 1, 11), vec4(99.0));
    result[1] = float(imageAtomicAdd(counts, ivec3(0, 0, 8), 5u));
    result[2] = imageLoad(cube, ivec3(1, 1, 5)).x;
    result[3] = float(imageSize(cubes).z);
    // There is no third cube.
    result[4] = imageLoad(cubes, ivec3(0, 0, 12)).x;
}
