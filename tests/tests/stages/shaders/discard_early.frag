#version 450
layout(early_fragment_tests) in;
layout(location = 0) out vec4 colour;
void main() { if (int(gl_FragCoord.x) % 2 == 1) discard; colour = vec4(1.0); }
