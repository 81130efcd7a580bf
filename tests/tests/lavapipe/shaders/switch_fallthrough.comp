#version 450
// A switch with fallthrough, a default in the middle and a return.
//@ buffer 0 64 below 9
//@ buffer 1 64 zero

layout(local_size_x = 64) in;
layout(std430, binding = 0) readonly buffer Input { uint data[]; };
layout(std430, binding = 1) buffer Output { uint result[]; };

void main() {
    uint i = gl_GlobalInvocationID.x;
    uint r = 1u;
    switch (data[i]) {
    case 0u:
        r += 10u;
    case 1u:
        r *= 3u;
        break;
    case 2u:
        result[i] = 77u;
        return;
    default:
        r += 100u;
    case 5u:
    case 6u:
        r ^= 0x55u;
        break;
    case 7u:
        r = i;
    }
    result[i] = r;
}
