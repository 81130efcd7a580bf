#version 450
layout(set = 0, binding = 0) buffer Counters { uint n[8]; };
layout(location = 0) out vec4 colour;
void main() {
    int x = int(gl_FragCoord.x), y = int(gl_FragCoord.y);
    if (x % 2 == 1) {
        // The inner loop never repeats.
        for (int i = 0; i < 3; i++) {
            for (int j = 0; j < 5; j++) {
                atomicAdd(n[0], 1u);
                discard;
            }
            atomicAdd(n[1], 1u);
        }
    }
    float v = 10.0 * x + 4.0 * y;
    colour = vec4(dFdxFine(v), dFdyFine(v), 0, 1);
}
