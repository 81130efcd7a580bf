// Fills texels of an image.
layout(push_constant) uniform Parameters { Value value; ivec3 at; } p;
layout(set = 0, binding = 0, FORMAT) writeonly uniform Image dst;

void main() {
    imageStore(dst, p.at + ivec3(gl_GlobalInvocationID), p.value);
}
