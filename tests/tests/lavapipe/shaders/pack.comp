#version 450
// Packing of floats into words and back.
//@ buffer 0 64 f32 -1.5 1.5
//@ buffer 1 256 zero

layout(local_size_x = 16) in;
layout(std430, binding = 0) readonly buffer Input { vec4 data[]; };
layout(std430, binding = 1) buffer Output { uint result[]; };

void main() {
    uint i = gl_GlobalInvocationID.x;
    vec4 a = data[i];
    result[i] = packHalf2x16(a.xy);
    result[16u + i] = packHalf2x16(unpackHalf2x16(packHalf2x16(a.zw)) * 2.0);
    result[32u + i] = floatBitsToUint(unpackHalf2x16(floatBitsToUint(a.w) & 0x7bff7bffu).y);
    result[48u + i] = packUnorm4x8(vec4(greaterThan(a, vec4(0.0))));
    result[64u + i] = packSnorm2x16(vec2(sign(a.x), sign(a.y)));
}
