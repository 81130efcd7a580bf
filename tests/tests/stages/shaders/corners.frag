#version 460
#extension GL_EXT_fragment_shader_barycentric : require
layout(location = 0) in vec3 weights;
layout(location = 1) noperspective in vec3 levels;
layout(location = 2) pervertexEXT in float number[3];
layout(location = 3) pervertexEXT in uvec2 pair[3];
layout(location = 0) out vec4 colour;
float largest(vec3 v) { return max(max(abs(v.x), abs(v.y)), abs(v.z)); }
void main() {
    float error = max(largest(gl_BaryCoordEXT - weights), largest(gl_BaryCoordNoPerspEXT - levels));
    vec2 offset = vec2(0.25, -0.125);
    error = max(error, largest(interpolateAtOffset(gl_BaryCoordEXT, offset) - interpolateAtOffset(weights, offset)));
    error = max(error, largest(interpolateAtCentroid(gl_BaryCoordNoPerspEXT) - interpolateAtCentroid(levels)));
    uint high = (pair[0].y >> 28) + (pair[1].y >> 28) * 10 + (pair[2].y >> 28) * 100;
    colour = vec4(error, number[0] + 10 * number[1] + 100 * number[2], float(high), gl_BaryCoordEXT.x);
}
