// Writes the launches of generated dispatches, one thread for each sequence. The block of a launch is copied from the template of its
// program; tokens replace words of it. After the last launch is a record that returns.
layout(push_constant) uniform Parameters {
    uvec2 blocks;       // address of the blocks
    uint code;          // the same, relative to the base of shaders
    uint block_words;
    uint most;          // maximum number of sequences
    uint stride;        // words from the values of a sequence to those of the next
    uint program;       // the word with the number of the program; all ones if there is one only
    uint groups;        // the first of the words with numbers of workgroups
    uint barrier;       // the record after a launch
    uint end_low;       // the record that returns
    uint end_high;
} p;
layout(set = 0, binding = 0) readonly buffer Values { uint values[]; };
layout(set = 0, binding = 1) readonly buffer Count { uint count[]; };
layout(set = 0, binding = 2) readonly buffer Templates { uint known[]; };
layout(set = 0, binding = 3) writeonly buffer Records { uint record[]; };
layout(set = 0, binding = 4) writeonly buffer Blocks { uint block[]; };

// Writes the word of 64 bits at `place` of a template's block with an address added to it.
void relocate(uint from, uint to, uint place, uvec2 address) {
    uint low = known[from + place];
    uint sum = low + address.x;
    block[to + place] = sum;
    block[to + place + 1u] = known[from + place + 1u] + address.y + (sum < low ? 1u : 0u);
}

void main() {
    uint id = gl_GlobalInvocationID.x;
    uint first = 9u * id;
    uint total = min(count[0], p.most);
    if (id >= total) {
        if (id == total) {
            record[first] = p.end_low;
            record[first + 1u] = p.end_high;
        }
        return;
    }
    uint given = id * p.stride;
    uint program = 0u;
    if (p.program != 0xffffffffu) { program = values[given + p.program]; }
    uint head = known[program];
    uint from = head + 9u;
    uint to = id * p.block_words;
    uint words = known[head];
    for (uint word = 0u; word < words; word++) { block[to + word] = known[from + word]; }
    uint low = p.blocks.x + 4u * to;
    uvec2 address = uvec2(low, p.blocks.y + (low < p.blocks.x ? 1u : 0u));
    // Words that load registers have the address from bit 24 on.
    uvec2 shifted = uvec2(address.x << 24u, (address.y << 24u) | (address.x >> 8u));
    uint at = from + words;
    uint end = at + known[head + 1u];
    for (; at < end; at++) { relocate(from, to, known[at], shifted); }
    end = at + known[head + 2u];
    for (; at < end; at++) { relocate(from, to, known[at], address); }
    end = at + 2u * known[head + 3u];
    for (; at < end; at += 2u) { block[to + known[at]] = values[given + known[at + 1u]]; }
    end = at + known[head + 4u];
    for (; at < end; at++) { block[to + known[at]] = id; }
    record[first] = known[head + 8u];
    record[first + 1u] = p.code + 4u * to;
    for (uint axis = 0u; axis < 3u; axis++) {
        uint size = known[head + 5u + axis];
        record[first + 2u + axis] = values[given + p.groups + axis] * size;
        record[first + 5u + axis] = size;
    }
    record[first + 8u] = p.barrier;
}
