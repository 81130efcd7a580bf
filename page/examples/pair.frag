#version 450
// The interpolated colour, with rings from its brightness.

layout(location = 0) in vec3 colour;
layout(location = 0) out vec4 result;

void main() {
    float light = dot(colour, vec3(0.2126, 0.7152, 0.0722));
    result = vec4(colour * (0.8 + 0.2 * sin(40.0 * light)), 1.0);
}
