#version 450
// Constants that make a negative difference an index, and members of records.
//@ groups 2 1 1
//@ buffer 0 600 random
//@ buffer 1 256 zero

layout(local_size_x = 16) in;
struct Record { uint first; uint second; uvec2 pair; };
layout(std430, binding = 0) readonly buffer Input { Record records[]; };
layout(std430, binding = 1) buffer Output { uint result[]; };

void main() {
    int i = int(gl_GlobalInvocationID.x);
    int back = int(gl_LocalInvocationID.x);
    Record other = records[(i - 2 * back) + 16];
    result[4 * i] = other.first + records[i - back + 1].second;
    result[4 * i + 1] = other.pair.x ^ records[i + 2].pair.y;
    result[4 * i + 2] = records[(i & 3) + 3].first;
    result[4 * i + 3] = other.second;
}
