#version 450
// The screen three times, at three depths, with two cull distances: the first triangle is culled by the first, the second has one
// that is negative at two corners only, the third is culled by the second.
out gl_PerVertex { vec4 gl_Position; float gl_CullDistance[2]; };
layout(location = 0) flat out uint triangle;

void main()
{
    int corner = gl_VertexIndex % 3;
    int number = gl_VertexIndex / 3;
    vec2 at = vec2(corner == 1 ? 3.0 : -1.0, corner == 2 ? 3.0 : -1.0);
    gl_Position = vec4(at, 0.5 - 0.125 * float(number), 1.0);
    gl_CullDistance[0] = number == 0 ? -1.0 - float(corner) : 1.0;
    gl_CullDistance[1] = number == 2 ? -0.0001 : (number == 1 && corner != 0 ? -5.0 : 0.0);
    triangle = uint(number + 1);
}
