#version 450
layout(location = 0) noperspective in vec2 pixel;
layout(location = 0) out vec4 colour;
layout(push_constant) uniform Push { int which; };
void main() { colour = vec4(interpolateAtOffset(pixel, vec2(0.25, -0.375)), interpolateAtSample(pixel, which)); }
