#version 450
layout(location = 0) in vec4 colour;
layout(location = 1) in vec2 place;
layout(location = 0) out vec4 result;
layout(binding = 0) uniform Numbers { vec4 a; vec4 b; mat4 m; };
void main() {
    float r = length(place); result = vec4(0.5 + 0.5 * sin(9.0 * r), 0.5 + 0.5 * cos(7.0 * r), r, 1.0);
}
