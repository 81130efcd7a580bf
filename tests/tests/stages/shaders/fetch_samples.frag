#version 450
// For each sample; what its neighbour holds goes beside.
layout(input_attachment_index = 3, set = 0, binding = 0) uniform subpassInputMS previous;
layout(location = 1) out vec4 colour;

void main()
{
    vec4 own = subpassLoad(previous, gl_SampleID);
    colour = own * 2.0 + vec4(gl_SampleID + 1, 0.0, 1.0, 1.0);
}
