#version 450
layout(location = 0) flat in vec4 colour;
layout(location = 1) noperspective in vec2 place;
layout(location = 2) flat in int number;
layout(location = 0) out vec4 result;
void main() {
    result = vec4(float(number * 60) / 255.0, 0.5 + 0.5 * place, 1.0);
}
