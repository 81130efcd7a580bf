#version 450
#extension GL_EXT_scalar_block_layout : require
// Vectors of three without padding.
//@ buffer 0 96 random
//@ buffer 1 128 zero

layout(local_size_x = 32) in;
struct Record { uvec3 a; };
layout(scalar, binding = 0) readonly buffer Input { uvec3 data[32]; };
layout(scalar, binding = 1) buffer Output { Record result[32]; uint rest[32]; };

void main() {
    uint i = gl_GlobalInvocationID.x;
    result[i].a = data[31u - i].zxy + uvec3(1u, 2u, 3u);
    rest[i] = data[i].y;
}
