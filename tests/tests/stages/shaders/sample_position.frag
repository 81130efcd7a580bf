#version 450
layout(location = 0) sample noperspective in vec2 pixel;
layout(location = 0) out vec4 colour;
void main() { colour = vec4(pixel, gl_FragCoord.xy); }
