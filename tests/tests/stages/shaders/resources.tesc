#version 450
layout(vertices=1) out;
layout(set=0,binding=0) uniform U { float level; } u[2];
void main(){ gl_TessLevelOuter[0]=u[0].level; gl_TessLevelInner[0]=u[1].level; }
