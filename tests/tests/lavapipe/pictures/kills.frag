#version 450
layout(location = 0) in vec4 colour;
layout(location = 1) in vec2 place;
layout(location = 0) out vec4 result;

// Discards in loops, before loops and in a switch; what neighbours see of the discarded invocations is in derivatives.
float spread(ivec2 at) {
    float sum = 0.25 * float(at.x % 7);
    for (int i = 0; i < 4; i++) {
        if (i == 1 && (at.x + 2 * at.y) % 5 == 3) discard;
        sum += 0.0625 * float(at.y % 5);
    }
    return sum;
}

void main() {
    ivec2 at = ivec2(gl_FragCoord.xy);
    float sum = spread(at);
    switch (at.y % 3) {
    case 0:
        if (at.x % 4 == 2) discard;
        sum += 0.125;
        break;
    default:
        sum += 0.25;
    }
    for (int i = 0; i < at.y % 2 + 2; i++) sum += 0.03125 * float(at.x % 2);
    result = vec4(0.5 + 0.5 * dFdxFine(sum), 0.5 + 0.5 * dFdyFine(sum), 0.25 * sum, 1.0) * vec4(1.0, 1.0, 1.0, colour.a);
}
