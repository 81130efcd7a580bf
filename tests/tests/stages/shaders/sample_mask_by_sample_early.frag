#version 450
layout(early_fragment_tests) in;
layout(location = 0) out vec4 colour;
void main() { colour = vec4(gl_SampleID + 1); gl_SampleMask[0] = 6; }
