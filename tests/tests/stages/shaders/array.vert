#version 450
// Element k of the array is the pixel plus k, and 17 elements are more than are kept in registers when an index is computed.
layout(location = 0) noperspective out vec2 values[17];
layout(location = 20) noperspective out float few[3];
void main() {
    vec2 at = vec2(gl_VertexIndex % 3 == 1 ? 16.0 : 0.0, gl_VertexIndex % 3 == 2 ? 16.0 : 0.0);
    for (int k = 0; k < 17; k++)
        values[k] = at + float(k);
    few = float[3](at.x, at.y, at.x + at.y);
    gl_Position = vec4(at / 4.0 - 1.0, 0.5, 1.0);
}
