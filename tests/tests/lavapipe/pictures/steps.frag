#version 450
layout(location = 0) in vec4 colour;
layout(location = 1) in vec2 place;
layout(location = 0) out vec4 result;
layout(binding = 0) uniform Numbers { vec4 a; vec4 b; mat4 m; };
void main() {
    result = vec4(smoothstep(0.2, 0.8, colour.r), mix(colour.g, colour.b, step(0.0, place.x + 0.013)), clamp(2.0 * colour.b - 0.5, 0.0, 1.0), 1.0);
}
