#version 450
layout(input_attachment_index = 3, set = 0, binding = 0) uniform isubpassInput previous;
layout(location = 1) out ivec4 colour;

void main() { colour = subpassLoad(previous) * 2 - ivec4(1, 2, 3, 4); }
