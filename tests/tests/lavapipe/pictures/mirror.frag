#version 450
layout(location = 0) in vec4 colour;
layout(location = 1) in vec2 place;
layout(location = 2) in vec3 normal;
layout(location = 0) out vec4 result;
layout(binding = 0) uniform Numbers { vec4 a; vec4 b; mat4 m; };
void main() {
    vec3 n = normalize(normal);
    vec3 r = reflect(-normalize(a.xyz), n);
    result = vec4(colour.rgb + 0.5 * pow(max(r.z, 0.0), 8.0), 1.0);
}
