//! Level 1: what launches and workgroups see of each other's memory.

use super::{Row, Run};
use crate::lab::Program;
use crate::outputs::Kind;

/// The experiments.
pub(super) const ROWS: &[Row] = &[
    Row {
        number: 11,
        name: "order",
        level: 1,
        asks: "Do atomics and fences order stores between workgroups?",
        does: "runs compute programs whose workgroups exchange messages; none waits for another",
        decides: &["device and local atomics, compare-exchange", "fences order the stores of lanes"],
        run: Run::Programs(&[
            Program {
                name: "messages",
                source: MESSAGES,
                request: "kind compute\nbuffer 0 8192 zero\nbuffer 1 4 zero\ngroups 64 1 1",
                kind: Kind::Exact,
            },
            Program {
                name: "atomics",
                source: ATOMICS,
                request: "kind compute\nbuffer 0 64 zero\ngroups 64 1 1",
                kind: Kind::Exact,
            },
            // The counts may be any; those of a GPU that reorders are not 0.
            Program {
                name: "reordered",
                source: REORDERED,
                request: "kind compute\nbuffer 0 16 zero\nbuffer 1 4 zero\nbuffer 2 1572864 zero\nbuffer 3 65536 zero\ngroups 64 1 1\nrepeat 2",
                kind: Kind::Note,
            },
        ]),
    },
    Row {
        number: 12,
        name: "launches",
        level: 1,
        asks: "Does each launch see all that the launch before it has stored, in buffers and images?",
        does: "runs chains of launches that read what the one before them wrote",
        decides: &[
            "a barrier with bits 0 to 19 follows every launch",
            "the set of bits after launches drops the texture cache",
        ],
        run: Run::Programs(&[
            Program {
                name: "buffers",
                source: CHAIN,
                request: "kind compute\nbuffer 0 8192 iota\nbuffer 1 4 zero\ngroups 16 1 1\nrepeat 40",
                kind: Kind::Exact,
            },
            Program {
                name: "images",
                source: IMAGES,
                request: "kind compute\nimage 0 r32ui 32 32\nbuffer 1 4096 zero\ngroups 4 4 1\nrepeat 16",
                kind: Kind::Exact,
            },
            Program {
                name: "texels",
                source: TEXELS,
                request: "kind compute\nimage 0 rgba8 32 32\nview 1 0\ngroups 4 4 1\nrepeat 16",
                kind: Kind::Exact,
            },
        ]),
    },
    Row {
        number: 14,
        name: "rewrites",
        level: 1,
        asks: "Do programs see uniforms that the processor or a launch has written since the last launch?",
        does: "runs the same program with other uniforms, again and again",
        decides: &[
            "a draw stream begins with an invalidation of shaders",
            "the start of a compute stream drops the shader cache",
        ],
        run: Run::Programs(&[
            Program {
                name: "first",
                source: REWRITES,
                request: "kind compute\nbuffer 0 1024 zero\nuniform 1 16 words:1,2,3,4\ngroups 4 1 1",
                kind: Kind::Exact,
            },
            Program {
                name: "second",
                source: REWRITES,
                request: "kind compute\nbuffer 0 1024 zero\nuniform 1 16 words:5,6,7,8\ngroups 4 1 1",
                kind: Kind::Exact,
            },
            Program {
                name: "third",
                source: REWRITES,
                request: "kind compute\nbuffer 0 1024 zero\nuniform 1 16 words:9,10,11,12\ngroups 4 1 1",
                kind: Kind::Exact,
            },
            Program {
                name: "by-launches",
                source: STEPS,
                request: "kind compute\nbuffer 0 256 iota\nview 1 0\ngroups 1 1 1\nrepeat 16",
                kind: Kind::Exact,
            },
        ]),
    },
];

/// Each workgroup writes a message and then its flag; every other one that sees the flag must see the message. The number of those that
/// do not is the result.
const MESSAGES: &str = "
struct Message { data: atomic<u32>, ready: atomic<u32> }
@group(0) @binding(0) var<storage, read_write> messages: array<Message, 1024>;
@group(0) @binding(1) var<storage, read_write> wrong: atomic<u32>;
@compute @workgroup_size(16) fn main(@builtin(global_invocation_id) id: vec3u) {
    for (var round = 0u; round < 8u; round++) {
        let own = id.x;
        atomicStore(&messages[own].data, round + 1u);
        storageBarrier();
        atomicStore(&messages[own].ready, round + 1u);
        let other = (id.x * 37u + round * 16u) % 1024u;
        let ready = atomicLoad(&messages[other].ready);
        storageBarrier();
        let data = atomicLoad(&messages[other].data);
        if (data < ready) { atomicAdd(&wrong, 1u); }
    }
}";

/// Three tests of pairs of lanes in different workgroups, without fences: both store to one place and load from the other (store
/// buffering), both load and then store (load buffering), and one stores twice while the other loads twice (message passing). The second
/// launch counts the outcomes that no order of the accesses explains, of 2048 pairs each.
const REORDERED: &str = "
@group(0) @binding(0) var<storage, read_write> counts: array<atomic<u32>, 4>;
@group(0) @binding(1) var<storage, read_write> done: atomic<u32>;
@group(0) @binding(2) var<storage, read_write> places: array<atomic<u32>, 393216>;
@group(0) @binding(3) var<storage, read_write> seen: array<u32, 16384>;
@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3u) {
    let pair = id.x % 2048u;
    let role = id.x / 2048u;
    if (atomicLoad(&done) >= 4096u) {
        if (role == 0u) {
            let other = pair + 2048u;
            if (seen[pair] == 0u && seen[other] == 0u) { atomicAdd(&counts[0], 1u); }
            if (seen[4096u + pair] == 1u && seen[4096u + other] == 1u) { atomicAdd(&counts[1], 1u); }
            if (seen[8192u + other] == 1u && seen[12288u + other] == 0u) { atomicAdd(&counts[2], 1u); }
        }
        return;
    }
    let mine = (pair * 2u + role) * 32u;
    let others = (pair * 2u + 1u - role) * 32u;
    atomicStore(&places[mine], 1u);
    seen[id.x] = atomicLoad(&places[others]);
    seen[4096u + id.x] = atomicLoad(&places[131072u + others]);
    atomicStore(&places[131072u + mine], 1u);
    if (role == 0u) {
        atomicStore(&places[262144u + mine], 1u);
        atomicStore(&places[262144u + others], 1u);
    } else {
        seen[8192u + id.x] = atomicLoad(&places[262144u + mine]);
        seen[12288u + id.x] = atomicLoad(&places[262144u + others]);
    }
    atomicAdd(&done, 1u);
}";

const ATOMICS: &str = "
@group(0) @binding(0) var<storage, read_write> found: array<atomic<u32>, 16>;
var<workgroup> local_sum: atomic<u32>;
@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3u, @builtin(local_invocation_index) local: u32) {
    atomicAdd(&found[0], id.x);
    atomicMax(&found[1], id.x * 3u);
    atomicMin(&found[2], id.x + 0u);
    atomicOr(&found[3], 1u << (id.x % 32u));
    atomicXor(&found[4], id.x * 0x9e3779b9u);
    atomicAnd(&found[5], ~id.x);
    atomicAdd(&local_sum, local);
    workgroupBarrier();
    if (local == 0u) { atomicAdd(&found[6], atomicLoad(&local_sum)); }
    loop {
        let before = atomicLoad(&found[7]);
        let swapped = atomicCompareExchangeWeak(&found[7], before, before + 3u);
        if (swapped.exchanged) { break; }
    }
}";

const CHAIN: &str = "
@group(0) @binding(0) var<storage, read_write> cells: array<u32>;
@group(0) @binding(1) var<storage, read_write> rounds: atomic<u32>;
@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3u) {
    let round = atomicAdd(&rounds, 1u) / 1024u;
    let source = (round % 2u) * 1024u;
    let target_cell = 1024u - source;
    cells[target_cell + id.x] = cells[source + (id.x + 1u) % 1024u] * 3u + cells[source + (id.x + 517u) % 1024u];
}";

const IMAGES: &str = "
@group(0) @binding(0) var picture: texture_storage_2d<r32uint, read_write>;
@group(0) @binding(1) var<storage, read_write> found: array<u32>;
@compute @workgroup_size(8, 8) fn main(@builtin(global_invocation_id) id: vec3u) {
    let at = id.y * 32u + id.x;
    let before = textureLoad(picture, id.xy).x;
    textureStore(picture, id.xy, vec4u(before * 3u + found[(at + 33u) % 1024u] * 0u + at));
    found[at] = before;
}";

/// Each launch loads from a texture what the one before it has stored to the image.
const TEXELS: &str = "
@group(0) @binding(0) var picture: texture_storage_2d<rgba8unorm, write>;
@group(0) @binding(1) var texels: texture_2d<f32>;
@compute @workgroup_size(8, 8) fn main(@builtin(global_invocation_id) id: vec3u) {
    let before = textureLoad(texels, id.xy, 0) * 255.0;
    let step = vec4f(f32(id.x + 1u), f32(id.y * 3u), 7.0, 1.0);
    textureStore(picture, id.xy, (before + step) % vec4f(200.0) / 255.0);
}";

/// Each launch reads, as uniforms, what the one before it has stored.
const STEPS: &str = "
@group(0) @binding(0) var<storage, read_write> cells: array<vec4u, 16>;
@group(0) @binding(1) var<uniform> given: array<vec4u, 16>;
@compute @workgroup_size(1) fn main() {
    cells[0] = given[0] * 3u + given[1];
    cells[2] += given[0];
}";

const REWRITES: &str = "
@group(0) @binding(0) var<storage, read_write> found: array<u32>;
@group(0) @binding(1) var<uniform> given: vec4u;
@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3u) {
    found[id.x] = given[id.x % 4u] * 1000u + id.x;
}";
