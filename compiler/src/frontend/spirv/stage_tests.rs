//! Tests of the interfaces of vertex and fragment shaders, from WGSL to machine code.

use agx_abi::fragment::{CoefficientSource, Interpolation};
use agx_abi::vertex::{Attribute, Output};
use agx_abi::{InterfaceUniform, PartRole, Stage, UniformSource};
use agx_isa::{Inst, Opcode, Tag, decode};

use crate::{CompileError, CompileKey, CompiledShader, Compiler, Input, Scratch};

fn compile(text: &str, stage: Stage) -> Result<CompiledShader, CompileError> {
    let key = CompileKey { stage: Some(stage), validate: true, ..CompileKey::default() };
    Compiler::default().compile(&mut Scratch::default(), Input::wgsl(text), &key)
}

/// Instructions of the main part.
fn instructions(shader: &CompiledShader) -> Vec<Inst> {
    let mut rest = shader.part(PartRole::Main).expect("a main part");
    let mut list = Vec::new();
    while !rest.is_empty() {
        let (inst, length) = decode(rest).expect("an instruction");
        list.push(inst);
        rest = &rest[length..];
    }
    list
}

const VERTEX: &str = "
struct Out { @builtin(position) position: vec4f, @location(1) pair: vec2f, @location(0) @interpolate(flat) id: u32 }
@vertex fn main(@location(2) p: vec4f, @location(0) c: vec2f, @builtin(instance_index) i: u32) -> Out {
    var out: Out;
    out.position = p;
    out.pair = c;
    out.id = i;
    return out;
}";

#[test]
fn vertex_attributes_are_numbered_by_location() {
    let shader = compile(VERTEX, Stage::Vertex).expect("compiles");
    let expected =
        [Attribute { location: 0, components: 0b11 }, Attribute { location: 2, components: 0b1111 }];
    assert_eq!(shader.info.attributes, expected);
    let base = UniformSource::Interface(InterfaceUniform::BaseVertexAndInstance);
    let range = shader.info.uniforms.iter().find(|range| range.source == base).expect("reserved");
    assert_eq!((range.start, range.halves), (12, 4));
}

/// A vertex shader with these instructions.
fn vertex(insts: &[(u32, &[u32])]) -> CompiledShader {
    let mut words = vec![0x0723_0203, 0x0001_0000, 0, 20, 0];
    for (opcode, operands) in insts {
        words.push((operands.len() as u32 + 1) << 16 | opcode);
        words.extend_from_slice(operands);
    }
    let bytes: Vec<u8> = words.into_iter().flat_map(u32::to_le_bytes).collect();
    let key = CompileKey { stage: Some(Stage::Vertex), validate: true, ..CompileKey::default() };
    Compiler::default().compile(&mut Scratch::default(), Input::spirv(&bytes), &key).expect("compiles")
}

#[test]
fn varyings_without_a_value_are_not_stored() {
    // out vec4 5 at location 0, 6 at location 1, 7 at location 2. A variable 10 without initializer goes to 5 and, once its first
    // component has a value, to 6; a null constant goes to 7.
    let insts: [(u32, &[u32]); 23] = [
        (17, &[1]),
        (14, &[0, 1]),
        (15, &[0, 4, 0x6d, 5, 6, 7]),
        (71, &[5, 30, 0]),
        (71, &[6, 30, 1]),
        (71, &[7, 30, 2]),
        (19, &[1]),
        (33, &[2, 1]),
        (22, &[3, 32]),
        (23, &[8, 3, 4]),
        (32, &[9, 3, 8]),
        (32, &[14, 7, 8]),
        (46, &[8, 11]),
        (43, &[3, 12, 0x3f80_0000]),
        (59, &[9, 5, 3]),
        (59, &[9, 6, 3]),
        (59, &[9, 7, 3]),
        (54, &[1, 4, 0, 2]),
        (248, &[15]),
        (59, &[14, 10, 7]),
        (61, &[8, 16, 10]),
        (82, &[8, 17, 12, 16, 0]),
        (62, &[5, 16]),
    ];
    let rest: [(u32, &[u32]); 4] = [(62, &[6, 17]), (62, &[7, 11]), (253, &[]), (56, &[])];
    let shader = vertex(&[&insts[..], &rest].concat());
    let is_varying = |output: &Output| matches!(output, Output::User { .. });
    let varyings: Vec<Output> =
        shader.info.varyings.iter().map(|varying| varying.output).filter(is_varying).collect();
    let user = |location, component| Output::User { location, component };
    assert_eq!(varyings, [user(1, 0), user(2, 0), user(2, 1), user(2, 2), user(2, 3)]);
}

#[test]
fn attributes_that_nothing_reads_take_no_registers() {
    // in vec4 5 at location 0, in vec4 6 at location 1; out vec4 7 = gl_Position. `main` reads 6 alone.
    let insts: [(u32, &[u32]); 21] = [
        (17, &[1]),
        (14, &[0, 1]),
        (15, &[0, 4, 0x6d, 5, 6, 7]),
        (71, &[5, 30, 0]),
        (71, &[6, 30, 1]),
        (71, &[7, 11, 0]),
        (19, &[1]),
        (33, &[2, 1]),
        (22, &[3, 32]),
        (23, &[8, 3, 4]),
        (32, &[9, 1, 8]),
        (32, &[10, 3, 8]),
        (59, &[9, 5, 1]),
        (59, &[9, 6, 1]),
        (59, &[10, 7, 3]),
        (54, &[1, 4, 0, 2]),
        (248, &[11]),
        (61, &[8, 12, 6]),
        (62, &[7, 12]),
        (253, &[]),
        (56, &[]),
    ];
    let shader = vertex(&insts);
    assert_eq!(shader.info.attributes, [Attribute { location: 1, components: 0b1111 }]);
    let read = registers_read_first(&instructions(&shader));
    assert_eq!(read, [16, 17, 18, 19, 20, 21, 22, 23]);
}

#[test]
fn vertex_outputs_are_stored_in_order_and_the_last_store_is_marked() {
    let shader = compile(VERTEX, Stage::Vertex).expect("compiles");
    let user = |location, component| Output::User { location, component };
    let outputs: Vec<Output> = shader.info.varyings.iter().map(|varying| varying.output).collect();
    let mut expected: Vec<Output> = (0..4).map(Output::Position).collect();
    expected.extend([user(0, 0), user(1, 0), user(1, 1)]);
    assert_eq!(outputs, expected);
    let stores: Vec<Inst> =
        instructions(&shader).into_iter().filter(|inst| inst.op == Opcode::StVar).collect();
    let slots: Vec<u32> = stores.iter().map(|inst| inst.operand("index").expect("a slot").value).collect();
    assert_eq!(slots, [0, 1, 2, 3, 4, 5, 6]);
    let last: Vec<u32> = stores.iter().map(|inst| inst.modifier("last")).collect();
    assert_eq!(last, [0, 0, 0, 0, 0, 0, 1]);
    // Attributes stay in the prolog's registers: position from r12, pair from r8.
    let registers: Vec<u32> = stores.iter().map(|inst| inst.operand("data").expect("data").value).collect();
    assert_eq!([&registers[..4], &registers[5..]], [&[24, 26, 28, 30][..], &[16, 18][..]]);
}

const FRAGMENT: &str = "
@fragment fn main(@builtin(position) at: vec4f, @location(3) c: vec4f, @location(1) @interpolate(linear) d: f32,
        @location(0) @interpolate(flat) e: u32) -> @location(1) vec4f {
    if (c.x < 0.5) { discard; }
    return c * at.z + dpdx(c) + d + f32(e);
}";

#[test]
fn fragment_inputs_have_coefficients_and_colours_their_registers() {
    let shader = compile(FRAGMENT, Stage::Fragment).expect("compiles");
    let fragment = &shader.info.fragment;
    let user =
        |location, component, interpolation| CoefficientSource::User { location, component, interpolation };
    let smooth: Vec<CoefficientSource> =
        (0..4).map(|component| user(3, component, Interpolation::Perspective)).collect();
    assert!(fragment.coefficients.windows(4).any(|window| window == smooth), "{:?}", fragment.coefficients);
    for single in [
        user(1, 0, Interpolation::Linear),
        user(0, 0, Interpolation::Flat),
        CoefficientSource::OneOverW,
        CoefficientSource::Depth,
    ] {
        assert_eq!(fragment.coefficients.iter().filter(|known| **known == single).count(), 1, "{single:?}");
    }
    assert_eq!((fragment.targets(), fragment.components[1]), (0b10, 0b1111));
    assert!(fragment.late_tests && fragment.needs_helpers && !fragment.writes_depth);
    // The fourth component of target 1 is in r11.
    assert!(shader.info.gpr_halves >= 24);
}

#[test]
fn a_discard_kills_and_the_next_part_tests() {
    let shader = compile(FRAGMENT, Stage::Fragment).expect("compiles");
    let masks: Vec<(Tag, u32)> = instructions(&shader)
        .iter()
        .filter(|inst| matches!(inst.op, Opcode::SampleMask | Opcode::Pixwait | Opcode::ZsEmit))
        .map(|inst| inst.operand("live").map_or((Tag::None, 0), |live| (live.tag, live.value)))
        .collect();
    assert_eq!(masks, [(Tag::Imm, 0)]);
    assert!(shader.info.fragment.late_tests);
}

/// The export registers of constants, as `(half register, bits)`.
fn constants(shader: &CompiledShader) -> Vec<(u32, u32)> {
    let loads = |inst: &&Inst| matches!(inst.op, Opcode::Ldimm32 | Opcode::Ldimm16);
    let pair = |inst: &Inst| {
        (inst.operand("dst").expect("a register").value, inst.operand("a").expect("bits").value)
    };
    instructions(shader).iter().filter(loads).map(pair).collect()
}

#[test]
fn after_early_tests_a_discard_only_takes_samples_out_of_the_mask() {
    let text = "@fragment @early_depth_test(force) fn main() -> @location(0) vec4f { discard; }";
    let shader = compile(text, Stage::Fragment).expect("compiles");
    assert!(shader.info.fragment.writes_sample_mask && !shader.info.fragment.late_tests);
    assert!(instructions(&shader).iter().all(|inst| inst.op != Opcode::SampleMask));
    assert!(constants(&shader).contains(&(u32::from(agx_abi::fragment::SAMPLE_MASK), 0)));
}

#[test]
fn memory_writes_make_tests_late_and_atomics_are_for_live_lanes_only() {
    for (body, op, is_guarded) in
        [("out[0] = 7u;", Opcode::Store, false), ("_ = atomicAdd(&count, 7u);", Opcode::Atomic, true)]
    {
        let text = format!(
            "@group(0) @binding(0) var<storage, read_write> out: array<u32>;
             @group(0) @binding(1) var<storage, read_write> count: atomic<u32>;
             @fragment fn main() -> @location(0) vec4f {{ {body} return vec4f(0.5); }}"
        );
        let shader = compile(&text, Stage::Fragment).expect("compiles");
        assert!(shader.info.fragment.writes_depth && shader.info.fragment.late_tests);
        assert!(shader.info.writes_memory);
        let code = instructions(&shader);
        let write = code.iter().position(|inst| inst.op == op).expect("a write");
        let reads_live = |inst: &Inst| inst.op == Opcode::Mfsr && inst.modifier("sr") == 63;
        assert_eq!(code[..write].iter().any(|inst| inst.op == Opcode::IfIcmp), is_guarded);
        assert_eq!(code[..write].iter().any(reads_live), is_guarded);
    }
}

#[test]
fn reading_the_sample_makes_the_shader_run_for_each() {
    let text = "@fragment fn main(@builtin(sample_index) i: u32) -> @location(0) u32 { return i; }";
    let shader = compile(text, Stage::Fragment).expect("compiles");
    assert!(shader.info.fragment.sample_shading);
    let find =
        instructions(&shader).into_iter().find(|inst| inst.op == Opcode::Ffs).expect("finds the sample");
    assert_eq!(find.operand("a").expect("the mask").value, u32::from(agx_abi::fragment::SAMPLES));
}

/// Half registers that the code reads before it writes them.
fn registers_read_first(code: &[Inst]) -> Vec<u16> {
    let (mut written, mut read) = (Vec::new(), Vec::new());
    for inst in code {
        for half in inst.registers_read().flatten().filter(|half| !written.contains(half)) {
            read.push(half);
        }
        written.extend(inst.registers_written().flatten());
    }
    read.sort_unstable();
    read.dedup();
    read
}

const PER_SAMPLE: &str = "@group(0) @binding(0) var<storage, read_write> out: array<u32>;
    @fragment fn main(@builtin(sample_index) i: u32, @location(0) c: vec4f) -> @location(0) vec4f {
        if (c.x > 0.5) { out[i] = 1u; }
        if (c.y > 0.5) { discard; }
        return c;
    }";

#[test]
fn when_sample_shading_is_disabled_no_register_inputs_are_defined() {
    let shader = compile(FRAGMENT, Stage::Fragment).expect("compiles");
    assert_eq!(registers_read_first(&instructions(&shader)), []);
}

#[test]
fn r0h_is_the_mask_of_samples_being_shaded_and_preserved() {
    let shader = compile(PER_SAMPLE, Stage::Fragment).expect("compiles");
    let code = instructions(&shader);
    assert_eq!(registers_read_first(&code), [u16::from(agx_abi::fragment::SAMPLES)]);
    let last = code.iter().rev().find(|inst| {
        inst.registers_written().flatten().any(|half| half == u16::from(agx_abi::fragment::SAMPLES))
    });
    assert_eq!(last, None);
}

#[test]
fn vertex_registers_read_are_numbers_and_attributes() {
    let shader = compile(VERTEX, Stage::Vertex).expect("compiles");
    let attributes = agx_abi::vertex::FIRST_ATTRIBUTE.into();
    let known = |half: &u16| matches!(half, 10..=13) || *half >= attributes;
    let read = registers_read_first(&instructions(&shader));
    assert!(!read.is_empty() && read.iter().all(known), "{read:?}");
}

#[test]
fn depth_is_left_to_the_next_part() {
    let text = "@fragment fn main() -> @builtin(frag_depth) f32 { return 0.25; }";
    let shader = compile(text, Stage::Fragment).expect("compiles");
    assert!(shader.info.fragment.writes_depth && shader.info.fragment.late_tests);
    let code = instructions(&shader);
    assert!(code.iter().all(|inst| !matches!(inst.op, Opcode::SampleMask | Opcode::ZsEmit)));
    let constant = code.iter().find(|inst| inst.op == Opcode::Ldimm32).expect("the depth is loaded");
    assert_eq!(constant.operand("dst").expect("a register").value, u32::from(agx_abi::fragment::DEPTH));
}
