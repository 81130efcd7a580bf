#version 450
layout(location = 0) in vec4 colour;
layout(location = 1) in vec2 place;
layout(location = 0) out vec4 result;
layout(binding = 0) uniform Numbers { vec4 a; vec4 b; mat4 m; };
void main() {
    result = vec4(0.5 + 0.4 * atan(place.y, place.x + 3.0), 0.5 + 0.3 * asin(clamp(place.x, -0.9, 0.9)), 0.3 * acos(clamp(place.y, -0.9, 0.9)), 1.0);
}
