#version 450
layout(location = 0) in vec4 position;
layout(location = 1) in vec4 colour;
layout(location = 2) in vec2 place;
layout(binding = 0) uniform Numbers { vec4 a; vec4 b; mat4 m; };
layout(location = 0) out vec4 out_colour;
layout(location = 1) out vec2 out_place;
layout(location = 2) out vec3 normal;
void main() {
    gl_Position = position;
    normal = mat3(m) * normalize(vec3(place, 1.5));
    out_colour = vec4(colour.rgb * max(dot(normal, normalize(a.xyz)), 0.1), colour.a);
    out_place = place * b.xy;
}
