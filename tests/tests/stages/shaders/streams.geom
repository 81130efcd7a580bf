#version 450

// Emits the vertices 0 and 2 of three to stream 1, and vertex 1 to stream 0.
layout(points) in;
layout(points, max_vertices = 4) out;

layout(location = 1) in vec2 number[];

layout(location = 0, stream = 0) out float of_first;
layout(location = 1, stream = 1, xfb_buffer = 2, xfb_offset = 4, xfb_stride = 8) out float of_second;

void main() {
    gl_Position = gl_in[0].gl_Position;
    for (int at = 0; at < 3; at++) {
        of_first = number[0].x + float(at);
        of_second = number[0].y - float(at);
        if (at == 1) {
            EmitStreamVertex(0);
            EndStreamPrimitive(0);
        } else {
            EmitStreamVertex(1);
            EndStreamPrimitive(1);
        }
    }
}
