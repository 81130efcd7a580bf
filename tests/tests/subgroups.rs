//! Operations across lanes compared with a model: every operation, with all lanes, some lanes and incomplete subgroups.

use agx_compiler::{CompileKey, Input};
use agx_random::Random;
use agx_tests::driver::{compile, launch, storage_buffer};
use agx_tests::tools::Tools;

const BODY: &str = include_str!("subgroups/lanes.comp");

const EXTENSIONS: &[&str] = &[
    "GL_KHR_shader_subgroup_basic",
    "GL_KHR_shader_subgroup_vote",
    "GL_KHR_shader_subgroup_arithmetic",
    "GL_KHR_shader_subgroup_ballot",
    "GL_KHR_shader_subgroup_shuffle",
    "GL_KHR_shader_subgroup_shuffle_relative",
    "GL_KHR_shader_subgroup_clustered",
    "GL_KHR_shader_subgroup_quad",
    "GL_EXT_shader_explicit_arithmetic_types",
    "GL_EXT_shader_subgroup_extended_types_int8",
    "GL_EXT_shader_subgroup_extended_types_int16",
    "GL_EXT_shader_subgroup_extended_types_int64",
    "GL_EXT_shader_subgroup_extended_types_float16",
    "GL_EXT_shader_explicit_arithmetic_types_float64",
];

const SUBGROUP: usize = 32;

/// A subgroup in the model.
struct Lanes {
    /// Active lanes.
    active: Vec<bool>,
    raw: Vec<u64>,
    other: Vec<u32>,
}

/// Conversions between the bits of a type and numbers, which are exact in `i128`.
#[derive(Clone, Copy, Debug)]
struct Type {
    name: &'static str,
    load: &'static str,
    bits: u32,
    signed: bool,
    float: bool,
}

const fn integer(name: &'static str, load: &'static str, bits: u32, signed: bool) -> Type {
    Type { name, load, bits, signed, float: false }
}

const INTEGERS: [Type; 8] = [
    integer("uint8_t", "uint8_t(raw)", 8, false),
    integer("int8_t", "int8_t(raw)", 8, true),
    integer("uint16_t", "uint16_t(raw)", 16, false),
    integer("int16_t", "int16_t(raw)", 16, true),
    integer("uint", "uint(raw)", 32, false),
    integer("int", "int(raw)", 32, true),
    integer("uint64_t", "raw", 64, false),
    integer("int64_t", "int64_t(raw)", 64, true),
];

const UINT: Type = INTEGERS[4];
const BOOL: Type = integer("bool", "odd", 1, false);

/// Small integers, whose sums are exact.
const FLOATS: [Type; 2] = [
    Type { name: "float", load: "float(raw & 15ul)", bits: 4, signed: false, float: true },
    Type { name: "float16_t", load: "float16_t(uint(raw & 15ul))", bits: 4, signed: false, float: true },
];

const DOUBLE: Type =
    Type { name: "double", load: "double(uint(raw & 15ul))", bits: 4, signed: false, float: true };

impl Type {
    fn cut(&self, number: i128) -> i128 {
        if self.float {
            return number;
        }
        let bits = number as u128 & ((1u128 << self.bits) - 1);
        let negative = self.signed && bits >> (self.bits - 1) != 0;
        if negative { bits as i128 - (1i128 << self.bits) } else { bits as i128 }
    }

    fn load(&self, raw: u64) -> i128 {
        if self.float { i128::from(raw & 15) } else { self.cut(i128::from(raw)) }
    }
}

impl Lanes {
    fn numbers(&self, ty: Type) -> Vec<i128> {
        self.raw.iter().map(|raw| ty.load(*raw)).collect()
    }

    /// Combines the active lanes that `chosen` selects, starting with `start`.
    fn fold(
        &self,
        ty: Type,
        start: i128,
        join: fn(i128, i128) -> i128,
        chosen: impl Fn(usize) -> bool,
    ) -> i128 {
        let numbers = self.numbers(ty);
        let lanes = (0..numbers.len()).filter(|lane| self.active[*lane] && chosen(*lane));
        lanes.fold(start, |all, lane| ty.cut(join(all, numbers[lane])))
    }

    fn ballot(&self, chosen: impl Fn(usize) -> bool) -> u64 {
        (0..self.active.len())
            .filter(|lane| self.active[*lane] && chosen(*lane))
            .fold(0, |all, lane| all | 1 << lane)
    }

    /// The raw bits of a lane, if it can be read.
    fn read(&self, lane: usize) -> Option<u64> {
        self.active.get(lane).filter(|active| **active).map(|_| self.raw[lane])
    }
}

/// The model's result for a lane; `None` if it is undefined.
type Model = Box<dyn Fn(&Lanes, usize) -> Option<u64>>;

struct Case {
    ty: Type,
    result: String,
    model: Model,
    /// Change `OpGroupNonUniformShuffleDown` to `OpGroupNonUniformRotateKHR`, which glslang 12 does not support.
    rotate: bool,
}

fn case(ty: Type, result: impl Into<String>, model: impl Fn(&Lanes, usize) -> Option<u64> + 'static) -> Case {
    Case { ty, result: result.into(), model: Box::new(model), rotate: false }
}

/// The result in the shader's encoding, converted to 64 bits.
fn stored(ty: Type, number: i128) -> Option<u64> {
    Some(ty.cut(number) as u64)
}

/// Name, identity element by type, combination.
type Operation = (&'static str, fn(Type) -> i128, fn(i128, i128) -> i128);

fn largest(ty: Type) -> i128 {
    (1i128 << (ty.bits - u32::from(ty.signed))) - 1
}

fn least(ty: Type) -> i128 {
    if ty.signed { -(1i128 << (ty.bits - 1)) } else { 0 }
}

const ARITHMETIC: [Operation; 7] = [
    ("Add", |_| 0, |a, b| a + b),
    ("Mul", |_| 1, |a, b| a.wrapping_mul(b)),
    ("Min", largest, |a, b| a.min(b)),
    ("Max", least, |a, b| a.max(b)),
    ("And", |ty| if ty.signed { -1 } else { largest(ty) }, |a, b| a & b),
    ("Or", |_| 0, |a, b| a | b),
    ("Xor", |_| 0, |a, b| a ^ b),
];

/// Reductions, both scans and clusters of an operation.
fn arithmetic(cases: &mut Vec<Case>, ty: Type, (name, start, join): Operation) {
    let start = start(ty);
    let zero_or_start = if ty.float && matches!(name, "Min" | "Max") { None } else { Some(start) };
    cases.push(case(ty, format!("subgroup{name}(x)"), move |g, _| {
        stored(ty, g.fold(ty, start, join, |_| true))
    }));
    cases.push(case(ty, format!("subgroupInclusive{name}(x)"), move |g, lane| {
        stored(ty, g.fold(ty, start, join, |other| other <= lane))
    }));
    cases.push(case(ty, format!("subgroupExclusive{name}(x)"), move |g, lane| {
        let is_first = !(0..lane).any(|other| g.active[other]);
        if is_first && zero_or_start.is_none() {
            return None;
        }
        stored(ty, g.fold(ty, start, join, |other| other < lane))
    }));
    for cluster in [1, 2, 4, 8, 16, 32] {
        cases.push(case(ty, format!("subgroupClustered{name}(x, {cluster})"), move |g, lane| {
            stored(ty, g.fold(ty, start, join, |other| other / cluster == lane / cluster))
        }));
    }
}

/// The lane that a move reads.
type From = fn(usize, usize) -> usize;

const MOVES: [(&str, From); 7] = [
    ("subgroupShuffle(x, other)", |_, other| other),
    ("subgroupShuffleXor(x, 5)", |lane, _| lane ^ 5),
    ("subgroupShuffleXor(x, data[0].z)", |lane, first| lane ^ first),
    ("subgroupShuffleUp(x, 3)", |lane, _| lane.wrapping_sub(3)),
    ("subgroupShuffleUp(x, data[0].z)", |lane, first| lane.wrapping_sub(first)),
    ("subgroupShuffleDown(x, 6)", |lane, _| lane + 6),
    ("subgroupShuffleDown(x, data[0].z)", |lane, first| lane + first),
];

fn moves(cases: &mut Vec<Case>, ty: Type) {
    for (result, from) in MOVES {
        let dynamic = result.contains("data[0]");
        cases.push(case(ty, result, move |g, lane| {
            let operand = g.other[if dynamic { 0 } else { lane }] as usize;
            g.read(from(lane, operand)).and_then(|raw| stored(ty, ty.load(raw)))
        }));
    }
    let quad = |place: usize| move |lane: usize| lane & !3 | place;
    for place in 0..4 {
        let from = quad(place);
        cases.push(case(ty, format!("subgroupQuadBroadcast(x, {place})"), move |g, lane| {
            g.read(from(lane)).and_then(|raw| stored(ty, ty.load(raw)))
        }));
    }
    for (index, direction) in ["Horizontal", "Vertical", "Diagonal"].into_iter().enumerate() {
        cases.push(case(ty, format!("subgroupQuadSwap{direction}(x)"), move |g, lane| {
            g.read(lane ^ (index + 1)).and_then(|raw| stored(ty, ty.load(raw)))
        }));
    }
    for (lane, text) in [(0, "0u"), (7, "7u")] {
        cases.push(case(ty, format!("subgroupBroadcast(x, {text})"), move |g, _| {
            g.read(lane).and_then(|raw| stored(ty, ty.load(raw)))
        }));
    }
    cases.push(case(ty, "subgroupBroadcast(x, data[0].z)", move |g, _| {
        g.read(g.other[0] as usize).and_then(|raw| stored(ty, ty.load(raw)))
    }));
    cases.push(case(ty, "subgroupBroadcastFirst(x)", move |g, _| {
        let first = g.active.iter().position(|active| *active)?;
        stored(ty, ty.load(g.raw[first]))
    }));
    for (delta, text) in [(0, "0"), (5, "5"), (31, "31")] {
        let rotated = case(ty, format!("subgroupShuffleDown(x, {text})"), move |g, lane| {
            g.read((lane + delta) % SUBGROUP).and_then(|raw| stored(ty, ty.load(raw)))
        });
        cases.push(Case { rotate: true, ..rotated });
    }
    let rotated = case(ty, "subgroupShuffleDown(x, data[0].z)", move |g, lane| {
        g.read((lane + g.other[0] as usize) % SUBGROUP).and_then(|raw| stored(ty, ty.load(raw)))
    });
    cases.push(Case { rotate: true, ..rotated });
}

fn votes(cases: &mut Vec<Case>) {
    let odd = |g: &Lanes, lane: usize| g.raw[lane] & 1 != 0;
    cases.push(case(BOOL, "subgroupElect()", |g, lane| {
        Some(u64::from(g.active.iter().position(|a| *a) == Some(lane)))
    }));
    cases.push(case(BOOL, "subgroupAll(x)", move |g, _| Some(u64::from(g.ballot(|l| !odd(g, l)) == 0))));
    cases.push(case(BOOL, "subgroupAny(x)", move |g, _| Some(u64::from(g.ballot(|l| odd(g, l)) != 0))));
    cases.push(case(BOOL, "subgroupAllEqual(x)", move |g, lane| {
        Some(u64::from(g.ballot(|l| odd(g, l) != odd(g, lane)) == 0))
    }));
    cases.push(case(UINT, "subgroupAllEqual(x & 0xf00u)", |g, lane| {
        Some(u64::from(g.ballot(|l| (g.raw[l] ^ g.raw[lane]) & 0xf00 != 0) == 0))
    }));
    cases.push(case(UINT, "subgroupAllEqual(vec2(float(x & 0u), 1.0))", |_, _| Some(1)));
    cases.push(case(BOOL, "packUint2x32(subgroupBallot(x).xy)", move |g, _| Some(g.ballot(|l| odd(g, l)))));
    for (text, below) in [("Inclusive", 1), ("Exclusive", 0)] {
        cases.push(case(BOOL, format!("subgroupBallot{text}BitCount(subgroupBallot(x))"), move |g, lane| {
            Some(g.ballot(|l| odd(g, l) && l < lane + below).count_ones().into())
        }));
    }
    cases.push(case(BOOL, "subgroupBallotBitCount(subgroupBallot(x))", move |g, _| {
        Some(g.ballot(|l| odd(g, l)).count_ones().into())
    }));
    cases.push(case(BOOL, "subgroupBallotFindLSB(subgroupBallot(x))", move |g, _| {
        let word = g.ballot(|l| odd(g, l));
        (word != 0).then(|| word.trailing_zeros().into())
    }));
    cases.push(case(BOOL, "subgroupBallotFindMSB(subgroupBallot(x))", move |g, _| {
        let word = g.ballot(|l| odd(g, l));
        (word != 0).then(|| word.ilog2().into())
    }));
    cases.push(case(BOOL, "subgroupInverseBallot(subgroupBallot(x))", move |g, lane| {
        Some(odd(g, lane).into())
    }));
    cases.push(case(BOOL, "subgroupBallotBitExtract(subgroupBallot(x), other)", move |g, lane| {
        Some(g.ballot(|l| odd(g, l)) >> g.other[lane] & 1)
    }));
    for (name, mask) in [
        ("Eq", (|lane| 1 << lane) as fn(usize) -> u64),
        ("Lt", |lane| (1 << lane) - 1),
        ("Le", |lane| (2 << lane) - 1),
        ("Gt", |lane| 0xffff_ffff & !((2 << lane) - 1)),
        ("Ge", |lane| 0xffff_ffff & !((1 << lane) - 1)),
    ] {
        cases.push(case(UINT, format!("gl_Subgroup{name}Mask.x"), move |_, lane| Some(mask(lane))));
    }
    cases.push(case(UINT, "gl_SubgroupSize + gl_SubgroupInvocationID", |_, lane| Some(32 + lane as u64)));
}

fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for ty in INTEGERS {
        for operation in ARITHMETIC {
            arithmetic(&mut cases, ty, operation);
        }
    }
    for ty in FLOATS {
        for index in [0, 2, 3] {
            arithmetic(&mut cases, ty, ARITHMETIC[index]);
        }
    }
    for operation in &ARITHMETIC[4..] {
        arithmetic(&mut cases, BOOL, *operation);
    }
    for ty in [INTEGERS[0], INTEGERS[3], UINT, INTEGERS[6], BOOL, FLOATS[0], FLOATS[1]] {
        moves(&mut cases, ty);
    }
    votes(&mut cases);
    cases
}

/// Roles of lanes: bit 0 for active lanes, bit 1 for lanes that exit before.
const ROLES: [fn(u64, usize) -> u32; 3] = [
    |_, _| 1,
    |random, lane| u32::from(random >> 40 & 3 != 0 || lane == 9),
    |random, lane| if lane % 7 == 2 { 3 } else { (random >> 33 & 1) as u32 },
];

fn numbers(seed: u64, count: usize) -> Vec<u64> {
    let mut random = Random::new(seed);
    (0..count).map(|_| random.next_u64()).collect()
}

fn source(cases: &[Case], size: usize) -> String {
    let mut text = String::from("#version 450\n");
    for extension in EXTENSIONS {
        text += &format!("#extension {extension} : require\n");
    }
    let ty = cases[0].ty;
    text += &format!("#define SIZE {size}\n#define COUNT {}\n", cases.len());
    text += &format!("#define TYPE {}\n#define LOAD {}\n#define RESULTS", ty.name, ty.load);
    for (number, case) in cases.iter().enumerate() {
        text += &format!(" STORE({number}, {})", case.result);
    }
    text + "\n" + BODY
}

fn to_rotate(module: &mut [u8]) {
    const SHUFFLE_DOWN: u16 = 348;
    const ROTATE: u16 = 4431;
    let mut at = 20;
    while at < module.len() {
        let [low, high, count, _] = [module[at], module[at + 1], module[at + 2], module[at + 3]];
        if u16::from_le_bytes([low, high]) == SHUFFLE_DOWN {
            module[at..at + 2].copy_from_slice(&ROTATE.to_le_bytes());
        }
        at += usize::from(count.max(1)) * 4;
    }
}

/// Runs cases of one type in workgroups of `size` and returns the differences; `None` if glslang is not installed.
fn check(tools: &Tools, cases: &[Case], size: usize) -> Option<Vec<String>> {
    let mut module = tools.glsl_or_skip(&source(cases, size), "comp", "vulkan1.3")?;
    if cases[0].rotate {
        to_rotate(&mut module);
    }
    let mut key = CompileKey::default();
    key.validate = true;
    let name =
        format!("{} to {} of {} in {size}", cases[0].result, cases[cases.len() - 1].result, cases[0].ty.name);
    let shader = match compile(Input::spirv(&module), &key) {
        Ok(shader) => shader,
        Err(outcome) => return Some(vec![format!("{name}: {outcome:?}")]),
    };
    let mut wrong = Vec::new();
    for (pattern, role) in ROLES.iter().enumerate() {
        let (input, groups) = inputs(pattern as u64, *role, size);
        let output = vec![0xee; size * cases.len() * 8];
        let mut buffers = [storage_buffer(0, 0, input, false), storage_buffer(0, 1, output, true)];
        if let Err(outcome) = launch(&shader, &mut buffers, &[], [1; 3], pattern as u64) {
            return Some(vec![format!("{name}: {outcome:?}")]);
        }
        for (index, bytes) in buffers[1].bytes.chunks_exact(8).enumerate() {
            let (at, case) = (index / cases.len(), &cases[index % cases.len()]);
            let (group, lane) = (&groups[at / SUBGROUP], at % SUBGROUP);
            let got = u64::from_le_bytes(bytes.try_into().expect("eight bytes"));
            let wanted =
                if group.active[lane] { (case.model)(group, lane) } else { Some(0xeeee_eeee_eeee_eeee) };
            if wanted.is_some_and(|wanted| wanted != got) {
                let name = format!("{} of {} in {size}", case.result, case.ty.name);
                wrong.push(format!("{name}, roles {pattern}, lane {at}: {got:#x}, not {wanted:x?}"));
            }
        }
    }
    Some(wrong)
}

/// The input buffer, and the subgroups of the model.
fn inputs(seed: u64, role: fn(u64, usize) -> u32, size: usize) -> (Vec<u8>, Vec<Lanes>) {
    let (mut input, mut groups) = (Vec::new(), Vec::new());
    let raw = numbers(seed + 3, size);
    // All lanes read `data[0]`.
    let first = (raw[0] >> 20) as u32 % size.min(SUBGROUP) as u32;
    for (at, raw) in raw.iter().enumerate() {
        let lane = at % SUBGROUP;
        let lanes = (size - (at - lane)).min(SUBGROUP);
        let other = if lane == 0 { first } else { (raw >> 20) as u32 % lanes as u32 };
        let role = role(*raw, lane);
        if lane == 0 {
            groups.push(Lanes { active: Vec::new(), raw: Vec::new(), other: Vec::new() });
        }
        let group = groups.last_mut().expect("pushed at lane 0");
        group.active.push(role == 1);
        group.raw.push(*raw);
        group.other.push(other);
        for word in [*raw as u32, (raw >> 32) as u32, other, role] {
            input.extend(word.to_le_bytes());
        }
    }
    (input, groups)
}

/// Sizes of workgroups: whole quads, incomplete quads, an incomplete subgroup, a single lane.
const SIZES: [usize; 5] = [64, 27, 44, 6, 1];

/// The sizes for a batch of cases: one in turn, or all with the feature `stress`.
fn sizes(batch: usize) -> &'static [usize] {
    match SIZES.get(batch % SIZES.len()..) {
        Some([size, ..]) if !cfg!(feature = "stress") => std::slice::from_ref(size),
        _ => &SIZES,
    }
}

/// Maximum number of results of one shader.
const BATCH: usize = 14;

#[test]
fn every_operation_agrees_with_the_model() {
    let tools = Tools::find(std::env::temp_dir().join("agx-tests-subgroups"));
    let cases = cases();
    let batches = cases
        .chunk_by(|a, b| a.ty.name == b.ty.name && a.rotate == b.rotate)
        .flat_map(|same| same.chunks(BATCH));
    let mut wrong = Vec::new();
    for (index, batch) in batches.enumerate() {
        for size in sizes(index) {
            let Some(found) = check(&tools, batch, *size) else { return };
            wrong.extend(found);
        }
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

/// Maximum number of instructions of a shader with one reduction of 64-bit floats; a single addition takes most of
/// them.
const DOUBLE_INSTRUCTIONS: u32 = 6000;

#[test]
fn reductions_of_64_bit_floats_share_their_body() {
    let tools = Tools::find(std::env::temp_dir().join("agx-tests-subgroups-double"));
    let mut cases = Vec::new();
    arithmetic(&mut cases, DOUBLE, ARITHMETIC[0]);
    cases.retain(|case| !["1)", "16)"].iter().any(|cluster| case.result.ends_with(cluster)));
    let mut wrong = Vec::new();
    for size in [64, 6] {
        let Some(found) = check(&tools, &cases, size) else { return };
        wrong.extend(found);
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
    let module = tools.glsl_or_skip(&source(&cases[..1], 64), "comp", "vulkan1.3").expect("as above");
    let shader = compile(Input::spirv(&module), &CompileKey::default()).expect("compiles");
    assert!(shader.stats.instructions < DOUBLE_INSTRUCTIONS, "{}", shader.stats.instructions);
}
