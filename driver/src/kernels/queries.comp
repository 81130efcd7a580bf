// Writes results of queries to a buffer, in the format of `vkCmdCopyQueryPoolResults`, with `values` values per query,
// of which those whose bits are set in `reported` are written.
layout(push_constant) uniform Parameters { uint stride; uint wide; uint available; uint unfinished; uint values; uint reported; } p;
layout(set = 0, binding = 0) readonly buffer Results { uvec2 results[]; };
layout(set = 0, binding = 1) readonly buffer There { uint there[]; };
layout(set = 0, binding = 2) writeonly buffer To { uint dst[]; };

void main() {
    uint id = gl_GlobalInvocationID.x;
    uint is_there = there[id];
    uint at = id * p.stride;
    for (uint value = 0u; value < p.values; value++) {
        if ((p.reported >> value & 1u) == 0u) { continue; }
        if ((is_there | p.unfinished) != 0u) {
            uvec2 result = results[id * p.values + value];
            dst[at] = result.x;
            if (p.wide != 0u) { dst[at + 1u] = result.y; }
        }
        at += 1u + p.wide;
    }
    if (p.available != 0u) {
        dst[at] = is_there;
        if (p.wide != 0u) { dst[at + 1u] = 0u; }
    }
}
