#version 450
layout(local_size_x = 1) in;
layout(binding = 0) buffer Out { uint result[4]; };
layout(binding = 1, r32ui) uniform uimage2DMS plane;
layout(binding = 2, r32ui) uniform uimage2DMSArray layers;
void main() {
    int one = int(gl_WorkGroupID.x) + 1;
    result[0] = imageAtomicAdd(plane, ivec2(one, 0), 3, 50);
    result[1] = imageAtomicMax(layers, ivec3(0, 0, one), 1, 60);
    // Neither of these exists.
    result[2] = imageAtomicAdd(plane, ivec2(2 * one, 0), 0, 1);
    result[3] = imageAtomicAdd(plane, ivec2(0), 4 * one, 1);
}
