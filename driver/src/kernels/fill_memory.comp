// Fills memory with a word.
layout(push_constant) uniform Parameters { uint word; } p;
layout(set = 0, binding = 0) writeonly buffer To { Element dst[]; };

void main() {
    dst[gl_GlobalInvocationID.x] = Element(p.word);
}
