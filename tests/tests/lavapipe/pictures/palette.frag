#version 450
layout(location = 0) in vec4 colour;
layout(location = 1) in vec2 place;
layout(location = 0) out vec4 result;
layout(binding = 0) uniform Numbers { vec4 a; vec4 b; mat4 m; };
void main() {
    const vec3 palette[6] = vec3[](vec3(1, 0, 0), vec3(0, 1, 0), vec3(0, 0, 1), vec3(1, 1, 0), vec3(0, 1, 1), vec3(0.5));
    result = vec4(palette[(int(gl_FragCoord.x) / 3 + int(gl_FragCoord.y) / 5) % 6], 1.0);
}
