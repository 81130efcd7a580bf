// Statistics of a query, of 64 bits each, in the order of the flags of the API.
layout(set = 0, binding = 0) readonly buffer Numbers { uint numbers[]; };
layout(set = 0, binding = 1) buffer Statistics { uvec2 statistics[]; };

// The product of a number of 64 bits and one of 32.
uvec2 times(uvec2 number, uint factor) {
    uint low = number.x & 0xffffu;
    uint high = number.x >> 16u;
    uint factor_low = factor & 0xffffu;
    uint factor_high = factor >> 16u;
    uint middle = high * factor_low + ((low * factor_low) >> 16u);
    uint other = low * factor_high + (middle & 0xffffu);
    uint carried = high * factor_high + (middle >> 16u) + (other >> 16u);
    return uvec2(number.x * factor, carried + number.y * factor);
}

void add(uint statistic, uvec2 number) {
    uvec2 before = statistics[statistic];
    uint low = before.x + number.x;
    statistics[statistic] = uvec2(low, before.y + number.y + (low < number.x ? 1u : 0u));
}
