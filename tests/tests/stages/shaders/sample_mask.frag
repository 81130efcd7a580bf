#version 450
layout(location = 0) out vec4 colour;
void main() { colour = vec4(0.5); gl_SampleMask[0] = gl_SampleMaskIn[0] & 5; }
