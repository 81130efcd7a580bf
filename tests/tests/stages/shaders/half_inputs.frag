#version 450
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
#extension GL_EXT_shader_16bit_storage : require
layout(location = 0) centroid in f16vec3 smooth_value;
layout(location = 1) noperspective in float16_t linear_value;
layout(location = 2) flat in f16vec2 flat_value;
layout(location = 0) out vec4 colour;

void main()
{
    colour = vec4(linear_value * smooth_value.z, float16_t(0.0) + flat_value.x * flat_value.y, smooth_value.x, smooth_value.y - smooth_value.y);
}
