// Copies elements of memory.
layout(set = 0, binding = 0) readonly buffer From { Element src[]; };
layout(set = 0, binding = 1) writeonly buffer To { Element dst[]; };

void main() {
    dst[gl_GlobalInvocationID.x] = src[gl_GlobalInvocationID.x];
}
