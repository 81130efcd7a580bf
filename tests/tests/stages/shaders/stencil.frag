#version 450
#extension GL_ARB_shader_stencil_export : require
void main() { gl_FragStencilRefARB = int(gl_FragCoord.x) + 3; gl_FragDepth = 0.125; }
