#version 450
#extension GL_EXT_multiview : require
layout(location = 0) in float across;
layout(location = 1) flat in float view;
layout(location = 0) out vec4 colour;
void main() {
    colour = vec4(view, 10.0 + float(gl_ViewIndex), across, 1.0);
}
