#version 450
layout(triangles, invocations = 2) in;
layout(triangle_strip, max_vertices = 6) out;
layout(location = 1) in vec2 a[];
layout(location = 2) out vec3 b;

void main() {
    int count = gl_InvocationID == 0 ? 5 : gl_PrimitiveIDIn * 7;
    for (int i = 0; i < count; i++) {
        if (i == 4) EndPrimitive();
        gl_Position = gl_in[i % 3].gl_Position;
        gl_Layer = i;
        b = vec3(a[i % 3], gl_PrimitiveIDIn);
        EmitVertex();
    }
}
