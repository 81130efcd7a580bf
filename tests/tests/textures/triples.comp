#version 450
layout(local_size_x = 1) in;
layout(set = 0, binding = 0) buffer Out { uint found[]; };
layout(set = 0, binding = 1) uniform usamplerBuffer triples;
layout(set = 0, binding = 2) uniform usamplerBuffer quads;

void main() {
    for (int at = 0; at < 4; at++) {
        uvec4 triple = texelFetch(triples, at);
        uvec4 quad = texelFetch(quads, at);
        for (int component = 0; component < 4; component++) {
            found[8 * at + component] = triple[component];
            found[8 * at + 4 + component] = quad[component];
        }
    }
    found[32] = uint(textureSize(triples));
    found[33] = uint(textureSize(quads));
}
