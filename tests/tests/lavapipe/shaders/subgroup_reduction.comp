#version 450
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_arithmetic : require
// Sums by subgroups, put together in shared memory: independent of the size.
//@ groups 2 1 1
//@ buffer 0 128 random
//@ buffer 1 6 zero

layout(local_size_x = 64) in;
layout(std430, binding = 0) readonly buffer Input { uint data[]; };
layout(std430, binding = 1) buffer Output { uint result[]; };
shared uint total;
shared uint bits;
shared uint most;

void main() {
    uint a = data[gl_GlobalInvocationID.x];
    if (gl_LocalInvocationIndex == 0u)
        total = bits = most = 0u;
    barrier();
    uint sum = subgroupAdd(a), mixed = subgroupXor(a), top = subgroupMax(a);
    if (subgroupElect()) {
        atomicAdd(total, sum);
        atomicXor(bits, mixed);
        atomicMax(most, top);
    }
    barrier();
    if (gl_LocalInvocationIndex == 0u) {
        result[gl_WorkGroupID.x * 3u] = total;
        result[gl_WorkGroupID.x * 3u + 1u] = bits;
        result[gl_WorkGroupID.x * 3u + 2u] = most;
    }
}
