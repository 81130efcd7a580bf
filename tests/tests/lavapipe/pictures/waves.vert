#version 450
layout(location = 0) in vec4 position;
layout(location = 1) in vec4 colour;
layout(location = 2) in vec2 place;
layout(binding = 0) uniform Numbers { vec4 a; vec4 b; mat4 m; };
layout(location = 0) out vec4 out_colour;
layout(location = 1) out vec2 out_place;
void main() {
    gl_Position = position;
    float angle = 0.7 * float(gl_VertexIndex);
    out_colour = 0.5 + 0.5 * vec4(sin(angle), cos(angle), sin(1.3 * angle), 1.0);
    out_place = vec2(place.x * cos(a.x) - place.y * sin(a.x), place.x * sin(a.x) + place.y * cos(a.x));
}
