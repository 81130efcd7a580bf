#version 450
layout(location = 0) out vec4 colour;
void main() { colour = vec4(gl_SampleID, gl_SampleMaskIn[0], gl_SamplePosition); }
