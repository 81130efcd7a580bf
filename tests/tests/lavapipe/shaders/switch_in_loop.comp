#version 450
// A loop around a switch that continues and breaks the loop through a flag.
//@ buffer 0 64 random
//@ buffer 1 64 zero

layout(local_size_x = 64) in;
layout(std430, binding = 0) readonly buffer Input { uint data[]; };
layout(std430, binding = 1) buffer Output { uint result[]; };

void main() {
    uint i = gl_GlobalInvocationID.x;
    uint state = data[i], steps = 0u, r = 0u;
    bool done = false;
    while (!done) {
        steps++;
        switch (state & 3u) {
        case 0u:
            state = state * 5u + 1u;
            continue;
        case 1u:
            state >>= 1;
            break;
        case 2u:
            state ^= 0x9e3779b9u;
            break;
        default:
            state = state / 3u;
        }
        r += state;
        done = steps > 40u || state == 0u;
    }
    result[i] = r * 31u + steps;
}
