#version 450
layout(set = 0, binding = 0) buffer Counters { uint n[8]; };
layout(location = 0) out vec4 colour;
void main() {
    int x = int(gl_FragCoord.x), y = int(gl_FragCoord.y);
    uint count = 0u;
    // Odd columns leave the loop by the discard only.
    for (;;) {
        if (count >= uint(y) && x % 2 == 0) break;
        atomicAdd(n[0], 1u);
        if (count == 3u) discard;
        count++;
    }
    // Nothing but a discard ends this one.
    if (y == 2) for (;;) { atomicAdd(n[1], 1u); if (n[2] == 0u) discard; }
    float v = 10.0 * x + 4.0 * y;
    colour = vec4(dFdxFine(v), dFdyFine(v), float(count), 1);
}
