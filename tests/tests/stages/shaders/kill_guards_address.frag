#version 450
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference_uvec2 : require
layout(buffer_reference, std430) buffer Words { uint w[]; };
layout(push_constant) uniform Constants { uvec2 address; };
layout(set = 0, binding = 0) buffer Counters { uint n[8]; };
layout(location = 0) out vec4 colour;
void main() {
    int x = int(gl_FragCoord.x), y = int(gl_FragCoord.y);
    uvec2 at = x % 2 == 1 ? uvec2(0) : address;
    if (at == uvec2(0)) discard;
    uint word = 0u;
    for (int i = 0; i <= x; i++) word += Words(at).w[7];
    colour = vec4(dFdxFine(5.0 * x), dFdyFine(3.0 * y), float(word), 1);
}
