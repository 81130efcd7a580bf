#version 450
#extension GL_EXT_multiview : require
// A triangle over the whole screen of 8 × 8 pixels, moved to the right by the number of the view.
layout(location = 0) out float across;
layout(location = 1) flat out float view;
void main() {
    vec2 at = vec2(gl_VertexIndex % 3 == 1 ? 16.0 : 0.0, gl_VertexIndex % 3 == 2 ? 16.0 : 0.0);
    across = at.x;
    view = float(gl_ViewIndex);
    gl_Position = vec4((at.x + float(gl_ViewIndex)) / 4.0 - 1.0, at.y / 4.0 - 1.0, 0.5, 1.0);
}
