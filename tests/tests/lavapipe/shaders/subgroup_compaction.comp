#version 450
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_ballot : require
// Lanes that want to are given places by ballots; the set of what is kept is sorted out by value.
//@ groups 1 1 1
//@ buffer 0 64 random
//@ buffer 1 66 zero

layout(local_size_x = 64) in;
layout(std430, binding = 0) readonly buffer Input { uint data[]; };
layout(std430, binding = 1) buffer Output { uint result[]; };

void main() {
    uint i = gl_GlobalInvocationID.x;
    bool keep = (data[i] & 3u) != 0u;
    uvec4 kept = subgroupBallot(keep);
    uint base = 0u;
    if (subgroupElect())
        base = atomicAdd(result[64], subgroupBallotBitCount(kept));
    base = subgroupBroadcastFirst(base);
    if (keep) {
        uint place = base + subgroupBallotExclusiveBitCount(kept);
        atomicAdd(result[65], data[i] * 3u);
        atomicAdd(result[place], 1u);
    }
}
