#version 450
// Push constants of several types, with a dynamic index.
//@ push 7 -3 2.5 0 10 20 30 40
//@ buffer 0 64 random
//@ buffer 1 64 zero

layout(local_size_x = 64) in;
layout(std430, binding = 0) readonly buffer Input { uint data[]; };
layout(std430, binding = 1) buffer Output { uint result[]; };
layout(push_constant) uniform Constants {
    uint scale;
    int offset;
    float factor;
    layout(offset = 16) uint table[4];
} constants;

void main() {
    uint i = gl_GlobalInvocationID.x;
    result[i] = data[i] * constants.scale + uint(constants.offset) + uint(float(i) * constants.factor) + constants.table[i & 3u];
}
