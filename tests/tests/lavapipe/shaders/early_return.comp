#version 450
// Lanes leave a function and the shader at different depths.
//@ buffer 0 64 random
//@ buffer 1 64 zero

layout(local_size_x = 64) in;
layout(std430, binding = 0) readonly buffer Input { uint data[]; };
layout(std430, binding = 1) buffer Output { uint result[]; };

uint search(uint key) {
    for (uint k = 0u; k < 32u; k++) {
        if (((key >> k) & 7u) == 5u)
            return k;
        for (uint j = 0u; j < k; j++)
            if (((key ^ (key << j)) & 0xffu) == 0x42u)
                return k * 32u + j;
    }
    return 99u;
}

void main() {
    uint i = gl_GlobalInvocationID.x;
    if (data[i] % 5u == 0u)
        return;
    uint found = search(data[i]);
    if (found == 99u) {
        result[i] = 1u;
        return;
    }
    result[i] = found + 2u;
}
