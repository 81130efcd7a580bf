#version 450
#extension GL_EXT_shader_8bit_storage : require
#extension GL_EXT_shader_explicit_arithmetic_types_int8 : require
// Loads and stores of bytes.
//@ buffer 0 64 random
//@ buffer 1 64 zero

layout(local_size_x = 64) in;
layout(std430, binding = 0) readonly buffer Input { uint8_t data[]; };
layout(std430, binding = 1) buffer Output { uint8_t result[]; };

void main() {
    uint i = gl_GlobalInvocationID.x;
    for (uint k = 0u; k < 4u; k++)
        result[i * 4u + k] = uint8_t(data[255u - i * 4u - k] + uint8_t(k));
}
