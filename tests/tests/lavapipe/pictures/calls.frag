#version 450
layout(location = 0) in vec4 colour;
layout(location = 1) in vec2 place;
layout(location = 0) out vec4 result;
layout(binding = 0) uniform Numbers { vec4 a; vec4 b; mat4 m; };
struct Light { vec3 rgb; float scale; };
void brighten(inout Light light, vec3 by) {
    if (by.r > by.g) {
        light.scale = 0.9;
        light.rgb += by;
        return;
    }
    light.rgb += 2.0 * by * light.scale;
}
void main() {
    Light light = Light(vec3(0.1), 0.5);
    brighten(light, colour.rgb);
    result = vec4(light.rgb * light.scale, 1.0);
}
