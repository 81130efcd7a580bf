// Adds the invocations of a dispatch to a statistic. One thread.
layout(push_constant) uniform Parameters { uint threads; uint statistic; } p;

void main() {
    add(p.statistic, times(times(times(uvec2(numbers[0], 0u), numbers[1]), numbers[2]), p.threads));
}
