#version 450
layout(vertices = 4) out;
layout(location = 0) in vec2 a[];
layout(location = 1) in mat2 m[];
layout(location = 0) out vec3 b[];
layout(location = 2) out Block { float f[2]; int i; } block[];
layout(location = 8) patch out vec4 p[2];

void main() {
    int id = gl_InvocationID;
    gl_out[gl_InvocationID].gl_Position = gl_in[id % gl_PatchVerticesIn].gl_Position + float(gl_PrimitiveID);
    b[gl_InvocationID] = vec3(a[id % gl_PatchVerticesIn], m[(id + 1) % gl_PatchVerticesIn][1].y);
    block[gl_InvocationID].f[id & 1] = float(id);
    block[gl_InvocationID].f[1 - (id & 1)] = -1.0;
    block[gl_InvocationID].i = id * id;
    barrier();
    int next = (id + 1) & 3;
    p[id >> 1][(id & 1) * 2] = b[next].x;
    p[id >> 1][(id & 1) * 2 + 1] = float(block[next].i) + gl_out[next].gl_Position.w;
    gl_TessLevelOuter[id] = float(10 + id);
    if (id < 2) gl_TessLevelInner[id] = float(20 + id);
}
