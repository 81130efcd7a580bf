// Adds the invocations of generated launches, of nine words each, to a statistic. One thread.
layout(push_constant) uniform Parameters { uint most; uint statistic; } p;

void main() {
    for (uint at = 0u; at < 9u * p.most && numbers[at] >> 29u == 0u; at += 9u) {
        add(p.statistic, times(times(uvec2(numbers[at + 2u], 0u), numbers[at + 3u]), numbers[at + 4u]));
    }
}
