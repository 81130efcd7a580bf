#version 450
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
#extension GL_EXT_shader_16bit_storage : require
// 16-bit outputs that grow by a pixel across the screen.
layout(location = 0) centroid out f16vec3 smooth_value;
layout(location = 1) noperspective out float16_t linear_value;
layout(location = 2) flat out f16vec2 flat_value;

void main()
{
    int corner = gl_VertexIndex % 3;
    vec2 at = vec2(corner == 1 ? 16.0 : 0.0, corner == 2 ? 16.0 : 0.0);
    float w = 2.0;
    gl_Position = vec4((at / 4.0 - 1.0) * w, 0.5 * w, w);
    smooth_value = f16vec3(at, 1.0);
    linear_value = float16_t(at.x);
    flat_value = f16vec2(3.0, 5.0);
}
