#version 450

// Captures an output that it never writes.
layout(points) in;
layout(points, max_vertices = 1) out;

layout(location = 0, xfb_buffer = 1, xfb_offset = 8, xfb_stride = 24) out vec4 unwritten;

void main() {
    gl_Position = gl_in[0].gl_Position;
    EmitVertex();
}
