// Writes the parameters of a draw of the vertices that were captured up to a byte. One thread.
layout(push_constant) uniform Parameters { uint instances; uint first_instance; uint before; uint stride; } p;
layout(set = 0, binding = 0) readonly buffer Counter { uint counter[]; };
layout(set = 0, binding = 1) writeonly buffer Draw { uint draw[]; };

void main() {
    uint bytes = counter[0];
    draw[0] = (bytes - min(bytes, p.before)) / p.stride;
    draw[1] = p.instances;
    draw[2] = 0u;
    draw[3] = p.first_instance;
}
