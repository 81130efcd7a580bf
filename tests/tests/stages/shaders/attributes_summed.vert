#version 450
// All attributes at once, each by its own weight.
layout(location = 0) in uvec4 attributes[32];
layout(location = 0) flat out uvec4 value;

void main()
{
    vec2 place = vec2(gl_VertexIndex % 8, gl_VertexIndex / 8) + 0.5;
    gl_Position = vec4(place / 4.0 - 1.0, 0.0, 1.0);
    gl_PointSize = 1.0;
    value = uvec4(0);
    for (int i = 0; i < 32; i++)
        value += uint(i + 1) * attributes[i];
}
