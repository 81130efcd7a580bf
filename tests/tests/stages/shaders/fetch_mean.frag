#version 450
// All samples at once, in divergent control flow.
layout(input_attachment_index = 3, set = 0, binding = 0) uniform subpassInputMS previous;
layout(location = 1) out vec4 colour;

void main()
{
    colour = vec4(1.0);
    if (int(gl_FragCoord.x) % 2 == 1) {
        for (int i = 0; i < 4; i++)
            colour += subpassLoad(previous, i);
    }
}
