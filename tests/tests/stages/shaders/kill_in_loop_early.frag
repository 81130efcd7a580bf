#version 450
layout(set = 0, binding = 0) buffer Counters { uint n[8]; };
layout(location = 0) out vec4 colour;
float sum(int x, int y) {
    float v = 10.0 * x;
    for (int i = 0; i < 3; i++) {
        if (i == 1 && (x + y) % 3 == 1) discard;
        v += 2.0 * y;
        atomicAdd(n[i], 1u);
    }
    return v;
}
layout(early_fragment_tests) in;
void main() {
    int x = int(gl_FragCoord.x), y = int(gl_FragCoord.y);
    float v = sum(x, y);
    // A loop after the discard, with as many iterations as its row.
    for (int i = 0; i < y / 2; i++) { v += 3.0 * x; }
    colour = vec4(dFdxFine(v), dFdyFine(v), v, 1);
}
