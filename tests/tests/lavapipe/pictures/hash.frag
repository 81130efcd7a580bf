#version 450
layout(location = 0) in vec4 colour;
layout(location = 1) in vec2 place;
layout(location = 0) out vec4 result;
layout(binding = 0) uniform Numbers { vec4 a; vec4 b; mat4 m; };
void main() {
    uvec2 at = uvec2(gl_FragCoord.xy);
    uint h = at.x * 374761393u + at.y * 668265263u;
    h = (h ^ (h >> 13)) * 1274126177u;
    h ^= h >> 16;
    result = vec4(float(h & 255u), float(h >> 8 & 255u), float(bitfieldExtract(h, 16, 8)), 255.0) / 255.0;
}
