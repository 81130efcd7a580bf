#version 450
#extension GL_EXT_demote_to_helper_invocation : require
layout(set = 0, binding = 0) buffer Counters { uint n[8]; };
layout(location = 0) out vec4 colour;
void main() {
    int x = int(gl_FragCoord.x), y = int(gl_FragCoord.y);
    // Both arms ask, one before its demotion and one after it.
    bool first, second;
    if (y == 1) {
        if (x == 2) demote;
        first = helperInvocationEXT();
    } else {
        first = helperInvocationEXT();
        if (x == 1) demote;
    }
    second = helperInvocationEXT();
    float seen = (first ? 1.0 : 0.0) + (second ? 2.0 : 0.0);
    for (int i = 0; i < 3; i++) {
        if (x == 3 && y == 3 && i == 1) demote;
        if (helperInvocationEXT()) seen += 4.0;
    }
    // What a demoted neighbour saw is known from differences.
    colour = vec4(dFdxFine(seen), seen, 0, 1);
}
