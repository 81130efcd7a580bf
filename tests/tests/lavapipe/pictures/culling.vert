#version 450
layout(location = 0) in vec4 position;
layout(location = 1) in vec4 colour;
layout(location = 2) in vec2 place;
layout(binding = 0) uniform Numbers { vec4 a; vec4 b; mat4 m; };
layout(location = 0) out vec4 out_colour;
layout(location = 1) out vec2 out_place;
// One triangle is culled; the others have corners on both sides.
out gl_PerVertex { vec4 gl_Position; float gl_CullDistance[1]; };

void main() {
    gl_CullDistance[0] = gl_VertexIndex / 3 == 1 ? -1.0 : place.x;
    gl_Position = position;
    out_colour = colour;
    out_place = place;
}
