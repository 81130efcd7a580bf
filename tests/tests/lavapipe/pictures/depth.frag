#version 450
layout(location = 0) in vec4 colour;
layout(location = 1) in vec2 place;
layout(location = 0) out vec4 result;
layout(binding = 0) uniform Numbers { vec4 a; vec4 b; mat4 m; };
void main() {
    gl_FragDepth = fract(gl_FragCoord.x / 13.0) * 0.5 + 0.25 * colour.r; result = vec4(colour.rgb, 1.0);
}
