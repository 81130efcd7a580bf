#version 450
layout(set = 0, binding = 0) buffer Counters { uint all; uint rest; uint seen[]; };
layout(early_fragment_tests) in;
layout(location = 0) out vec4 colour;
void main() {
    atomicAdd(all, 1);
    if (int(gl_FragCoord.x) == 2) discard;
    uint before = atomicAdd(rest, 1);
    seen[int(gl_FragCoord.y) * 8 + int(gl_FragCoord.x)] = 1;
    colour = vec4(before >= 0 ? 1.0 : 0.0);
}
