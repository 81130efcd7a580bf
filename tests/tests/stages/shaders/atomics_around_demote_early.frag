#version 450
#extension GL_EXT_demote_to_helper_invocation : require
layout(set = 0, binding = 0) buffer Counters { uint n[8]; };
layout(location = 0) out vec4 colour;
layout(early_fragment_tests) in;
void main() {
    int x = int(gl_FragCoord.x), y = int(gl_FragCoord.y);
    for (int i = 0; i < y + 3; i++) {
        if (i == 2 && x == 2) demote;
        atomicAdd(n[x], 1u);
    }
    colour = vec4(1);
}
