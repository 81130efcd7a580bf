#version 450
layout(location = 0) in vec4 colour;
layout(location = 1) in vec2 place;
layout(location = 0) out vec4 result;
layout(binding = 0) uniform Numbers { vec4 a; vec4 b; mat4 m; };
void main() {
    int at = int(gl_FragCoord.x);
    vec3 c = vec3(0.0);
    if (at % 2 == 0) {
        c.r = colour.r;
        if (at % 4 == 0) c.g = colour.g; else c.b = 0.75;
    } else if (at % 3 == 0) {
        c = colour.bgr;
    } else {
        c = vec3(0.125, 0.5, colour.b);
    }
    result = vec4(c, 1.0);
}
