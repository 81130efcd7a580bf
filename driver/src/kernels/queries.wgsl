// Writes results of queries to a buffer, as `vkCmdCopyQueryPoolResults` has them.
struct Parameters { first: u32, count: u32, stride: u32, wide: u32, available: u32, unfinished: u32 }
@group(0) @binding(0) var<uniform> p: Parameters;
@group(0) @binding(1) var<storage, read> results: array<u32>;
@group(0) @binding(2) var<storage, read> there: array<u32>;
@group(0) @binding(3) var<storage, read_write> dst: array<u32>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x >= p.count { return; }
    let is_there = there[id.x];
    var at = id.x * p.stride;
    if is_there != 0u || p.unfinished != 0u {
        dst[at] = results[2u * id.x];
        if p.wide != 0u { dst[at + 1u] = results[2u * id.x + 1u]; }
    }
    if p.available != 0u {
        at += 1u + p.wide;
        dst[at] = is_there;
        if p.wide != 0u { dst[at + 1u] = 0u; }
    }
}
