#version 450
#extension GL_KHR_shader_subgroup_vote : require
// Votes whose outcome is the same for every size of subgroup.
//@ buffer 0 64 random
//@ buffer 1 64 zero

layout(local_size_x = 64) in;
layout(std430, binding = 0) readonly buffer Input { uint data[]; };
layout(std430, binding = 1) buffer Output { uint result[]; };

void main() {
    uint i = gl_GlobalInvocationID.x;
    uint r = 0u;
    r |= subgroupAll(i < 64u) ? 1u : 0u;
    r |= subgroupAny(i > 64u) ? 2u : 0u;
    r |= subgroupAllEqual(data.length()) ? 4u : 0u;
    if ((i & 1u) == 0u)
        r |= subgroupAll((i & 1u) == 0u) ? 8u : 0u;
    result[i] = r;
}
