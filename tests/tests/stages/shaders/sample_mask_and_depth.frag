#version 450
layout(location = 0) out vec4 colour;
layout(depth_less) out float gl_FragDepth;
void main() { colour = vec4(0.5); gl_SampleMask[0] = 6; gl_FragDepth = 0.25; }
