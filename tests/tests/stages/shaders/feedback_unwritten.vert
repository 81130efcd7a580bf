#version 450

// Captures an output that it never writes.
layout(location = 0, xfb_buffer = 1, xfb_offset = 8, xfb_stride = 24) out vec4 unwritten;

void main() {
    gl_Position = vec4(gl_VertexIndex);
}
