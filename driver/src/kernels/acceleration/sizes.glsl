// Sizes of a structure, from its header.

uint handles_of(uint64_t structure) {
    return word(structure, 2u) == INSTANCES ? word(structure, 1u) : 0u;
}

uint64_t bytes_of(uint64_t structure) {
    uint leaves = word(structure, 1u);
    uint leaf_bytes = word(structure, 2u) == INSTANCES ? 128u : 48u;
    return uint64_t(HEADER) + uint64_t(word(structure, 0u)) * uint64_t(NODE) + uint64_t(leaves) * uint64_t(leaf_bytes);
}

// Bytes before the structure in its serialised form: two identifiers, three sizes, and the handles.
uint64_t header_of(uint handles) {
    return 56ul + uint64_t(handles) * 8ul;
}
