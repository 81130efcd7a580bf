#version 450
// A triangle that turns: the angle is a push constant.

layout(location = 0) in vec2 corner;
layout(location = 1) in vec3 tint;
layout(location = 0) out vec3 colour;

layout(push_constant) uniform Turn { float angle; };

void main() {
    float c = cos(angle), s = sin(angle);
    gl_Position = vec4(mat2(c, s, -s, c) * corner, 0.0, 1.0);
    colour = tint;
}
