// Writes links of control streams: to what depends on a condition, or to what follows it. A thread for each.
layout(push_constant) uniform Parameters { uint inverted; } p;
layout(set = 0, binding = 0) readonly buffer Predicate { uint predicate[]; };
layout(set = 0, binding = 1) readonly buffer Choices { uvec4 choices[]; };
layout(set = 0, binding = 2) writeonly buffer Links { uvec2 links[]; };

void main() {
    uint id = gl_GlobalInvocationID.x;
    bool executes = (predicate[0] != 0u) != (p.inverted != 0u);
    uvec4 choice = choices[id];
    links[id] = executes ? choice.xy : choice.zw;
}
