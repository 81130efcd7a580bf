#version 450
layout(set = 0, binding = 0) buffer Counters { uint all; uint rest; };
layout(location = 0) out vec4 colour;
void main() {
    if (gl_SampleID == 1) discard;
    atomicAdd(all, 1);
    colour = vec4(gl_SampleID + 1);
}
