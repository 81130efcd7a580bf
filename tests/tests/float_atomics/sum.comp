#version 450
#extension GL_EXT_shader_atomic_float : require
// Odd invocations add their number to a sum of the workgroup and to one of the dispatch.
layout(local_size_x = 40) in;
layout(set = 0, binding = 0) buffer Sums { float total; float groups[]; };
layout(set = 0, binding = 1) buffer Seen { float seen[]; };
shared float sum;

void main() {
    if (gl_LocalInvocationIndex == 0u) {
        sum = 0.5;
    }
    barrier();
    uint number = gl_GlobalInvocationID.x;
    if ((number & 1u) != 0u) {
        seen[number] = atomicAdd(total, float(number));
        atomicAdd(sum, float(gl_LocalInvocationIndex));
    }
    barrier();
    groups[gl_WorkGroupID.x] = sum;
}
