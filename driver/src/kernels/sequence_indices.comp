// Writes the records of generated draws with index buffers, one thread for each draw. The record of a draw of a sequence that does not
// exist returns.
layout(push_constant) uniform Parameters {
    uvec2 numbers;      // address of the parameters of the draws, of five words each
    uint most;          // maximum number of sequences
    uint draws;         // draws of a sequence
    uint stride;        // words from the values of a sequence to those of the next
    uint indices;       // the first of the words with the index buffer
    uint head;          // the record of a draw without address and size of indices
    uint restart;       // the record before an index that restarts; 0 if none does
    uint end;           // the record that returns
} p;
layout(set = 0, binding = 0) readonly buffer Values { uint values[]; };
layout(set = 0, binding = 1) readonly buffer Count { uint count[]; };
layout(set = 0, binding = 2) writeonly buffer To { uint record[]; };

void main() {
    uint id = gl_GlobalInvocationID.x;
    uint at = 8u * id;
    uint sequence = id / p.draws;
    if (sequence >= min(count[0], p.most)) {
        record[at] = p.end;
        return;
    }
    uint given = sequence * p.stride + p.indices;
    // Types of indices of Vulkan, and formats of DXGI.
    uint kind = values[given + 3u];
    uint shift = 0u;
    if (kind == 0u || kind == 57u) { shift = 1u; }
    if (kind == 1u || kind == 42u) { shift = 2u; }
    if (p.restart != 0u) {
        record[at] = p.restart;
        record[at + 1u] = 0xffffffffu >> (32u - (8u << shift));
        at += 2u;
    }
    uint numbers = p.numbers.x + 20u * id;
    record[at] = p.head | (values[given + 1u] & 0xffu) | (shift << 17u);
    record[at + 1u] = values[given];
    record[at + 2u] = p.numbers.y + (numbers < p.numbers.x ? 1u : 0u);
    record[at + 3u] = numbers;
    record[at + 4u] = (values[given + 2u] >> 2u) + ((values[given + 2u] & 3u) != 0u ? 1u : 0u);
    record[at + 5u] = p.end;
}
