#version 450
layout(location = 0) noperspective in vec2 values[17];
layout(location = 20) noperspective in float few[3];
layout(location = 0) out vec4 colour;
layout(push_constant) uniform Push { int which; };
void main() {
    int column = int(gl_FragCoord.x);
    vec2 far = interpolateAtOffset(values[2 * column + which], vec2(0.25, -0.375));
    colour = vec4(far, interpolateAtOffset(few[column % 3], vec2(0.25, 0.125)), values[which + column].x);
}
