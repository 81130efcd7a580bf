#version 450
// Numbers of invocations and groups in three dimensions.
//@ groups 2 3 2
//@ buffer 1 384 zero

layout(local_size_x = 4, local_size_y = 2, local_size_z = 4) in;
layout(std430, binding = 1) buffer Output { uint result[]; };

void main() {
    uvec3 size = gl_NumWorkGroups * gl_WorkGroupSize;
    uvec3 at = gl_GlobalInvocationID;
    uint index = at.x + size.x * (at.y + size.y * at.z);
    uvec3 group = gl_WorkGroupID, local = gl_LocalInvocationID;
    result[index] = gl_LocalInvocationIndex | group.x << 8 | group.y << 12 | group.z << 16 | local.x << 20 | local.y << 24 | local.z << 28;
}
