//! Level 1: compute programs without exchange between workgroups.

use super::{Row, Run};
use crate::lab::Program;
use crate::outputs::Kind;

/// The experiments.
pub(super) const ROWS: &[Row] = &[
    Row {
        number: 4,
        name: "lanes",
        level: 1,
        asks: "Does a launch run every lane once, with its numbers?",
        does: "runs a compute program that stores numbers of lanes",
        decides: &["launches, workgroups and lanes are numbered as documented"],
        run: Run::Programs(&[Program {
            name: "numbers",
            source: LANES,
            request: "kind compute\nbuffer 0 16384 zero\ngroups 4 2 2",
            kind: Kind::Exact,
        }]),
    },
    Row {
        number: 6,
        name: "arithmetic",
        level: 1,
        asks: "What do operations give for zeros, denormals, infinities, NaNs and values out of range?",
        does: "runs compute programs on pairs of special values",
        decides: &[
            "integer, float, 16-bit and 64-bit arithmetic, conversions",
            "products that are −0 become +0",
        ],
        run: Run::Programs(&[
            Program { name: "floats", source: FLOATS, request: SPECIAL, kind: Kind::Exact },
            Program { name: "conversions", source: CONVERSIONS, request: SPECIAL, kind: Kind::Exact },
            Program { name: "integers", source: INTEGERS, request: SPECIAL, kind: Kind::Exact },
        ]),
    },
    Row {
        number: 7,
        name: "expressions",
        level: 1,
        asks: "Do long programs with many live values give what the machine gives?",
        does: "runs compute programs with long expressions",
        decides: &["hints about registers never change results"],
        run: Run::Programs(&[Program {
            name: "long",
            source: EXPRESSIONS,
            request: "kind compute\nbuffer 0 8192 random\nbuffer 1 8192 zero\ngroups 32 1 1",
            kind: Kind::Exact,
        }]),
    },
    Row {
        number: 8,
        name: "control",
        level: 1,
        asks: "Do loops, breaks, switches and calls work when lanes diverge?",
        does: "runs a compute program with nested loops",
        decides: &[
            "nesting counters, `while`, `pop_exec`, breaks",
            "`stop` without active lanes has no effect",
        ],
        run: Run::Programs(&[Program {
            name: "nested",
            source: CONTROL,
            request: "kind compute\nbuffer 0 4096 random\nbuffer 1 4096 zero\ngroups 16 1 1",
            kind: Kind::Exact,
        }]),
    },
    Row {
        number: 9,
        name: "uniforms",
        level: 1,
        asks: "Are uniforms and constants loaded, also those that a preamble computes?",
        does: "runs a compute program with uniforms",
        decides: &["preambles write uniforms before the program"],
        run: Run::Programs(&[Program {
            name: "preamble",
            source: UNIFORMS,
            request: "kind compute\nbuffer 0 4096 zero\nuniform 1 64 random\ngroups 16 1 1",
            kind: Kind::Exact,
        }]),
    },
    Row {
        number: 10,
        name: "subgroups",
        level: 1,
        asks: "Do reductions, scans, ballots and shuffles see the right lanes, also in partial groups?",
        does: "runs compute programs that exchange values in SIMD-groups",
        decides: &[
            "quad shuffles and clustered reductions",
            "lanes that were never started do not contribute to the indices of shuffles",
            "the order of sums in reductions",
        ],
        run: Run::Programs(&[
            Program {
                name: "groups",
                source: SUBGROUPS,
                request: "kind compute\nbuffer 0 2560 random\nbuffer 1 20480 zero\ngroups 16 1 1",
                kind: Kind::Exact,
            },
            Program {
                name: "sums-of-floats",
                source: FLOAT_SUMS,
                request: "kind compute\nbuffer 0 4096 floats\nbuffer 1 4096 zero\ngroups 16 1 1",
                kind: Kind::Exact,
            },
        ]),
    },
    Row {
        number: 13,
        name: "stores",
        level: 1,
        asks: "May registers be overwritten after a store, and do local memory and many stores in flight work?",
        does: "runs compute programs with many stores and with local memory",
        decides: &[
            "overwriting the data registers of a store in flight is safe, as Mesa assumes",
            "local memory, barriers, prefix sums across SIMD-groups",
        ],
        run: Run::Programs(&[
            Program {
                name: "many",
                source: STORES,
                request: "kind compute\nbuffer 0 131072 zero\ngroups 8 1 1",
                kind: Kind::Exact,
            },
            Program {
                name: "local",
                source: LOCAL,
                request: "kind compute\nbuffer 0 4096 random\nbuffer 1 4096 zero\ngroups 8 1 1",
                kind: Kind::Exact,
            },
        ]),
    },
    Row {
        number: 15,
        name: "scratch",
        level: 1,
        asks: "Do stacks work on all cores, and is every block given out once?",
        does: "runs compute programs with arrays on stacks",
        decides: &["private stacks", "the helper program for scratch; codes of stack sizes"],
        run: Run::Programs(&[
            Program {
                name: "small",
                source: SMALL_STACK,
                request: "kind compute\nbuffer 0 65536 random\nbuffer 1 65536 zero\ngroups 256 1 1",
                kind: Kind::Exact,
            },
            Program {
                name: "large",
                source: LARGE_STACK,
                request: "kind compute\nbuffer 0 8192 random\nbuffer 1 8192 zero\ngroups 32 1 1",
                kind: Kind::Exact,
            },
        ]),
    },
    Row {
        number: 16,
        name: "special-functions",
        level: 1,
        asks: "How precise are reciprocals, roots, logarithms, exponentials and sines?",
        does: "runs compute programs on many floats",
        decides: &["reciprocals, roots, logarithms, exponentials and sines are rounded exactly"],
        run: Run::Programs(&[
            Program { name: "reciprocal", source: RECIPROCAL, request: MANY, kind: Kind::Exact },
            Program { name: "root", source: ROOT, request: MANY, kind: Kind::Exact },
            Program { name: "logarithm", source: LOGARITHM, request: MANY, kind: Kind::Exact },
            Program { name: "exponential", source: EXPONENTIAL, request: MANY, kind: Kind::Exact },
            Program { name: "sine", source: SINE, request: MANY, kind: Kind::Exact },
        ]),
    },
];

const LANES: &str = "
@group(0) @binding(0) var<storage, read_write> found: array<vec4u>;
@compute @workgroup_size(8, 4, 2) fn main(@builtin(global_invocation_id) id: vec3u,
    @builtin(local_invocation_index) local: u32, @builtin(workgroup_id) group: vec3u) {
    let at = (group.x + 4u * (group.y + 2u * group.z)) * 64u + local;
    found[at] = vec4u(id, local) + found[at];
}";

/// Sixteen values, of which every pair is a lane.
const SPECIAL: &str = "kind compute
buffer 0 64 words:0,0x80000000,1,0x807fffff,0x3f800000,0xbf800000,0x7f800000,0xff800000,0x7fc00000,0x7f7fffff,0x00800000,0x4b000001,0x3effffff,0x40490fdb,0xcf000001,0x4f800000
buffer 1 16384 zero
groups 4 1 1";

const FLOATS: &str = "
@group(0) @binding(0) var<storage, read_write> values: array<f32>;
@group(0) @binding(1) var<storage, read_write> found: array<f32>;
@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3u) {
    let x = values[id.x % 16u];
    let y = values[id.x / 16u];
    let z = values[(id.x * 7u + 3u) % 16u];
    let at = id.x * 16u;
    found[at] = x + y;
    found[at + 1u] = x - y;
    found[at + 2u] = x * y;
    found[at + 3u] = fma(x, y, z);
    found[at + 4u] = min(x, y);
    found[at + 5u] = max(x, y);
    found[at + 6u] = floor(x);
    found[at + 7u] = ceil(x);
    found[at + 8u] = trunc(x);
    found[at + 9u] = round(x);
    found[at + 10u] = abs(x) + z;
    found[at + 11u] = select(y, x, x < y);
    found[at + 12u] = select(y, x, x == z);
    found[at + 13u] = saturate(x);
    found[at + 14u] = x * y + z;
    found[at + 15u] = -x * y;
}";

const CONVERSIONS: &str = "
@group(0) @binding(0) var<storage, read_write> values: array<u32>;
@group(0) @binding(1) var<storage, read_write> found: array<u32>;
@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3u) {
    let bits = values[id.x % 16u] + id.x / 16u;
    let x = bitcast<f32>(bits);
    let at = id.x * 16u;
    found[at] = u32(x);
    found[at + 1u] = bitcast<u32>(i32(x));
    found[at + 2u] = bitcast<u32>(f32(bits));
    found[at + 3u] = bitcast<u32>(f32(bitcast<i32>(bits)));
    found[at + 4u] = pack2x16float(vec2f(x, -x));
    let halves = unpack2x16float(bits);
    found[at + 5u] = bitcast<u32>(halves.x);
    found[at + 6u] = bitcast<u32>(halves.y);
    found[at + 7u] = pack4x8unorm(vec4f(x, x * 0.5, -x, 0.3));
    found[at + 8u] = pack4x8snorm(vec4f(x, x * 0.5, -x, 0.3));
    found[at + 9u] = pack2x16unorm(vec2f(x, x * 0.5));
    let parts = unpack4x8snorm(bits);
    found[at + 10u] = bitcast<u32>(parts.x + parts.w);
}";

const INTEGERS: &str = "
@group(0) @binding(0) var<storage, read_write> values: array<u32>;
@group(0) @binding(1) var<storage, read_write> found: array<u32>;
@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3u) {
    let x = values[id.x % 16u] + id.x;
    let y = values[id.x / 16u];
    let at = id.x * 16u;
    found[at] = x + y;
    found[at + 1u] = x * y - x;
    found[at + 2u] = x / (y | 1u);
    found[at + 3u] = bitcast<u32>(bitcast<i32>(x) % (bitcast<i32>(y) | 3));
    found[at + 4u] = x << (y & 31u);
    found[at + 5u] = x >> (y & 31u);
    found[at + 6u] = bitcast<u32>(bitcast<i32>(x) >> (y & 31u));
    found[at + 7u] = countOneBits(x) + 100u * reverseBits(y);
    found[at + 8u] = extractBits(x, y & 15u, 9u);
    found[at + 9u] = insertBits(x, y, 5u, y & 15u);
    found[at + 10u] = firstLeadingBit(x);
    found[at + 11u] = firstTrailingBit(y);
    found[at + 12u] = min(x, y) ^ max(x, y);
    found[at + 13u] = bitcast<u32>(min(bitcast<i32>(x), bitcast<i32>(y)));
    found[at + 14u] = select(x, y, x < y);
    found[at + 15u] = ~x | (y & 0xff00ffu);
}";

const EXPRESSIONS: &str = "
@group(0) @binding(0) var<storage, read_write> values: array<u32>;
@group(0) @binding(1) var<storage, read_write> found: array<u32>;
@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3u) {
    var list: array<u32, 32>;
    for (var at = 0u; at < 32u; at++) { list[at] = values[(id.x + at * 61u) % 2048u]; }
    for (var round = 0u; round < 4u; round++) {
        for (var at = 0u; at < 32u; at++) {
            let other = list[(at + 7u) % 32u];
            let scaled = u32(f32(list[at] & 0xffffu) * 1.5 + f32(other & 0xffu));
            list[at] = (list[at] ^ (other << 3u)) * 0x9e3779b9u + (other >> 5u) + scaled;
        }
    }
    var sum = 0u;
    for (var at = 0u; at < 32u; at++) { sum = sum * 31u + list[at]; }
    found[id.x] = sum;
}";

const CONTROL: &str = "
@group(0) @binding(0) var<storage, read_write> values: array<u32>;
@group(0) @binding(1) var<storage, read_write> found: array<u32>;
fn collatz(start: u32) -> u32 {
    var value = (start & 0xffffu) | 1u;
    var steps = 0u;
    loop {
        if (value == 1u || steps > 200u) { break; }
        if ((value & 1u) == 1u) { value = value * 3u + 1u; } else { value = value / 2u; }
        steps++;
    }
    return steps;
}
@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3u) {
    let x = values[id.x];
    var sum = collatz(x);
    for (var a = 0u; a < (x & 7u); a++) {
        for (var b = 0u; b < ((x >> 3u) & 7u); b++) {
            if (a * b == 6u) { continue; }
            for (var c = a; c < b; c++) {
                if (c == ((x >> 6u) & 3u)) { break; }
                sum += a + b * c;
            }
            switch ((a + b + x) % 4u) {
                case 0u: { sum += 1u; }
                case 1u: { sum ^= 0x55u; }
                case 2u: { sum = sum * 3u; }
                default: { if (sum > 100000u) { found[id.x] = sum; return; } }
            }
        }
    }
    found[id.x] = sum;
}";

const UNIFORMS: &str = "
struct Block { a: vec4u, b: vec4u, c: vec4u, d: vec4u }
@group(0) @binding(0) var<storage, read_write> found: array<u32>;
@group(0) @binding(1) var<uniform> block: Block;
const TABLE = array<u32, 8>(3u, 1u, 4u, 1u, 5u, 9u, 2u, 6u);
@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3u) {
    let same = (block.a.x * 17u + block.b.y) ^ (block.c.z * block.d.w);
    let root = u32(sqrt(f32(block.a.y & 0xffffu)) * 100.0);
    found[id.x] = same + root * id.x + TABLE[id.x % 8u] + block.d[id.x % 4u];
}";

const SUBGROUPS: &str = "
@group(0) @binding(0) var<storage, read_write> values: array<u32>;
@group(0) @binding(1) var<storage, read_write> found: array<u32>;
@compute @workgroup_size(40) fn main(@builtin(global_invocation_id) id: vec3u, @builtin(subgroup_invocation_id) lane: u32) {
    let x = values[id.x];
    let at = id.x * 8u;
    found[at] = subgroupAdd(x);
    found[at + 1u] = subgroupExclusiveAdd(x & 0xffu);
    found[at + 2u] = subgroupMax(x) ^ subgroupMin(x);
    found[at + 3u] = subgroupBroadcastFirst(x);
    found[at + 4u] = subgroupShuffleXor(x, 5u) * select(0u, 1u, (lane ^ 5u) < 8u);
    if ((x & 1u) == 1u) { found[at + 5u] = subgroupAdd(1u) + 64u * subgroupXor(x); }
    let ballot = subgroupBallot((x & 2u) == 2u);
    found[at + 6u] = ballot.x;
    found[at + 7u] = u32(subgroupAny(x > 0xf0000000u)) + 2u * u32(subgroupAll(x > 0x1000u));
}";

const FLOAT_SUMS: &str = "
@group(0) @binding(0) var<storage, read_write> values: array<f32>;
@group(0) @binding(1) var<storage, read_write> found: array<f32>;
@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3u) {
    found[id.x] = subgroupAdd(values[id.x] * 1.1) + subgroupInclusiveAdd(values[id.x] * 0.37);
}";

const STORES: &str = "
@group(0) @binding(0) var<storage, read_write> found: array<u32>;
@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3u) {
    var value = id.x * 0x9e3779b9u;
    for (var at = 0u; at < 64u; at++) {
        found[at * 512u + id.x] = value;
        value = value * 5u + at;
    }
}";

const LOCAL: &str = "
@group(0) @binding(0) var<storage, read_write> values: array<u32>;
@group(0) @binding(1) var<storage, read_write> found: array<u32>;
var<workgroup> shared_values: array<u32, 128>;
@compute @workgroup_size(128) fn main(@builtin(global_invocation_id) id: vec3u, @builtin(local_invocation_index) local: u32) {
    shared_values[local] = values[id.x];
    workgroupBarrier();
    for (var step = 1u; step < 128u; step = step * 2u) {
        var sum = shared_values[local];
        if (local >= step) { sum += shared_values[local - step]; }
        workgroupBarrier();
        shared_values[local] = sum;
        workgroupBarrier();
    }
    found[id.x] = shared_values[127u - local];
}";

const SMALL_STACK: &str = "
@group(0) @binding(0) var<storage, read_write> values: array<u32>;
@group(0) @binding(1) var<storage, read_write> found: array<u32>;
@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3u) {
    var list: array<u32, 40>;
    var x = values[id.x];
    for (var at = 0u; at < 40u; at++) { list[at] = x; x = x * 5u + at; }
    for (var at = 0u; at < 20u; at++) { list[x % 40u] ^= list[(x >> 8u) % 40u] + at; x = x * 7u + 1u; }
    var sum = 0u;
    for (var at = 0u; at < 40u; at++) { sum = sum * 3u + list[at]; }
    found[id.x] = sum;
}";

const LARGE_STACK: &str = "
@group(0) @binding(0) var<storage, read_write> values: array<u32>;
@group(0) @binding(1) var<storage, read_write> found: array<u32>;
@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3u) {
    var list: array<u32, 1500>;
    var x = values[id.x];
    for (var at = 0u; at < 1500u; at += 13u) { list[at] = x; x = x * 5u + at; }
    for (var at = 0u; at < 50u; at++) { list[x % 1500u] = x + at; x = x * 7u + list[(x >> 7u) % 1500u]; }
    found[id.x] = x;
}";

/// Floats of all sizes: the bits of a lane's number, spread over the exponents.
const MANY: &str = "kind compute\nbuffer 0 65536 zero\ngroups 256 1 1";

const RECIPROCAL: &str = "
@group(0) @binding(0) var<storage, read_write> found: array<f32>;
@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3u) {
    let x = bitcast<f32>((id.x * 0x3001u) % 0x7f000000u + 0x00800000u);
    found[id.x] = 1.0 / x;
}";

const ROOT: &str = "
@group(0) @binding(0) var<storage, read_write> found: array<f32>;
@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3u) {
    let x = bitcast<f32>((id.x * 0x3001u) % 0x7f000000u + 0x00800000u);
    if ((id.x & 1u) == 0u) { found[id.x] = sqrt(x); } else { found[id.x] = inverseSqrt(x); }
}";

const LOGARITHM: &str = "
@group(0) @binding(0) var<storage, read_write> found: array<f32>;
@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3u) {
    let x = bitcast<f32>((id.x * 0x3001u) % 0x7f000000u + 0x00800000u);
    found[id.x] = log2(x);
}";

const EXPONENTIAL: &str = "
@group(0) @binding(0) var<storage, read_write> found: array<f32>;
@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3u) {
    found[id.x] = exp2((f32(id.x) - 8192.0) * 0.015);
}";

const SINE: &str = "
@group(0) @binding(0) var<storage, read_write> found: array<f32>;
@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3u) {
    let x = (f32(id.x) - 8192.0) * 0.0037;
    if ((id.x & 1u) == 0u) { found[id.x] = sin(x); } else { found[id.x] = cos(x); }
}";
