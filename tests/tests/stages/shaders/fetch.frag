#version 450
// What the target holds, halved, plus a quarter of the place.
layout(input_attachment_index = 3, set = 0, binding = 0) uniform subpassInput previous;
layout(location = 1) out vec4 colour;

void main()
{
    colour = subpassLoad(previous) * 0.5 + vec4(0.25, 0.5, gl_FragCoord.x / 32.0, 0.125);
}
