// Memory by address, for programs of the driver that take addresses in place of descriptors.

#extension GL_EXT_buffer_reference : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#extension GL_EXT_shader_8bit_storage : require
#extension GL_EXT_shader_16bit_storage : require

layout(local_size_x = 64) in;

layout(buffer_reference, std430, buffer_reference_align = 4) buffer Words { uint words[]; };
layout(buffer_reference, std430, buffer_reference_align = 2) readonly buffer Halves { uint16_t halves[]; };
layout(buffer_reference, std430, buffer_reference_align = 1) readonly buffer Bytes { uint8_t bytes[]; };

uint word(uint64_t address, uint index) {
    return Words(address).words[index];
}
