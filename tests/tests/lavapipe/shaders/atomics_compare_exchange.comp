#version 450
// A float sum by a loop of compare and exchange; the sums are exact.
//@ groups 2 1 1
//@ buffer 0 128 below 1000
//@ buffer 1 1 zero

layout(local_size_x = 64) in;
layout(std430, binding = 0) readonly buffer Input { uint data[]; };
layout(std430, binding = 1) buffer Output { uint result[]; };

void main() {
    float add = float(data[gl_GlobalInvocationID.x]);
    uint seen = result[0];
    for (;;) {
        uint found = atomicCompSwap(result[0], seen, floatBitsToUint(uintBitsToFloat(seen) + add));
        if (found == seen)
            break;
        seen = found;
    }
}
