#version 450
layout(early_fragment_tests) in;
layout(set = 0, binding = 0) buffer Words { uint words[20]; };
void main() {
    for (uint at = 0u; at < 5u; at++) words[4u * at + gl_SampleID] = at + 1u;
}
