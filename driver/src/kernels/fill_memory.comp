// Fills memory with an element.
layout(push_constant) uniform Parameters { Element value; } p;
layout(set = 0, binding = 0) writeonly buffer To { Element dst[]; };

void main() {
    dst[gl_GlobalInvocationID.x] = p.value;
}
