#version 450
layout(location = 0) flat in uint triangle;
layout(early_fragment_tests) in;
layout(location = 0) out vec4 colour;

void main() { colour = vec4(triangle); }
