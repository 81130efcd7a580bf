#version 450
// Attributes of two locations, of one, and what comes after.
layout(location = 0) in dvec3 three;
layout(location = 2) in dvec4 four;
layout(location = 4) in double one;
layout(location = 5) in uint after;
layout(location = 0) flat out uvec4 value;

void main()
{
    vec2 place = vec2(gl_VertexIndex % 8, gl_VertexIndex / 8) + 0.5;
    gl_Position = vec4(place / 4.0 - 1.0, 0.0, 1.0);
    gl_PointSize = 1.0;
    value = uvec4(unpackDouble2x32(three.x + three.z), uint(four.y * four.w), uint(one) + after);
}
