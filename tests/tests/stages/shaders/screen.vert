#version 450
// A triangle over the whole screen of 8 × 8 pixels, with different w at its corners.
layout(location = 0) noperspective out vec2 pixel;
layout(location = 1) out float corner;
layout(location = 2) flat out int triangle;
void main() {
    vec2 at = vec2(gl_VertexIndex % 3 == 1 ? 16.0 : 0.0, gl_VertexIndex % 3 == 2 ? 16.0 : 0.0);
    float w = float(1 << (gl_VertexIndex % 3));
    pixel = at;
    corner = float(gl_VertexIndex % 3);
    triangle = gl_VertexIndex / 3;
    gl_Position = vec4((at / 4.0 - 1.0) * w, 0.5 * w, w);
}
