#version 450
layout(location = 0) in vec4 colour;
layout(location = 1) in vec2 place;
layout(location = 0) out vec4 result;
layout(binding = 0) uniform Numbers { vec4 a; vec4 b; mat4 m; };
void main() {
    result = gl_FrontFacing ? vec4(1.0, 0.25, 0.0, 1.0) : vec4(0.0, 0.25, 1.0, 1.0);
}
