#version 450
#extension GL_EXT_demote_to_helper_invocation : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_vote : require
#extension GL_KHR_shader_subgroup_arithmetic : require
layout(set = 0, binding = 0) buffer Counters { uint n[8]; };
layout(location = 0) out vec4 colour;
void main() {
    int x = int(gl_FragCoord.x), y = int(gl_FragCoord.y);
    if (x % 4 == 0) demote;
    // Once for each subgroup: its live invocations, by three ways.
    uvec4 lanes = subgroupBallot(true);
    if (subgroupElect()) atomicAdd(n[0], subgroupBallotBitCount(lanes));
    uint count = subgroupAdd(1u);
    if (subgroupElect()) atomicAdd(n[1], count);
    if (subgroupAny(x % 4 == 0)) atomicAdd(n[2], 1u);
    if (subgroupAll(x % 4 != 0)) atomicAdd(n[3], 1u);
    if (subgroupBroadcastFirst(x) % 4 == 0) atomicAdd(n[4], 1u);
    if (subgroupMin(uint(x) % 4u) == 0u) atomicAdd(n[5], 1u);
    colour = vec4(1);
}
