#version 450
layout(local_size_x = 1) in;
layout(binding = 0) buffer Out { float result[6]; };
layout(binding = 1, r32f) uniform image2DMS plane;
layout(binding = 2, r32f) uniform image2DMSArray layers;
void main() {
    int one = int(gl_WorkGroupID.x) + 1;
    imageStore(plane, ivec2(one, 0), 3, vec4(50.0));
    // None of these exists.
    imageStore(plane, ivec2(2 * one, 0), 0, vec4(51.0));
    imageStore(plane, ivec2(-one, 0), 0, vec4(52.0));
    imageStore(plane, ivec2(0, one), 0, vec4(53.0));
    imageStore(plane, ivec2(0), 4 * one, vec4(54.0));
    imageStore(layers, ivec3(0, 0, one), 0, vec4(60.0));
    imageStore(layers, ivec3(0, 0, 2 * one), 0, vec4(61.0));
    imageStore(layers, ivec3(0, 0, one), 2, vec4(62.0));
    memoryBarrier();
    result[0] = imageLoad(plane, ivec2(one, 0), 3).x;
    result[1] = imageLoad(plane, ivec2(one, 0), 2).x;
    result[2] = imageLoad(layers, ivec3(0, 0, one), 0).x;
    result[3] = imageLoad(layers, ivec3(0, 0, one), 1).x;
    result[4] = float(imageSamples(plane));
    result[5] = float(imageSize(layers).z);
}
