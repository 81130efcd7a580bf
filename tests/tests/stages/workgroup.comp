#version 450
layout(local_size_x_id = 3, local_size_y = 2, local_size_z_id = 5) in;
layout(binding = 0) buffer Result { uint result[]; };
void main() {
    uint place = gl_WorkGroupID.x * gl_WorkGroupSize.x * gl_WorkGroupSize.y * gl_WorkGroupSize.z + gl_LocalInvocationIndex;
    result[place] = gl_WorkGroupSize.x + (gl_WorkGroupSize.y << 8) + (gl_WorkGroupSize.z << 16) + (gl_LocalInvocationID.z << 24);
}
