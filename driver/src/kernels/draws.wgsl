// Copies the numbers of as many draws as a word in memory says; those of the others become zero.

struct Parameters {
    most: u32,
    // Words from one draw to the next, and words of a draw.
    stride: u32,
    words: u32,
}

@group(0) @binding(0) var<storage, read> parameters: Parameters;
@group(0) @binding(1) var<storage, read> draws: array<u32>;
@group(0) @binding(2) var<storage, read> count: array<u32>;
@group(0) @binding(3) var<storage, read_write> result: array<u32>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u) {
    if (id.x >= parameters.most) {
        return;
    }
    let drawn = id.x < count[0];
    for (var word = 0u; word < parameters.words; word++) {
        var value = 0u;
        if (drawn) {
            value = draws[id.x * parameters.stride + word];
        }
        result[id.x * parameters.words + word] = value;
    }
}
