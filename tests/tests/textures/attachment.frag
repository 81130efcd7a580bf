#version 450
layout(input_attachment_index = 0, binding = 1) uniform subpassInput attachment;
layout(location = 0) out vec4 colour;
void main() {
    colour = 2.0 * subpassLoad(attachment);
}
