#version 450
layout(location = 0) in vec4 colour;
layout(location = 1) in vec2 place;
layout(location = 0) out vec4 result;
layout(binding = 0) uniform Numbers { vec4 a; vec4 b; mat4 m; };
void main() {
    vec2 cell = floor(gl_FragCoord.xy / 6.0); result = vec4(vec3(mod(cell.x + cell.y, 2.0)), 1.0) * 0.5 + 0.5 * colour;
}
