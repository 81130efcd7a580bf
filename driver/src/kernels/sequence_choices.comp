// Copies the parameters of the draws of sequences for each choice of programs, one thread for each sequence and choice; those of other
// choices than that of the sequence become zero.
layout(push_constant) uniform Parameters {
    uint most;          // maximum number of sequences
    uint stride;        // words from the values of a sequence to those of the next
    uint programs;      // the first of the words that choose
    uint words;         // number of such words
    uint choices;
    uint size;          // words of the parameters of the draws of a sequence
} p;
layout(set = 0, binding = 0) readonly buffer Values { uint values[]; };
layout(set = 0, binding = 1) readonly buffer Count { uint count[]; };
// The words of each choice.
layout(set = 0, binding = 2) readonly buffer Choices { uint choice[]; };
layout(set = 0, binding = 3) readonly buffer Numbers { uint numbers[]; };
layout(set = 0, binding = 4) writeonly buffer To { uint dst[]; };

void main() {
    uint id = gl_GlobalInvocationID.x;
    uint sequence = id / p.choices;
    uint number = id - sequence * p.choices;
    bool is_chosen = sequence < min(count[0], p.most);
    if (is_chosen) {
        uint given = sequence * p.stride + p.programs;
        for (uint word = 0u; word < p.words; word++) {
            if (values[given + word] != choice[number * p.words + word]) { is_chosen = false; }
        }
    }
    for (uint word = 0u; word < p.size; word++) {
        uint value = 0u;
        if (is_chosen) { value = numbers[sequence * p.size + word]; }
        dst[id * p.size + word] = value;
    }
}
