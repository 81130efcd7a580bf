#version 450
layout(location = 1) in float corner;
layout(location = 2) flat in int triangle;
layout(location = 0) out vec4 colour;
void main() {
    colour = vec4(corner, interpolateAtOffset(corner, vec2(0.5, 0.25)), interpolateAtCentroid(corner), triangle);
}
