// C = A · B for square matrices in row order, tiled in registers.
//
// Every invocation computes a tile of 4 × 4 elements: one step along k loads four elements of a row of B and four
// of a column of A, eight loads for sixteen multiply-adds. Without workgroup memory there is nothing to wait for, so the
// shader has no barrier.

struct Shape {
    // Rows and columns of all three matrices, a multiple of 4.
    size: u32,
}

@group(0) @binding(0) var<storage, read> a: array<f32>;
// Rows of B and C as vectors of four.
@group(0) @binding(1) var<storage, read> b: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read_write> c: array<vec4<f32>>;
@group(0) @binding(3) var<uniform> shape: Shape;

@compute @workgroup_size(8, 8)
fn main(@builtin(global_invocation_id) tile: vec3<u32>) {
    let quads = shape.size / 4u;
    if tile.x >= quads || tile.y >= quads {
        return;
    }
    let row = tile.y * 4u;

    var sum0 = vec4<f32>(0.0);
    var sum1 = vec4<f32>(0.0);
    var sum2 = vec4<f32>(0.0);
    var sum3 = vec4<f32>(0.0);
    for (var k = 0u; k < shape.size; k++) {
        let across = b[k * quads + tile.x];
        let down = row * shape.size + k;
        sum0 = fma(vec4<f32>(a[down]), across, sum0);
        sum1 = fma(vec4<f32>(a[down + shape.size]), across, sum1);
        sum2 = fma(vec4<f32>(a[down + 2u * shape.size]), across, sum2);
        sum3 = fma(vec4<f32>(a[down + 3u * shape.size]), across, sum3);
    }

    let corner = row * quads + tile.x;
    c[corner] = sum0;
    c[corner + quads] = sum1;
    c[corner + 2u * quads] = sum2;
    c[corner + 3u * quads] = sum3;
}
