#version 450
layout(location = 0) in vec4 colour;
layout(location = 1) in vec2 place;
layout(location = 0) out vec4 result;
layout(binding = 0) uniform Numbers { vec4 a; vec4 b; mat4 m; };
void main() {
    vec4 c = vec4(0.0, 0.0, 0.0, 1.0);
    switch (int(gl_FragCoord.y) % 5) {
    case 0: c.r = 1.0; break;
    case 1: c.g = colour.g;
    case 2: c.b += 0.5; break;
    case 3: c = colour; break;
    default: c.rg = vec2(0.25, 0.75);
    }
    result = c;
}
