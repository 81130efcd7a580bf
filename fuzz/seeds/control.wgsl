struct Data { count: u32, values: array<i32> }
@group(0) @binding(0) var<storage, read_write> data: Data;
var<workgroup> shared_values: array<atomic<i32>, 64>;
fn step(value: i32, by: u32) -> i32 {
    switch by % 3u {
        case 0u: { return value + 1; }
        case 1u, 2u: { return value * 2; }
        default: { return 0; }
    }
}
@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) index: u32, @builtin(global_invocation_id) id: vec3<u32>) {
    var sum = 0;
    for (var i = 0u; i < data.count; i = i + 1u) {
        if (i & 1u) == index % 2u { continue; }
        if sum > 1000 { break; }
        sum += step(data.values[i], i);
    }
    atomicAdd(&shared_values[index / 2u], sum);
    workgroupBarrier();
    loop {
        sum = sum - 3;
        continuing { break if sum < 0; }
    }
    data.values[id.x] = sum + atomicLoad(&shared_values[index ^ 1u]);
}
