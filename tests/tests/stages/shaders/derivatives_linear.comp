#version 450
#extension GL_NV_compute_shader_derivatives : require
// Derivatives and levels of detail in a compute shader, eight words for each invocation.
layout(local_size_x = 6, local_size_y = 4, local_size_z = 3) in;
layout(derivative_group_linearNV) in;
layout(set = 0, binding = 0) buffer Out { float words[]; };
layout(set = 0, binding = 1) uniform sampler2D levels;

void main()
{
    uvec3 place = gl_LocalInvocationID;
    float x = float(place.x), y = float(place.y), i = float(gl_LocalInvocationIndex);
    float value = 3.0 * x * x + 5.0 * x * y + 7.0 * y * y + float(place.z) + i * i;
    uint global = gl_GlobalInvocationID.x + 12 * (gl_GlobalInvocationID.y + 4 * gl_GlobalInvocationID.z);
    uint first = 8 * global;
    words[first] = dFdx(value);
    words[first + 1] = dFdyFine(value);
    words[first + 2] = fwidth(value);
    words[first + 3] = value;
    // Coordinates grow by two texels of the first level.
    vec2 at = vec2(2.0 * i / 64.0, 0.5);
    words[first + 4] = texture(levels, at).x;
    words[first + 5] = texture(levels, at, 1.0).x;
    words[first + 6] = i;
}
