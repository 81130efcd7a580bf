#version 450
#extension GL_EXT_shader_explicit_arithmetic_types : require
// Every operation on doubles that a compute shader may use; the results of a pair of numbers stand one after the other.
layout(local_size_x = 32) in;
layout(set = 0, binding = 0) readonly buffer Input { double numbers[]; };
layout(set = 0, binding = 1) buffer Output { double results[]; };
layout(set = 0, binding = 2) buffer Integers { int64_t integers[]; };

void main() {
    uint at = gl_GlobalInvocationID.x;
    double a = numbers[3 * at], b = numbers[3 * at + 1], c = numbers[3 * at + 2];
    uint to = 16 * at;
    results[to] = a + b;
    results[to + 1] = a - b;
    results[to + 2] = a * b;
    results[to + 3] = a / b;
    results[to + 4] = fma(a, b, c);
    results[to + 5] = sqrt(a);
    results[to + 6] = floor(a);
    results[to + 7] = ceil(a);
    results[to + 8] = trunc(a);
    results[to + 9] = roundEven(a);
    results[to + 10] = min(a, b);
    results[to + 11] = max(a, b);
    results[to + 12] = abs(a);
    results[to + 13] = a < b ? -c : c;
    results[to + 14] = double(float(a));
    int exponent;
    double fraction = frexp(a, exponent);
    results[to + 15] = ldexp(fraction, exponent);
    to = 6 * at;
    integers[to] = int64_t(a);
    integers[to + 1] = int64_t(int(a));
    integers[to + 2] = int64_t(uint64_t(abs(a)));
    integers[to + 3] = int64_t(a == b) | int64_t(a < b) << 1 | int64_t(a <= b) << 2 | int64_t(a > b) << 3 | int64_t(a >= b) << 4 | int64_t(a != b) << 5;
    integers[to + 4] = int64_t(exponent);
    integers[to + 5] = int64_t(double(int64_t(a)) == trunc(a)) | int64_t(double(float(int64_t(a))) == double(float(trunc(a)))) << 1;
}
