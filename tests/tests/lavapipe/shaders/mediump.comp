#version 310 es
// Medium precision: sums, loops, choices, calls, vectors and matrices that may be halves.
//@ groups 4 1 1
//@ buffer 0 1024 f32 -2 2
//@ buffer 1 256 zero
//@ close 1 f32 0.02

precision mediump float;
layout(local_size_x = 64) in;
layout(std430, binding = 0) readonly buffer Input { highp vec4 data[]; };
layout(std430, binding = 1) buffer Output { highp float result[]; };

mediump float soft(mediump float x, mediump float y) {
    if (x > y)
        return x * 0.75 + 0.25;
    return y - x * 0.125;
}

void main() {
    highp uint i = gl_GlobalInvocationID.x;
    mediump vec4 x = data[i];
    mediump float sum = 0.0;
    for (int k = 0; k < 4; k++) {
        sum += soft(x[k], 0.5) * 0.25;
        if (sum > 1.5)
            sum = 1.5 - sum * 0.125;
    }
    mediump vec3 direction = normalize(x.xyz + vec3(3.0, 0.1, 0.2));
    mediump mat3 turn = mat3(0.0, 1.0, 0.0, -1.0, 0.0, 0.0, 0.0, 0.0, 1.0);
    mediump float along = dot(turn * direction, vec3(0.5, 0.25, 1.0));
    mediump float wave = sin(x.w) + sqrt(abs(x.x)) + exp2(x.y * 0.5) + mix(along, sum, 0.5);
    result[i] = wave * (x.z < 0.0 ? 0.5 : sum) + fract(abs(x.w) + 0.001) * 0.001;
}
