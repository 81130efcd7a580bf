#version 450
// Specialisation constants: sizes of arrays, conditions, workgroup size.
//@ constant 0 32
//@ constant 1 5
//@ constant 3 1
//@ groups 2 1 1
//@ buffer 0 64 random
//@ buffer 1 64 zero

layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint COUNT = 2;
layout(constant_id = 2) const int SHIFT = 3;
layout(constant_id = 3) const bool FLIP = false;
const uint SQUARE = COUNT * COUNT + 1u;
layout(std430, binding = 0) readonly buffer Input { uint data[]; };
layout(std430, binding = 1) buffer Output { uint result[]; };

void main() {
    uint values[COUNT];
    uint i = gl_GlobalInvocationID.x, r = SQUARE;
    for (uint k = 0u; k < COUNT; k++)
        values[k] = data[(i + k) & 63u] >> SHIFT;
    for (uint k = 0u; k < COUNT; k++)
        r = r * 31u + values[(i + k) % COUNT];
    result[i] = FLIP ? ~r : r + gl_WorkGroupSize.x;
}
