#version 450
layout(location = 0) flat in uint triangle;
layout(location = 0) out vec4 colour;

void main() { colour = vec4(triangle); }
