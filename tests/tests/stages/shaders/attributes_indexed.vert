#version 450
// As many attributes as there can be; each vertex hands on the one of its number.
layout(location = 0) in uvec4 attributes[32];
layout(location = 0) flat out uvec4 value;

void main()
{
    vec2 place = vec2(gl_VertexIndex % 8, gl_VertexIndex / 8) + 0.5;
    gl_Position = vec4(place / 4.0 - 1.0, 0.0, 1.0);
    gl_PointSize = 1.0;
    value = attributes[gl_VertexIndex];
}
