#version 450
#extension GL_EXT_demote_to_helper_invocation : require
layout(set = 0, binding = 0) buffer Counters { uint demoted; uint alive; };
layout(early_fragment_tests) in;
layout(location = 0) out vec4 colour;
void main() {
    float slope = 0.0;
    bool before = helperInvocationEXT();
    if (int(gl_FragCoord.x) % 2 == 1) demote;
    bool after = helperInvocationEXT();
    slope = dFdx(gl_FragCoord.x);
    if (after && !before) atomicAdd(demoted, 1); // in vain
    if (!after) atomicAdd(alive, 1);
    colour = vec4(slope, after ? 1.0 : 0.0, 0.0, 1.0);
}
