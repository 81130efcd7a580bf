#version 450
layout(quads, fractional_odd_spacing, cw, point_mode) in;
layout(location = 0) in vec3 b[];
layout(location = 2) in Block { float f[2]; int i; } block[];
layout(location = 6) in vec4 missing[];
layout(location = 8) patch in vec4 p[2];
layout(location = 0) out vec4 c;
layout(location = 1) out vec4 d;

void main() {
    int k = int(gl_TessCoord.x * 3.0);
    gl_Position = gl_in[k].gl_Position;
    c = vec4(b[k].z, block[k].f[1], float(block[3].i), p[1].w + missing[k].x);
    d = vec4(gl_TessCoord.y, gl_TessLevelOuter[2], gl_TessLevelInner[1], float(gl_PrimitiveID + gl_PatchVerticesIn));
}
