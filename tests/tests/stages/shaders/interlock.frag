#version 450
#extension GL_ARB_fragment_shader_interlock : require
layout(pixel_interlock_ordered) in;
layout(early_fragment_tests) in;
layout(set = 0, binding = 0) buffer Last { uint last[64]; };
layout(location = 2) flat in int triangle;
layout(location = 0) out vec4 colour;
void main() {
    int at = int(gl_FragCoord.y) * 8 + int(gl_FragCoord.x);
    beginInvocationInterlockARB();
    last[at] = last[at] * 10 + triangle + 1;
    endInvocationInterlockARB();
    colour = vec4(1.0);
}
