#version 450
layout(location = 0) in vec4 colour;
layout(location = 1) in vec2 place;
layout(location = 0) out vec4 result;
layout(binding = 0) uniform Numbers { vec4 a; vec4 b; mat4 m; };
void main() {
    vec2 c = gl_FragCoord.xy / 40.0 - vec2(1.5, 0.8);
    vec2 z = vec2(0.0);
    int steps = 0;
    for (; steps < 12; steps++) {
        if (dot(z, z) > 4.0) break;
        z = vec2(z.x * z.x - z.y * z.y, 2.0 * z.x * z.y) + c;
    }
    result = vec4(vec3(float(steps) / 12.0), 1.0);
}
