// What the programs of generated draws share that read memory by addresses.

#include "../memory.glsl"

uint64_t long_word(uint64_t address, uint index) {
    return uint64_t(word(address, index)) | uint64_t(word(address, index + 1u)) << 32ul;
}

void put(uint64_t address, uint index, uint value) {
    Words(address).words[index] = value;
}
