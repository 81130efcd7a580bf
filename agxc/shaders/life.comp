#version 450
// Conway's Game of Life, 32 cells in a word: one invocation computes the next generation of a word by counting the
// neighbours of all 32 cells at once in bit-sliced adders. The world is a torus.

layout(local_size_x = 32) in;

// Words in a row; the row has 32 times as many cells.
layout(constant_id = 0) const uint WORDS = 8;

layout(push_constant) uniform World {
    uint rows;
};
layout(set = 0, binding = 0, std430) readonly buffer Now { uint now[]; };
layout(set = 0, binding = 1, std430) writeonly buffer Next { uint next[]; };

// The three neighbours that each cell of a word has in one row: to the west, in the middle, to the east.
struct Three {
    uint west;
    uint middle;
    uint east;
};

Three look(uint row, uint column) {
    uint left = now[row * WORDS + (column + WORDS - 1) % WORDS];
    uint middle = now[row * WORDS + column];
    uint right = now[row * WORDS + (column + 1) % WORDS];
    return Three((middle << 1) | (left >> 31), middle, (middle >> 1) | (right << 31));
}

// Bit-sliced full adder: sum in x, carry in y.
uvec2 add(uint a, uint b, uint c) {
    return uvec2(a ^ b ^ c, (a & b) | (c & (a ^ b)));
}

void main() {
    uint row = gl_GlobalInvocationID.x / WORDS;
    uint column = gl_GlobalInvocationID.x % WORDS;
    if (row >= rows) {
        return;
    }
    Three above = look((row + rows - 1) % rows, column);
    Three here = look(row, column);
    Three below = look((row + 1) % rows, column);

    // Eight neighbours, of weight one: two full adders and a half adder, then their sums and carries.
    uvec2 upper = add(above.west, above.middle, above.east);
    uvec2 lower = add(below.west, below.middle, below.east);
    uvec2 sides = uvec2(here.west ^ here.east, here.west & here.east);
    uvec2 ones = add(upper.x, lower.x, sides.x);
    uvec2 twos = add(upper.y, lower.y, sides.y);

    // ones.x has weight 1, ones.y and twos.x have weight 2, twos.y has weight 4. Exactly two or three neighbours means
    // that one of the weight-2 bits is set and nothing above them.
    uint two_or_three = (ones.y ^ twos.x) & ~twos.y;
    next[row * WORDS + column] = two_or_three & (ones.x | here.middle);
}
