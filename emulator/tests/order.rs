//! Litmus tests of memory between SIMD-groups: forbidden outcomes never occur with the fences, and occur without them.

mod support;

use std::collections::BTreeSet;

use agx_emulator::{
    Binding, Cull, Draw, Framebuffer, Memory, MemoryOrder, More, Options, Program, States, Tests, Topology,
    Viewport, dispatch, draw,
};
use agx_isa::inst::{Operand, Size, Tag};
use agx_isa::table::Opcode;
use support::*;

/// Number of seeds.
const SEEDS: u64 = 400;

fn relaxed(seed: u64) -> Options {
    Options { memory_order: MemoryOrder::Relaxed, seed, strict: false, ..options() }
}

/// The words of the buffer after runs of `workgroups` × `threads` lanes, for all seeds.
fn outcomes(program: &Program, workgroups: u32, threads: u32, count: usize) -> BTreeSet<Vec<u32>> {
    let run = |seed| {
        let mut memory = memory(count);
        let uniforms = uniforms();
        let mut grid = launch(program, &uniforms, threads);
        grid.workgroups = [workgroups, 1, 1];
        grid.local_bytes = 16;
        grid.options = relaxed(seed);
        dispatch(&mut memory, &grid).unwrap_or_else(|stop| panic!("{stop}"));
        words(&memory, count)
    };
    assert_eq!(run(7), run(7), "a seed fixes everything");
    (0..SEEDS).map(run).collect()
}

/// The scope that contains the two actors.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Scope {
    /// SIMD-groups of a workgroup.
    Workgroup,
    /// Workgroups.
    Device,
}

/// A program in which actor 0 runs the first code and actor 1 the second.
fn two(scope: Scope, first: Code, second: Code) -> (Program, u32, u32) {
    let (number, workgroups, threads) = match scope {
        Scope::Workgroup => (53, 1, 64),
        Scope::Device => (0, 2, 32),
    };
    let skip = |code: Code, body: Code| {
        let length = body.bytes.len() as i32;
        let mut code = code.op(Opcode::JmpNone, &[("target", i(6 + length))]);
        code.bytes.extend(body.bytes);
        code
    };
    let chosen = Code::new()
        .constant16(0, 0)
        .constant(10, 1)
        .special(r(1), number)
        .op(Opcode::IfIcmp, &[("a", r(1)), ("b", i(0)), ("nest", i(1))]);
    let other = skip(chosen, first).op(Opcode::ElseIcmp, &[("a", i(0)), ("b", i(0)), ("nest", i(1))]);
    let program = skip(other, second).op(Opcode::PopExec, &[("nest", i(1))]).stop();
    (program, workgroups, threads)
}

fn put(code: Code, word: i32) -> Code {
    code.op(Opcode::Store, &[("data", r(10)), ("base", uu(0)), ("index", i(word))])
}

/// The instructions between two accesses.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Between {
    Nothing,
    Wait,
    Fence,
    Both,
}

impl Between {
    fn after(self, code: Code) -> Code {
        let code = if matches!(self, Between::Wait | Between::Both) { code.wait() } else { code };
        match self {
            Between::Fence | Between::Both => code.op(Opcode::MemoryBarrier, &[]),
            _ => code,
        }
    }
}

/// Words 2 and 3 of every outcome.
fn seen(outcomes: &BTreeSet<Vec<u32>>) -> BTreeSet<[u32; 2]> {
    outcomes.iter().map(|words| [words[2], words[3]]).collect()
}

/// Actor 0 stores data, then a flag; actor 1 loads the flag, then the data.
fn message(scope: Scope, writer: Between, reader: Between) -> BTreeSet<[u32; 2]> {
    let first = put(writer.after(put(Code::new(), 0)), 1).wait();
    let second = reader.after(Code::new().load(r(2), i(1))).load(r(3), i(0)).wait();
    let (program, workgroups, threads) = two(scope, first, second.store(r(2), i(2)).store(r(3), i(3)));
    seen(&outcomes(&program, workgroups, threads, 4))
}

#[test]
fn messages_pass_with_fences_on_both_sides() {
    for scope in [Scope::Workgroup, Scope::Device] {
        let both = message(scope, Between::Both, Between::Both);
        assert!(!both.contains(&[1, 0]), "{scope:?}");
        assert!(both.contains(&[1, 1]) && both.contains(&[0, 0]), "{scope:?} {both:?}");
        for (writer, reader) in [
            (Between::Nothing, Between::Both),
            (Between::Wait, Between::Both),
            (Between::Fence, Between::Both),
            (Between::Both, Between::Nothing),
            (Between::Both, Between::Wait),
        ] {
            let seen = message(scope, writer, reader);
            assert!(seen.contains(&[1, 0]), "{scope:?} {writer:?} {reader:?} {seen:?}");
        }
    }
}

#[test]
fn stores_are_buffered_until_a_fence() {
    let forbidden = |scope, between: Between| {
        let actor = |own, other, result| {
            between.after(put(Code::new(), own)).load(r(2), i(other)).wait().store(r(2), i(result))
        };
        let (program, workgroups, threads) = two(scope, actor(0, 1, 2), actor(1, 0, 3));
        seen(&outcomes(&program, workgroups, threads, 4)).contains(&[0, 0])
    };
    for scope in [Scope::Workgroup, Scope::Device] {
        assert!(!forbidden(scope, Between::Both), "{scope:?}");
        for between in [Between::Nothing, Between::Wait, Between::Fence] {
            assert!(forbidden(scope, between), "{scope:?} {between:?}");
        }
    }
}

#[test]
fn barriers_order_device_memory_with_waits_and_a_fence() {
    // Every thread stores its number, and loads that of the other SIMD-group.
    let stale = |before: Between, barrier: bool| {
        let stored = Code::new()
            .special(r(1), 51)
            .op(Opcode::Iadd, &[("dst", r(2)), ("a", r(1)), ("b", i(1))])
            .op(Opcode::Bitop, &[("dst", r(3)), ("a", r(1)), ("b", i(32)), ("table", i(6))])
            .op(Opcode::Store, &[("data", r(2)), ("base", uu(0)), ("index", r(1))]);
        let ordered = before.after(stored);
        let ordered = if barrier { ordered.op(Opcode::Barrier, &[]) } else { ordered };
        let loaded = ordered.load(r(4), r(3)).wait();
        let program =
            loaded.op(Opcode::Iadd, &[("dst", r(5)), ("a", r(1)), ("b", i(64))]).store(r(4), r(5)).stop();
        outcomes(&program, 1, 64, 128).iter().any(|words| words[64..].contains(&0))
    };
    assert!(!stale(Between::Both, true));
    for (before, barrier) in
        [(Between::Both, false), (Between::Nothing, true), (Between::Wait, true), (Between::Fence, true)]
    {
        assert!(stale(before, barrier), "{before:?} {barrier}");
    }
}

#[test]
fn local_memory_is_ordered_by_barriers_alone() {
    // SIMD-group 0 stores 9 after both have stored 0; the other one loads.
    let stale = |barrier: bool| {
        let stored = Code::new()
            .constant16(0, 0)
            .special(r(1), 53)
            .constant16(4, 0)
            .constant(3, 0)
            .op(Opcode::Lstore, &[("data", r(3)), ("base", h(4)), ("index", i(0))])
            .op(Opcode::Barrier, &[])
            .constant(3, 9)
            .op(Opcode::IfIcmp, &[("a", r(1)), ("b", i(0)), ("nest", i(1))])
            .op(Opcode::Lstore, &[("data", r(3)), ("base", h(4)), ("index", i(0))])
            .op(Opcode::PopExec, &[("nest", i(1))]);
        let stored = if barrier { stored.op(Opcode::Barrier, &[]) } else { stored };
        let program = stored
            .op(Opcode::Lload, &[("dst", r(5)), ("base", h(4)), ("index", i(0))])
            .store(r(5), r(1))
            .stop();
        outcomes(&program, 1, 64, 2).iter().any(|words| words.contains(&0))
    };
    assert!(!stale(true) && stale(false));
}

#[test]
fn results_arrive_at_their_wait() {
    let program = |waits: bool| {
        let loaded = Code::new().constant(2, 77).load(r(2), i(0));
        let loaded = if waits { loaded.wait() } else { loaded };
        loaded
            .op(Opcode::Iadd, &[("dst", r(3)), ("a", r(2)), ("b", i(0))])
            .wait()
            .store(r(3), i(1))
            .store(r(2), i(2))
            .stop()
    };
    assert_eq!(outcomes(&program(true), 1, 1, 3), BTreeSet::from([vec![0, 0, 0]]));
    let early = outcomes(&program(false), 1, 1, 3);
    assert!(early.iter().all(|words| words[2] == 0), "it arrives at last");
    let read = |value| early.iter().any(|words| words[1] == value);
    assert!(read(0) && read(77) && early.len() > 3, "what it held, what it gets, anything: {early:?}");
}

#[test]
fn own_accesses_stay_in_order() {
    // Load, store and load of one word by the same lanes, with atomics in between and without waits.
    let program = Code::new()
        .special(r(1), 51)
        .constant(4, 5)
        .constant(5, 7)
        .load(r(2), r(1))
        .op(Opcode::Store, &[("data", r(4)), ("base", uu(0)), ("index", r(1))])
        .op(Opcode::Atomic, &[("dst", r(6)), ("data", r(5)), ("base", uu(0)), ("index", r(1)), ("op", i(0))])
        .load(r(3), r(1))
        .wait()
        .op(Opcode::Iadd, &[("dst", r(7)), ("a", r(1)), ("b", i(32))])
        .store(r(2), r(7))
        .op(Opcode::Iadd, &[("dst", r(7)), ("a", r(7)), ("b", i(32))])
        .store(r(3), r(7))
        .op(Opcode::Iadd, &[("dst", r(7)), ("a", r(7)), ("b", i(32))])
        .store(r(6), r(7))
        .stop();
    let expected = [[12; 32], [0; 32], [12; 32], [5; 32]].concat();
    assert_eq!(outcomes(&program, 1, 32, 128), BTreeSet::from([expected]));
}

/// Descriptors of a 2 × 1 image of 32-bit integers in the buffer: for loads and for stores.
fn descriptors() -> [[u8; 24]; 2] {
    let fields = |fields: &[(u32, u128)]| {
        let bits = fields.iter().fold(0_u128, |bits, (start, value)| bits | value << start);
        let mut bytes = [0; 24];
        bytes[..16].copy_from_slice(&bits.to_le_bytes());
        bytes
    };
    let address = u128::from(BUFFER >> 4);
    let common = [(0, 2), (4, 2), (6, 0x21), (13, 2)];
    [
        fields(&[&common[..], &[(16, 0), (19, 1), (22, 2), (25, 3), (28, 1), (66, address)]].concat()),
        fields(&[&common[..], &[(18, 1), (20, 2), (22, 3), (24, 1), (64, address)]].concat()),
    ]
}

fn state(number: u32) -> Operand {
    Operand { tag: Tag::TextureState, value: number, ..Operand::imm(0) }
}

/// Coordinates of texel x of row 0 in r12, r13.
fn texel(code: Code, x: u32) -> Code {
    code.constant(12, x).constant(13, 0)
}

fn load_texel(code: Code, dst: u8, x: u32) -> Code {
    let sampler = Operand { tag: Tag::SamplerState, value: 0, ..Operand::imm(0) };
    let operands =
        [("dst", r(dst)), ("coords", r(12)), ("texture", state(0)), ("sampler", sampler), ("dim", i(2))];
    texel(code, x).op(Opcode::Smpi, &operands).wait()
}

fn store_texel(code: Code, x: u32) -> Code {
    let code = texel(code, x).constant(16, 1).constant(17, 0).constant(18, 0).constant(19, 0);
    code.op(
        Opcode::Imgw,
        &[("data", r(16)), ("coords", r(12)), ("texture", state(1)), ("dim", i(2)), ("lod", i(0))],
    )
}

/// Values of the texel that another SIMD-group, or the same one, stored before `fences`.
fn texels(fences: &[Opcode], stored_as_texel: bool) -> BTreeSet<u32> {
    let code = Code::new().special(r(1), 53).constant(10, 1);
    let code = if stored_as_texel { store_texel(code, 1) } else { put(code, 1).wait() };
    let code = fences.iter().fold(code, |code, fence| code.op(*fence, &[]));
    let program = load_texel(code, 4, 1)
        .op(Opcode::Iadd, &[("dst", r(1)), ("a", r(1)), ("b", i(2))])
        .store(r(4), r(1))
        .stop();
    let run = |seed| {
        let mut memory = memory(4);
        let uniforms = uniforms();
        let mut grid = launch(&program, &uniforms, 64);
        let textures = descriptors();
        grid.states = States { textures: &textures, samplers: &[[0; 8]], ..States::default() };
        grid.options = relaxed(seed);
        dispatch(&mut memory, &grid).unwrap_or_else(|stop| panic!("{stop}"));
        words(&memory, 4)
    };
    (0..SEEDS).flat_map(|seed| run(seed)[2..].to_vec()).collect()
}

#[test]
fn image_fences_order_texels() {
    use Opcode::*;
    let images = [ImageBarrier1, ImageBarrier2, Barrier, ImageBarrier3, ImageBarrier4];
    assert_eq!(texels(&images, true), BTreeSet::from([1]));
    for dropped in [0, 1, 3] {
        let fences: Vec<Opcode> = (0..5).filter(|at| *at != dropped).map(|at| images[at]).collect();
        assert_eq!(texels(&fences, true), BTreeSet::from([0, 1]), "without {:?}", images[dropped]);
    }
    let memory = [MemoryBarrier, MemoryBarrier2, Barrier, ImageBarrier3, FlushMemoryToTexture];
    assert_eq!(texels(&memory, false), BTreeSet::from([1]));
    for dropped in [0, 4] {
        let fences: Vec<Opcode> = (0..5).filter(|at| *at != dropped).map(|at| memory[at]).collect();
        assert_eq!(texels(&fences, false), BTreeSet::from([0, 1]), "without {:?}", memory[dropped]);
    }
}

/// A vertex program whose position is four words of the buffer.
fn positions() -> Program {
    let mut code = Code::new()
        .op(Opcode::Imadd, &[("dst", r(7)), ("a", r(5)), ("b", i(4)), ("c", i(0))])
        .op(Opcode::Load, &[("dst", r(8)), ("base", uu(0)), ("index", r(7)), ("mask", i(15))])
        .wait();
    for slot in 0..4 {
        let operands = [("data", r(8 + slot)), ("index", i(slot.into())), ("last", i(i32::from(slot == 3)))];
        code = code.op(Opcode::StVar, &operands);
    }
    code.stop()
}

/// Colours of a pixel after three covering primitives have each computed 10 · old + its number.
fn overdrawn(waits: bool) -> BTreeSet<u32> {
    let corners = [[-1.0, -1.0], [3.0, -1.0], [-1.0, 3.0_f32]];
    let data: Vec<u8> =
        corners.iter().flat_map(|[x, y]| [*x, *y, 0.5, 1.0]).flat_map(f32::to_le_bytes).collect();
    let number = Operand { tag: Tag::Coefficient, value: 0, ..Operand::imm(0) };
    let code = Code::new().op(Opcode::Ldcf, &[("dst", r(1)), ("a", number)]);
    let code = if waits { code.op(Opcode::Pixwait, &[("a", i(12))]) } else { code };
    let fragment = code
        .op(Opcode::LdTile, &[("dst", r(5)), ("samples", i(255)), ("format", i(2))])
        .op(Opcode::Imadd, &[("dst", r(5)), ("a", r(5)), ("b", i(10)), ("c", r(3))])
        .op(Opcode::Iadd, &[("dst", r(5)), ("a", r(5)), ("b", i(1))])
        .op(Opcode::StTile, &[("data", r(5)), ("samples", i(255)), ("format", i(2))])
        .stop();
    let vertex = positions();
    let run = |seed| {
        let mut memory = Memory::new();
        memory.map(BUFFER, data.clone(), agx_emulator::Access::READ).expect("free");
        let mut framebuffer = Framebuffer::new(2, 2, 1, 4);
        let uniforms = uniforms();
        let stage = |program| stage(program, &uniforms);
        let triangles = Draw {
            vertex: stage(&vertex),
            fragment: stage(&fragment),
            topology: Topology::Triangles,
            vertices: &[0, 1, 2, 0, 1, 2, 0, 1, 2],
            instances: 1,
            position_slot: 0,
            point_size_slot: None,
            coefficients: &[Binding::PrimitiveId],
            viewport: Viewport { x: 0.0, y: 0.0, width: 2.0, height: 2.0, min_depth: 0.0, max_depth: 1.0 },
            scissor: None,
            line_width: 1.0,
            front_counter_clockwise: false,
            cull: Cull::None,
            provoking_last: false,
            tests: Tests::default(),
            late_tests: false,
            more: More::default(),
            options: relaxed(seed),
        };
        draw(&mut memory, &mut framebuffer, &triangles).unwrap_or_else(|stop| panic!("{stop}"));
        let bytes = framebuffer.colour(1, 1, 0).expect("inside");
        u32::from_le_bytes(bytes[..4].try_into().expect("four bytes"))
    };
    (0..SEEDS).map(run).collect()
}

#[test]
fn pixel_waits_order_fragments() {
    assert_eq!(overdrawn(true), BTreeSet::from([123]));
    let without = overdrawn(false);
    assert!(without.contains(&123) && without.len() > 2, "{without:?}");
}

#[test]
fn sizes_are_those_of_the_operands() {
    // Two SIMD-groups store bytes and half-words of one word: none is lost.
    let half = |index: i32, data| {
        put(Code::new(), 1)
            .op(Opcode::Store, &[("data", data), ("base", uu(0)), ("index", i(index)), ("format", i(1))])
            .wait()
    };
    let value = Operand::reg(20, Size::B16);
    let (program, workgroups, threads) = two(Scope::Workgroup, half(0, value), half(1, value));
    assert_eq!(outcomes(&program, workgroups, threads, 2), BTreeSet::from([vec![0x1_0001, 1]]));
}
