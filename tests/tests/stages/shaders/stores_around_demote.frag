#version 450
#extension GL_EXT_demote_to_helper_invocation : require
layout(set = 0, binding = 0) buffer Words { uint n[64]; };
layout(location = 0) out vec4 colour;
void main() {
    int x = int(gl_FragCoord.x), y = int(gl_FragCoord.y), at = 8 * y + x;
    n[at] = 1u;
    if (x == 2) demote;
    n[at] = 2u;
    if (y == 1) demote;
    n[at] += 4u;
    colour = vec4(1);
}
