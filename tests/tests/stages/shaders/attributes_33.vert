#version 450
// One attribute more than there can be.
layout(location = 0) in uvec4 attributes[32];
layout(location = 32) in float more;

void main()
{
    gl_Position = vec4(more);
    for (int i = 0; i < 32; i++)
        gl_Position += vec4(attributes[i]);
}
