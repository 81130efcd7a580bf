#version 450
layout(location = 0) flat out dvec3 wide;
layout(location = 2) flat out float after;
void main() {
    vec2 at = vec2(gl_VertexIndex % 3 == 1 ? 16.0 : 0.0, gl_VertexIndex % 3 == 2 ? 16.0 : 0.0);
    wide = dvec3(1.0 / 3.0lf, 2.5lf, -1e300lf);
    after = 7.0;
    gl_Position = vec4(at / 4.0 - 1.0, 0.5, 1.0);
}
