#version 450
layout(location = 0, xfb_buffer = 1, xfb_stride=16) out Block { layout(xfb_offset=4) vec2 a; } b[2];
void main(){ b[0].a=vec2(1,2); b[1].a=vec2(3,4); gl_Position=vec4(0);}
