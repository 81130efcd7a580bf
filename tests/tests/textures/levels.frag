#version 450
layout(binding = 1) uniform sampler2D levels;
layout(location = 0) out vec4 colour;
void main() {
    // The coordinates move by 2^1.5 texels a pixel, so the level is 1.5.
    vec2 at = gl_FragCoord.xy * (2.828427 / 8.0);
    if (gl_FragCoord.x < 1.0) {
        discard;
    }
    colour = vec4(texture(levels, at).x, texture(levels, at, 1.0).x, textureQueryLod(levels, at));
}
