#version 450
layout(set = 0, binding = 0) buffer Counters { uint n[8]; };
layout(location = 0) out vec4 colour;
void main() {
    int x = int(gl_FragCoord.x), y = int(gl_FragCoord.y);
    if (y == 1) {
        if (x == 2) discard;
        atomicAdd(n[1], 1u);
    } else {
        atomicAdd(n[0], 1u);
    }
    colour = vec4(1);
}
