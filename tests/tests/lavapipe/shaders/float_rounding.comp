#version 450
// Floor, ceiling, truncation, rounding, fraction: exact but for the sign of zero, which need not be kept.
//@ buffer 0 64 f32 -20 20
//@ buffer 1 448 zero
//@ close 1 f32 0

layout(local_size_x = 64) in;
layout(std430, binding = 0) readonly buffer Input { float data[]; };
layout(std430, binding = 1) buffer Output { float result[]; };

void main() {
    uint i = gl_GlobalInvocationID.x;
    float a = data[i];
    result[i] = floor(a);
    result[64u + i] = ceil(a);
    result[128u + i] = trunc(a);
    result[192u + i] = roundEven(a);
    result[256u + i] = roundEven(floor(a) + 0.5);
    result[320u + i] = a - floor(a);
    result[384u + i] = sign(a) * step(0.5, a);
}
