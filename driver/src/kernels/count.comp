// Adds the primitives of a draw to a query. One thread.
layout(push_constant) uniform Parameters {
    uint base;          // so many vertices begin no primitive
    uint step;          // further vertices per primitive
} p;
layout(set = 0, binding = 0) readonly buffer Numbers { uint numbers[]; };
layout(set = 0, binding = 1) buffer Query { uint results[]; };

void main() {
    uint count = numbers[0];
    uint primitives = (count - min(count, p.base)) / p.step;
    uint before = results[0];
    uint sum = before + primitives * numbers[1];
    results[0] = sum;
    if (sum < before) { results[1] = results[1] + 1u; }
}
