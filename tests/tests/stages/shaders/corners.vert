#version 460
layout(location = 0) out vec3 weights;
layout(location = 1) noperspective out vec3 levels;
layout(location = 2) out float number;
layout(location = 3) out uvec2 pair;
void main() {
    vec2 places[3] = vec2[](vec2(-1.25, -0.75), vec2(2.5, -1.5), vec2(-0.5, 2.25));
    float w = gl_VertexIndex < 9 ? float[](1.0, 0.5, 3.0)[gl_VertexIndex % 3] : 1.0;
    vec2 place = places[gl_VertexIndex % 3];
    gl_Position = vec4(place, 0.5, 1) * w;
    gl_PointSize = 6.0;
    weights = vec3(equal(ivec3(gl_VertexIndex % 3), ivec3(0, 1, 2)));
    levels = weights;
    number = float(gl_VertexIndex + 1);
    pair = uvec2(0, 0x10000000 * (gl_VertexIndex + 1));
}
