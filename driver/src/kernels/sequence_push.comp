// Writes the push constants of generated draws, one thread for each sequence: those that commands have set, of which tokens replace
// some words.
layout(push_constant) uniform Parameters { uint most; uint stride; uint copies; uint numbers; } p;
layout(set = 0, binding = 0) readonly buffer Values { uint values[]; };
layout(set = 0, binding = 1) readonly buffer Count { uint count[]; };
// The push constants; pairs of a push constant and the word of the sequence that it is; push constants that are its number.
layout(set = 0, binding = 2) readonly buffer Known { uint known[]; };
layout(set = 0, binding = 3) writeonly buffer To { uint push[]; };

void main() {
    uint id = gl_GlobalInvocationID.x;
    if (id >= min(count[0], p.most)) { return; }
    uint first = 64u * id;
    uint given = id * p.stride;
    for (uint word = 0u; word < 64u; word++) { push[first + word] = known[word]; }
    uint at = 64u;
    uint end = at + 2u * p.copies;
    for (; at < end; at += 2u) { push[first + known[at]] = values[given + known[at + 1u]]; }
    end = at + p.numbers;
    for (; at < end; at++) { push[first + known[at]] = id; }
}
