#version 450
layout(set = 0, binding = 0) buffer Counters { uint n[8]; };
layout(location = 0) out vec4 colour;
void choose(int x, inout float v) {
    switch (x % 4) {
    case 0: v += 1.0; break;
    case 1: discard;
    case 2: v += 2.0; // falls through
    default:
        for (int i = 0; i < 2; i++) for (int j = 0; j < 2; j++) {
            if (x == 6 && i + j == 1) discard;
            v += 4.0;
        }
    }
}
void main() {
    int x = int(gl_FragCoord.x), y = int(gl_FragCoord.y);
    float v = 0.0;
    choose(x, v);
    atomicAdd(n[x], 1u);
    colour = vec4(dFdxFine(7.0 * x), dFdyFine(3.0 * y), v, 1);
}
