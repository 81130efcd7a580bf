// Adds the vertices and primitives of a draw to statistics. One thread.
layout(push_constant) uniform Parameters {
    uint base;              // so many vertices begin no primitive
    uint step;              // further vertices per primitive
    uint vertices;          // the word that has the number of vertices
    uint of_vertices;       // statistics to which vertices are added, bit 0 the first
    uint of_primitives;     // those to which primitives are added
    uint invocations;       // invocations of the geometry shader per primitive
} p;

const uint GEOMETRY_SHADER_INVOCATIONS = 3u;
const uint STATISTICS = 13u;

void main() {
    uint count = numbers[0];
    uvec2 vertices = times(uvec2(numbers[p.vertices], 0u), numbers[1]);
    uvec2 primitives = times(uvec2((count - min(count, p.base)) / p.step, 0u), numbers[1]);
    for (uint statistic = 0u; statistic < STATISTICS; statistic++) {
        if ((p.of_vertices >> statistic & 1u) != 0u) { add(statistic, vertices); }
        if ((p.of_primitives >> statistic & 1u) != 0u) {
            add(statistic, times(primitives, statistic == GEOMETRY_SHADER_INVOCATIONS ? p.invocations : 1u));
        }
    }
}
