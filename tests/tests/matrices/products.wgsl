// R = 2 (A · B + C) + A₀ · B₀, where A₀ and B₀ are the first eight columns and rows, a tile for each workgroup. A is doubled:
// the elements of a factor are read after its product.
enable f16;
enable wgpu_cooperative_matrix;

@group(0) @binding(0) var<storage, read_write> a: array<FACTOR>;
@group(0) @binding(1) var<storage, read_write> b: array<FACTOR>;
@group(0) @binding(2) var<storage, read_write> c: array<SUM>;
@group(0) @binding(3) var<storage, read_write> r: array<SUM>;
@group(0) @binding(4) var<storage, read_write> doubled: array<FACTOR>;

const SIDE = 16u;

@compute @workgroup_size(32)
fn main(@builtin(workgroup_id) tile: vec3<u32>) {
    let row = tile.y * 8u;
    let column = tile.x * 8u;
    // C by columns, the others by rows.
    var sum = coopLoad<coop_mat8x8<SUM, C>>(&c[column * SIDE + row], SIDE);
    for (var at = 0u; at < SIDE; at += 8u) {
        let left = coopLoadT<coop_mat8x8<FACTOR, A>>(&a[row * SIDE + at], SIDE);
        let right = coopLoadT<coop_mat8x8<FACTOR, B>>(&b[at * SIDE + column], SIDE);
        sum = coopMultiplyAdd(left, right, sum);
        if (column == 0u) {
            coopStoreT(left + left, &doubled[row * SIDE + at], SIDE);
        }
    }
    // The sum is read after the product, whose result has other registers.
    let left = coopLoadT<coop_mat8x8<FACTOR, A>>(&a[row * SIDE], SIDE);
    let right = coopLoadT<coop_mat8x8<FACTOR, B>>(&b[column], SIDE);
    sum = coopMultiplyAdd(left, right, sum) + sum;
    coopStoreT(sum, &r[row * SIDE + column], SIDE);
}
