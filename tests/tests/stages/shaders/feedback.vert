#version 450
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_16bit_storage : require
layout(xfb_buffer = 1, xfb_stride = 40) out;
layout(xfb_buffer = 3, xfb_stride = 28) out;
layout(xfb_buffer = 0, xfb_stride = 48) out;
out gl_PerVertex { layout(xfb_buffer = 0, xfb_offset = 8) vec4 gl_Position; float gl_PointSize; };
layout(location = 0, xfb_buffer = 0, xfb_offset = 28) out vec3 colour;
layout(location = 1, component = 2) out float other;
layout(location = 2, xfb_buffer = 1, xfb_offset = 4) out mat2x3 rows;
layout(location = 4, xfb_buffer = 1, xfb_offset = 32) out double wide;
layout(location = 5, xfb_buffer = 3) out Block {
    layout(xfb_offset = 4) uvec2 first;
    float unseen;
    layout(xfb_offset = 16) int list[3];
} block;
layout(location = 12, xfb_buffer = 3, xfb_offset = 12) out f16vec2 halves;
void main() {
    float v = float(gl_VertexIndex);
    gl_Position = vec4(v, v + 0.25, float(gl_InstanceIndex), 1.0);
    gl_PointSize = 3.0;
    colour = vec3(10.0 + v, 20.0 + v, 30.0 + v);
    other = 99.0;
    rows = mat2x3(v, 1.0, 2.0, 3.0, 4.0, 5.0 + v);
    wide = 1.5LF + double(v);
    block.first = uvec2(gl_VertexIndex, 7u);
    block.unseen = 5.0;
    block.list = int[3](-1, gl_VertexIndex * 2, -3);
    halves = f16vec2(0.5 + v, -2.0);
}
