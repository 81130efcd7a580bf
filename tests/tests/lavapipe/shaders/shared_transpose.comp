#version 450
// A tile of 8 by 8 transposed; workgroups in two dimensions.
//@ groups 2 2 1
//@ buffer 0 256 random
//@ buffer 1 256 zero

layout(local_size_x = 8, local_size_y = 8) in;
layout(std430, binding = 0) readonly buffer Input { uint data[]; };
layout(std430, binding = 1) buffer Output { uint result[]; };
shared uint tile[8][9];

void main() {
    uvec2 from = gl_GlobalInvocationID.xy, local = gl_LocalInvocationID.xy;
    tile[local.y][local.x] = data[from.y * 16u + from.x];
    barrier();
    uvec2 to = gl_WorkGroupID.yx * 8u + local;
    result[to.y * 16u + to.x] = tile[local.x][local.y];
}
