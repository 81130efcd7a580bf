// Adds the primitives of a draw to a query. One thread.
layout(push_constant) uniform Parameters {
    uint corners;       // vertices of a primitive
    uint is_strip;      // all but so many vertices begin a primitive
} p;
layout(set = 0, binding = 0) readonly buffer Numbers { uint numbers[]; };
layout(set = 0, binding = 1) buffer Query { uint results[]; };

void main() {
    uint count = numbers[0];
    uint primitives = count / p.corners;
    if (p.is_strip != 0u) { primitives = count - min(count, p.corners - 1u); }
    uint before = results[0];
    uint sum = before + primitives * numbers[1];
    results[0] = sum;
    if (sum < before) { results[1] = results[1] + 1u; }
}
