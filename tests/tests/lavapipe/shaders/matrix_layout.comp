#version 450
// Row-major and column-major matrices in a uniform buffer, with a dynamic column.
//@ uniform 0 28 f32 -4 4
//@ buffer 1 64 zero

layout(local_size_x = 64) in;
layout(std140, binding = 0) uniform Matrices {
    layout(row_major) mat3 rows;
    layout(column_major) mat2x4 columns;
    vec2 last[2];
};
layout(std430, binding = 1) buffer Output { float result[]; };

void main() {
    uint i = gl_GlobalInvocationID.x;
    result[i] = i < 32u ? rows[i % 3u][(i / 3u) % 3u] : i < 60u ? columns[i & 1u][(i >> 1) & 3u] : last[i & 1u].y;
}
