#version 450
out float gl_ClipDistance[2];
out float gl_CullDistance[1];
layout(location = 0) noperspective out vec2 pixel;
void main() {
    vec2 at = vec2(gl_VertexIndex % 3 == 1 ? 16.0 : 0.0, gl_VertexIndex % 3 == 2 ? 16.0 : 0.0);
    pixel = at;
    gl_ClipDistance[0] = at.x + 1.0;
    gl_ClipDistance[1] = 2.0;
    gl_CullDistance[0] = at.y - 1.0;
    gl_Position = vec4(at / 4.0 - 1.0, 0.5, 1.0);
}
