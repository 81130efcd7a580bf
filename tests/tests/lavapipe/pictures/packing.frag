#version 450
layout(location = 0) in vec4 colour;
layout(location = 1) in vec2 place;
layout(location = 0) out vec4 result;
layout(binding = 0) uniform Numbers { vec4 a; vec4 b; mat4 m; };
void main() {
    uint word = packUnorm4x8(vec4(colour.rgb, 0.5));
    vec2 halves = unpackHalf2x16(packHalf2x16(place));
    result = vec4(unpackUnorm4x8(word).zyx * 0.5 + 0.25 * vec3(abs(halves), 0.0), 1.0);
}
