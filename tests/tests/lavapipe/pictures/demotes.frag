#version 450
#extension GL_EXT_demote_to_helper_invocation : require
layout(location = 0) in vec4 colour;
layout(location = 1) in vec2 place;
layout(location = 0) out vec4 result;

void main() {
    ivec2 at = ivec2(gl_FragCoord.xy);
    float sum = 0.25 * float(at.x % 7), seen = 0.0;
    // Which lanes are helpers from the beginning depends on how edges are rounded.
    bool outside = helperInvocationEXT();
    for (int i = 0; i < 3 + at.y % 2; i++) {
        if (i == 2 && (at.x + at.y) % 6 == 1) demote;
        if (helperInvocationEXT() && !outside) seen += 0.25;
        sum += 0.0625 * float(at.y % 5);
    }
    if (at.y % 2 == 0) {
        if (at.x % 8 == 5) demote;
        seen += helperInvocationEXT() && !outside ? 0.125 : 0.0;
    } else {
        seen += helperInvocationEXT() && !outside ? 0.125 : 0.0;
    }
    result = vec4(0.5 + 0.5 * dFdxFine(sum), 0.5 + 0.5 * dFdxFine(seen), 0.5 + 0.5 * dFdyFine(seen), colour.a);
}
