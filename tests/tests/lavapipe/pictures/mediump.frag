#version 310 es
precision mediump float;
layout(location = 0) in vec4 colour;
layout(location = 1) in vec2 place;
layout(location = 0) out vec4 result;
layout(binding = 0) uniform Numbers { vec4 a; vec4 b; mat4 m; };
vec3 tint(vec3 from, float amount) {
    if (amount > 0.5)
        return from * amount;
    return mix(from, b.rgb, amount);
}
void main() {
    vec2 p = place * 0.5 + 0.5;
    float rim = clamp(1.0 - dot(p, p), 0.0, 1.0);
    vec3 sum = vec3(0.0);
    for (int i = 0; i < 3; i++)
        sum += tint(colour.rgb, rim * float(i)) * 0.25;
    result = vec4(min(sum, vec3(1.0)), colour.a);
}
