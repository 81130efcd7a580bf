// Copies the parameters of draws, whose number is in memory; those of further draws become zero. `stride` is the distance of draws
// in words, `words` the words per draw.
layout(push_constant) uniform Parameters { uint stride; uint words; } p;
layout(set = 0, binding = 0) readonly buffer Draws { uint draws[]; };
layout(set = 0, binding = 1) readonly buffer Count { uint count[]; };
layout(set = 0, binding = 2) writeonly buffer To { uint dst[]; };

void main() {
    uint id = gl_GlobalInvocationID.x;
    bool is_drawn = id < count[0];
    for (uint word = 0u; word < p.words; word++) {
        uint value = 0u;
        if (is_drawn) { value = draws[id * p.stride + word]; }
        dst[id * p.words + word] = value;
    }
}
