// Operations across lanes. The test puts the version, SIZE, COUNT, TYPE, LOAD and RESULTS before this text; RESULTS is a
// list of STORE(number, value).
layout(local_size_x = SIZE) in;
layout(set = 0, binding = 0) readonly buffer Input { uvec4 data[]; };
layout(set = 0, binding = 1) buffer Output { uvec2 results[]; };

#define STORE(number, value) results[at * COUNT + number] = unpackUint2x32(uint64_t(value));

void main() {
    uint at = gl_LocalInvocationIndex;
    uint64_t raw = packUint2x32(data[at].xy);
    uint other = data[at].z;
    bool odd = (data[at].x & 1u) != 0u;
    TYPE x = LOAD;
    // Bit 0: whether the lane takes part. Bit 1: whether it leaves before.
    uint role = data[at].w;
    if ((role & 2u) != 0u) {
        return;
    }
    if ((role & 1u) != 0u) {
        RESULTS
    }
}
