#version 450
layout(location = 2) flat in int triangle;
layout(location = 0) out vec4 colour;
void main() { colour = vec4(gl_PrimitiveID, triangle, gl_ViewportIndex, gl_Layer); }
