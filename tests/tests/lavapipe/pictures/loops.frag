#version 450
layout(location = 0) in vec4 colour;
layout(location = 1) in vec2 place;
layout(location = 0) out vec4 result;
layout(binding = 0) uniform Numbers { vec4 a; vec4 b; mat4 m; };
void main() {
    float sum = 0.0;
    int end = int(gl_FragCoord.x) % 9 + 2;
    for (int i = 0; i < end; i++) {
        if (i == 3) continue;
        for (int j = i; j < 6; j++) {
            if (i * j > 12) break;
            sum += colour.r * 0.02 + 0.01 * float(j);
        }
    }
    result = vec4(sum, fract(sum * 0.5), 1.0 - sum * 0.25, 1.0);
}
