#version 450

// Emits five vertices: 0, 2 and 3 are a strip of stream 2; 1 and 4 are vertices of stream 0, in strips of their own.
layout(points) in;
layout(line_strip, max_vertices = 6) out;

layout(location = 0, stream = 0) out float of_first;
layout(location = 1, stream = 2) out float of_third;

void main() {
    gl_Position = gl_in[0].gl_Position;
    for (int at = 0; at < 5; at++) {
        of_first = float(at);
        of_third = -float(at);
        if (at % 3 == 1) {
            EmitStreamVertex(0);
            EndStreamPrimitive(0);
        } else {
            EmitStreamVertex(2);
        }
    }
}
