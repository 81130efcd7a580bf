#version 450
layout(location = 0) flat in dvec3 wide;
layout(location = 2) flat in float after;
layout(location = 0) out vec4 colour;
void main() { colour = vec4(wide.x == 1.0 / 3.0lf ? 1.0 : 0.0, wide.y, wide.z == -1e300lf ? 1.0 : 0.0, after); }
