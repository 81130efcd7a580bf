//! Whole programs: memory, control flow, local memory, stack, lanes, preambles, barriers.

mod support;

use agx_emulator::{Access, FindingKind, MemoryFault, Program, dispatch};
use agx_isa::inst::Operand;
use agx_isa::table::Opcode;
use support::*;

/// Runs one workgroup and returns the words of the buffer; there must be no findings.
fn run(program: &Program, threads: u32, count: usize) -> Vec<u32> {
    run_with(program, threads, vec![0; count])
}

fn run_with(program: &Program, threads: u32, before: Vec<u32>) -> Vec<u32> {
    let mut memory = memory(before.len());
    let bytes: Vec<u8> = before.iter().flat_map(|word| word.to_le_bytes()).collect();
    memory.write(BUFFER, &bytes).expect("mapped");
    let report =
        dispatch(&mut memory, &launch(program, &uniforms(), threads)).unwrap_or_else(|stop| panic!("{stop}"));
    if let Some(finding) = report.findings.first() {
        panic!("{finding}");
    }
    words(&memory, before.len())
}

/// r0 = thread index in the workgroup.
fn numbered() -> Code {
    Code::new().special(r(0), 51)
}

#[test]
fn threads_store_their_numbers() {
    let program = numbered().store(r(0), r(0)).stop();
    let words = run(&program, 40, 64);
    assert_eq!(words[..40], (0..40).collect::<Vec<_>>());
    assert_eq!(words[40..], [0; 24], "lanes past the workgroup do not exist");
}

#[test]
fn workgroups_know_their_place() {
    let program = Code::new().special(r(0), 80).special(r(1), 0).store(r(1), r(0)).stop();
    let mut memory = memory(6);
    let uniforms = uniforms();
    let mut grid = launch(&program, &uniforms, 2);
    grid.workgroups = [3, 1, 1];
    let report = dispatch(&mut memory, &grid).expect("runs");
    assert_eq!(words(&memory, 6), [0, 0, 1, 1, 2, 2]);
    assert_eq!((report.instructions, report.lane_instructions), (15, 30));
}

#[test]
fn a_budget_bounds_all_of_a_run() {
    let program = Code::new().special(r(0), 80).special(r(1), 0).store(r(1), r(0)).stop();
    let uniforms = uniforms();
    let mut grid = launch(&program, &uniforms, 2);
    grid.workgroups = [3, 1, 1];
    let kind = |budget: u64| {
        let mut grid = grid.clone();
        grid.options.budget = budget;
        dispatch(&mut memory(6), &grid).map(|report| report.instructions).map_err(|stop| stop.finding.kind)
    };
    // Three workgroups of five instructions each.
    assert_eq!((kind(14), kind(15)), (Err(FindingKind::BudgetSpent(14)), Ok(15)));
    // No endless loop, and no number of workgroups, takes longer than its budget.
    let endless = Code::new().op(Opcode::JmpAny, &[("target", i(0))]).stop();
    let mut grid = launch(&endless, &uniforms, 1024);
    grid.workgroups = [u32::MAX; 3];
    grid.options.budget = 100_000;
    let stop = dispatch(&mut memory(6), &grid).expect_err("endless");
    assert_eq!((stop.finding.kind, stop.report.instructions), (FindingKind::BudgetSpent(100_000), 100_000));
}

#[test]
fn masks_pick_components_and_shift_scales() {
    // Components x, z, w of element 1 of four words.
    let masked = [("dst", r(1)), ("base", uu(0)), ("index", i(1)), ("mask", i(0b1101)), ("shift", i(2))];
    let program = Code::new()
        .op(Opcode::Load, &masked)
        .wait()
        .op(Opcode::Store, &[("data", r(1)), ("base", uu(0)), ("index", i(0)), ("mask", i(0b0111))])
        .wait()
        .stop();
    assert_eq!(run_with(&program, 1, vec![0, 0, 0, 0, 4, 5, 6, 7]), [4, 6, 7, 0, 4, 5, 6, 7]);
}

#[test]
fn negative_indices_and_sizes() {
    let u8norm = 4;
    let program = Code::new()
        .constant(2, -1_i32 as u32)
        .op(Opcode::Ldimm32, &[("dst", r(4)), ("a", Operand::imm(BUFFER as u32 + 8))])
        .constant(5, 0)
        .op(Opcode::Load, &[("dst", r(0)), ("base", rr(4)), ("index", sx(r(2)))])
        .op(Opcode::Load, &[("dst", h(12)), ("base", rr(4)), ("index", i(-2)), ("format", i(1))])
        .op(Opcode::Load, &[("dst", r(7)), ("base", rr(4)), ("index", i(-3)), ("format", i(u8norm))])
        .wait()
        .constant16(13, 0)
        .store(r(0), i(4))
        .store(r(6), i(5))
        .store(r(7), i(6))
        .stop();
    let words = run_with(&program, 1, vec![0, 0xff00_1234, 0, 0, 0, 0, 0]);
    // Byte −3 before the end of the base is 0x12.
    assert_eq!(words[4..], [0xff00_1234, 0x1234, (18.0_f32 / 255.0).to_bits()]);
}

#[test]
fn bases_are_rounded_down_to_the_element() {
    let base = |code: Code, offset: u32| {
        code.op(Opcode::Ldimm32, &[("dst", r(4)), ("a", Operand::imm(BUFFER as u32 + offset))]).constant(5, 0)
    };
    let code = base(Code::new(), 7)
        .op(Opcode::Load, &[("dst", r(1)), ("base", rr(4)), ("index", i(1))])
        .op(Opcode::Load, &[("dst", h(4)), ("base", rr(4)), ("index", i(0)), ("format", i(1))])
        .op(Opcode::Load, &[("dst", h(5)), ("base", rr(4)), ("index", i(0)), ("format", i(0))])
        .wait();
    let program = code.store(r(1), i(3)).store(r(2), i(4)).stop();
    let words = run_with(&program, 1, vec![0, 0x4433_2211, 0x5555_5555, 0, 0]);
    // A word of byte 4 and an element further; a half-word of byte 6; the byte 7.
    assert_eq!(words[3..], [0x5555_5555, 0x0044_4433]);
}

#[test]
fn register_indices_have_a_sign_only_when_the_instruction_says_so() {
    let program = |index| {
        Code::new()
            .constant(2, -1_i32 as u32)
            .op(Opcode::Ldimm32, &[("dst", r(4)), ("a", Operand::imm(BUFFER as u32 + 4))])
            .constant(5, 0)
            .op(Opcode::Load, &[("dst", r(0)), ("base", rr(4)), ("index", index)])
            .wait()
            .stop()
    };
    let fault = |index| {
        let (program, uniforms) = (program(index), uniforms());
        dispatch(&mut memory(2), &launch(&program, &uniforms, 32)).err().map(|stop| stop.finding.kind)
    };
    assert_eq!(fault(sx(r(2))), None);
    let address = BUFFER + 4 + 4 * u64::from(u32::MAX);
    assert_eq!(fault(r(2)), Some(FindingKind::Memory(MemoryFault::Unmapped { address, bytes: 4 })));
}

#[test]
fn loops_and_branches() {
    // sum = 0; for (n = 0; n < thread; n++) { if (n & 1) sum += 10 else sum += 1 }
    let head = Code::new()
        .constant16(0, 0)
        .special(r(1), 51)
        .constant(2, 0)
        .constant(3, 0)
        .op(Opcode::WhileIcmp, &[("a", r(3)), ("b", r(1)), ("cond", i(1)), ("nest", i(1))]);
    let body = |code: Code| {
        code.op(Opcode::Bitop, &[("dst", r(4)), ("a", r(3)), ("b", i(1)), ("table", i(8))])
            .op(Opcode::IfIcmp, &[("a", r(4)), ("b", i(0)), ("inv", i(1)), ("nest", i(1))])
            .op(Opcode::Iadd, &[("dst", r(2)), ("a", r(2)), ("b", i(10))])
            .op(Opcode::ElseIcmp, &[("a", i(0)), ("b", i(0)), ("nest", i(1))])
            .op(Opcode::Iadd, &[("dst", r(2)), ("a", r(2)), ("b", i(1))])
            .op(Opcode::PopExec, &[("nest", i(1))])
            .op(Opcode::Iadd, &[("dst", r(3)), ("a", r(3)), ("b", i(1))])
            .op(Opcode::WhileIcmp, &[("a", r(3)), ("b", r(1)), ("cond", i(1)), ("nest", i(1))])
    };
    let start = head.bytes.len() as i32;
    let looped = body(head);
    let here = looped.bytes.len() as i32;
    let program = looped
        .op(Opcode::JmpAny, &[("target", i(start - here))])
        .op(Opcode::PopExec, &[("nest", i(1))])
        .store(r(2), r(1))
        .stop();
    let expected: Vec<u32> = (0..40_u32).map(|thread| thread / 2 * 10 + thread.div_ceil(2)).collect();
    assert_eq!(run(&program, 40, 40), expected);
}

#[test]
fn calls_return() {
    let call = Code::new().constant(4, 5);
    let here = call.bytes.len();
    // The callee is after the stop: call (6), two stores with wait (2 × 10), stop (2).
    let main = call.op(Opcode::Call, &[("target", i(6 + 10 + 2))]).store(r(4), i(0)).op(Opcode::Stop, &[]);
    assert_eq!(main.bytes.len(), here + 18, "the distance above");
    let program = main
        .op(Opcode::Iadd, &[("dst", r(4)), ("a", r(4)), ("b", i(2))])
        .op(Opcode::Ret, &[("a", r(1))])
        .stop();
    assert_eq!(run(&program, 1, 1), [7]);
}

#[test]
fn calls_through_registers() {
    let code = |address: u32| {
        let main = Code::new()
            .constant(4, 5)
            .constant(6, address)
            .op(Opcode::CallReg, &[("a", r(6))])
            .store(r(4), i(0))
            .op(Opcode::Stop, &[]);
        let callee = main.bytes.len() as u32;
        let whole = main
            .op(Opcode::Iadd, &[("dst", r(4)), ("a", r(4)), ("b", i(3))])
            .op(Opcode::Ret, &[("a", r(1))])
            .stop();
        (callee, whole)
    };
    let (callee, _) = code(0);
    assert_eq!(run(&code(callee).1, 1, 1), [8]);
}

#[test]
fn barriers_order_local_memory() {
    // local[thread] = thread; barrier; out[thread] = local[63 - thread]
    let program = numbered()
        .op(Opcode::Iadd, &[("dst", h(4)), ("a", i(0)), ("b", h(0)), ("shift", i(2))])
        .op(Opcode::Lstore, &[("data", r(0)), ("base", h(4)), ("index", i(0))])
        .op(Opcode::Barrier, &[])
        .op(Opcode::Isub, &[("dst", h(5)), ("a", i(63)), ("b", h(0))])
        .op(Opcode::Iadd, &[("dst", h(4)), ("a", i(0)), ("b", h(5)), ("shift", i(2))])
        .op(Opcode::Lload, &[("dst", r(3)), ("base", h(4)), ("index", i(0))])
        .store(r(3), r(0))
        .stop();
    for seed in 0..8 {
        let mut memory = memory(64);
        let uniforms = uniforms();
        let mut grid = launch(&program, &uniforms, 64);
        grid.local_bytes = 256;
        grid.options.seed = seed;
        grid.options.races = true;
        let report = dispatch(&mut memory, &grid).unwrap_or_else(|stop| panic!("{stop}"));
        assert_eq!(report.findings, []);
        assert_eq!(words(&memory, 64), (0..64).rev().collect::<Vec<_>>(), "seed {seed}");
    }
}

#[test]
fn atomics_return_old_values() {
    let program = numbered()
        .constant(2, 3)
        .op(Opcode::Atomic, &[("dst", r(4)), ("data", r(2)), ("base", uu(0)), ("index", i(0)), ("op", i(0))])
        .wait()
        .op(Opcode::Iadd, &[("dst", r(5)), ("a", r(0)), ("b", i(1))])
        .store(r(4), r(5))
        .stop();
    let words = run(&program, 4, 5);
    assert_eq!(words, [12, 0, 3, 6, 9]);
}

#[test]
fn compare_exchange_takes_new_then_expected() {
    let program = Code::new()
        .constant(2, 77)
        .constant(3, 5)
        .op(Opcode::Atomic, &[("data", r(2)), ("base", uu(0)), ("index", i(1)), ("op", i(3))])
        .op(Opcode::Atomic, &[("data", r(2)), ("base", uu(0)), ("index", i(0)), ("op", i(3))])
        .wait()
        .stop();
    assert_eq!(run_with(&program, 1, vec![6, 5]), [6, 77]);
}

#[test]
fn local_atomics_count() {
    let program = numbered()
        .constant16(4, 8)
        .constant(3, 0)
        .op(Opcode::Lstore, &[("data", r(3)), ("base", h(4)), ("index", i(0))])
        .op(Opcode::Barrier, &[])
        .constant(3, 1)
        .op(Opcode::Latomic, &[("dst", r(5)), ("data", r(3)), ("base", h(4)), ("index", i(0)), ("op", i(0))])
        .op(Opcode::Barrier, &[])
        .op(Opcode::Lload, &[("dst", r(6)), ("base", h(4)), ("index", i(0))])
        .store(r(6), r(0))
        .stop();
    let mut memory = memory(64);
    let uniforms = uniforms();
    let mut grid = launch(&program, &uniforms, 64);
    grid.local_bytes = 12;
    let report = dispatch(&mut memory, &grid).expect("runs");
    assert_eq!(report.findings, []);
    assert_eq!(words(&memory, 64), [64; 64]);
}

#[test]
fn local_atomics_return_old_values_in_lane_order() {
    let program = numbered()
        .constant16(4, 0)
        .constant(3, 7)
        .op(Opcode::Lstore, &[("data", r(3)), ("base", h(4)), ("index", i(0))])
        .op(Opcode::Latomic, &[("dst", r(5)), ("data", r(3)), ("base", h(4)), ("index", i(0)), ("op", i(0))])
        .store(r(5), r(0))
        .stop();
    let mut memory = memory(4);
    let uniforms = uniforms();
    let mut grid = launch(&program, &uniforms, 4);
    grid.local_bytes = 4;
    assert_eq!(dispatch(&mut memory, &grid).expect("runs").findings, []);
    assert_eq!(words(&memory, 4), [7, 14, 21, 28]);
}

#[test]
fn stack_frames_are_private() {
    let program = numbered()
        .op(Opcode::StackAdjust, &[("index", i(12))])
        .op(Opcode::StackStore, &[("data", r(0)), ("index", i(8))])
        .wait()
        .op(Opcode::StackLoad, &[("dst", h(8)), ("index", i(8)), ("format", i(0))])
        .wait()
        .constant16(9, 0)
        .store(r(4), r(0))
        .stop();
    let mut memory = memory(40);
    let uniforms = uniforms();
    let mut grid = launch(&program, &uniforms, 40);
    grid.scratch_bytes = 8;
    let report = dispatch(&mut memory, &grid).expect("runs");
    assert_eq!(report.findings, []);
    assert_eq!(words(&memory, 40), (0..40).collect::<Vec<_>>());
}

/// Appends a part of a program.
type Part<'a> = dyn Fn(Code) -> Code + 'a;

/// Runs the first part in all lanes, the second in all lanes except `out`, the third in all lanes. Words 0 to 31 of the
/// result are the words that they stored in the buffer, the others r2, which is 777 before. r4 is the lane number.
fn without_lane(out: u32, [before, access, after]: [&Part<'_>; 3]) -> Vec<u32> {
    let code = Code::new()
        .constant16(0, 0)
        .special(r(4), 51)
        .op(Opcode::Iadd, &[("dst", r(1)), ("a", r(4)), ("b", i(32))])
        .constant(2, 777)
        .op(Opcode::StackAdjust, &[("index", i(12))]);
    let code =
        before(code).op(Opcode::IfIcmp, &[("a", r(4)), ("b", i(out as i32)), ("inv", i(1)), ("nest", i(1))]);
    let program = after(access(code).op(Opcode::PopExec, &[("nest", i(1))])).store(r(2), r(1)).stop();
    let mut memory = memory(64);
    let uniforms = uniforms();
    let mut grid = launch(&program, &uniforms, 32);
    (grid.scratch_bytes, grid.local_bytes) = (8, 128);
    let report = dispatch(&mut memory, &grid).expect("runs");
    assert_eq!(report.findings, []);
    words(&memory, 64)
}

#[test]
fn one_inactive_lane_takes_no_part_in_an_access() {
    let store_local = |code: Code, data| {
        code.op(Opcode::Iadd, &[("dst", r(5)), ("a", r(4)), ("b", r(4))])
            .op(Opcode::Iadd, &[("dst", r(5)), ("a", r(5)), ("b", r(5))])
            .op(Opcode::Lstore, &[("data", data), ("base", h(10)), ("index", i(0))])
            .wait()
    };
    let load_local =
        |code: Code| code.op(Opcode::Lload, &[("dst", r(2)), ("base", h(10)), ("index", i(0))]).wait();
    let slot = [("index", i(8)), ("format", i(2))];
    let store_stack =
        |code: Code, data| code.op(Opcode::StackStore, &[("data", data), slot[0], slot[1]]).wait();
    let load_stack = |code: Code| code.op(Opcode::StackLoad, &[("dst", r(2)), slot[0], slot[1]]).wait();
    let same = |code: Code| code;
    for out in [0, 1, 15, 30, 31] {
        let lanes = |other: u32| (0..32).map(move |lane| if lane == out { other } else { lane });
        let device = |code: Code| code.store(r(4), r(4)).load(r(2), r(4)).wait();
        let expected: Vec<u32> = lanes(0).chain(lanes(777)).collect();
        assert_eq!(
            without_lane(out, [&same, &device, &same]),
            expected,
            "device memory, lane {out} inactive"
        );
        let expected: Vec<u32> = [0; 32].into_iter().chain(lanes(777)).collect();
        let check = |all: &Part<'_>, active: &Part<'_>, after: &Part<'_>, what| {
            assert_eq!(without_lane(out, [all, active, after]), expected, "{what}, lane {out} inactive");
        };
        check(&same, &|code| load_local(store_local(code, r(4))), &same, "loads of local memory");
        check(&|code| store_local(code, r(2)), &|code| store_local(code, r(4)), &load_local, "local memory");
        check(&same, &|code| load_stack(store_stack(code, r(4))), &same, "loads of the stack");
        check(&|code| store_stack(code, r(2)), &|code| store_stack(code, r(4)), &load_stack, "the stack");
    }
}

#[test]
fn preambles_set_uniforms() {
    let preamble = Code::new()
        .constant(0, 0x1234_5678)
        .op(
            Opcode::UniformStore,
            &[("data", h(0)), ("index", Operand::uniform(20, h(0).size)), ("mask", i(3))],
        )
        .stop();
    let program = Code::new()
        .op(
            Opcode::Bitop,
            &[("dst", r(1)), ("a", Operand::uniform(20, r(0).size)), ("b", i(0)), ("table", i(10))],
        )
        .store(r(1), i(0))
        .stop();
    let mut memory = memory(1);
    let uniforms = uniforms();
    let mut grid = launch(&program, &uniforms, 32);
    grid.preamble = Some(&preamble);
    let report = dispatch(&mut memory, &grid).expect("runs");
    assert_eq!(report.findings, []);
    assert_eq!(words(&memory, 1), [0x1234_5678]);
}

#[test]
fn shuffles_ballots_and_sums() {
    // (instruction, value in lane t of 32 if every lane has its number)
    type Value = fn(u32) -> u32;
    let simd = |op: Opcode, more: &[(&str, Operand)]| {
        let mut operands = vec![("dst", r(2)), ("a", r(0))];
        operands.extend_from_slice(more);
        numbered().constant16(6, 5).op(op, &operands).store(r(2), r(0)).stop()
    };
    let index = |op: i32, rotate: i32| {
        let (op, rotate) = (("op", i(op)), ("rotate", i(rotate)));
        simd(Opcode::Shuffle, &[("b", h(6)), op, rotate])
    };
    let reduce = |op: i32, prefix: i32| simd(Opcode::SimdReduce, &[("op", i(op)), ("prefix", i(prefix))]);
    let ballot = simd(Opcode::IcmpBallot, &[("b", i(7)), ("cond", i(1))]);
    let cases: [(&str, Program, Value); 11] = [
        ("shuffle", index(0, 0), |_| 5),
        ("xor", index(1, 0), |lane| lane ^ 5),
        ("up", index(2, 0), |lane| lane.checked_sub(5).unwrap_or(lane)),
        ("down", index(3, 0), |lane| if lane + 5 < 32 { lane + 5 } else { lane }),
        ("rotate up", index(2, 1), |lane| lane.wrapping_sub(5) & 31),
        ("ballot", ballot, |_| 0x7f),
        ("sum", reduce(16, 0), |_| 31 * 16),
        ("prefix sum", reduce(16, 1), |lane| lane * lane.saturating_sub(1) / 2),
        ("maximum", reduce(30, 0), |_| 31),
        ("prefix minimum", reduce(28, 1), |lane| if lane == 0 { u32::MAX } else { 0 }),
        ("quad sum", simd(Opcode::QuadReduce, &[("op", i(16))]), |lane| (lane & !3) * 4 + 6),
    ];
    for (name, program, value) in cases {
        assert_eq!(run(&program, 32, 32), (0..32).map(value).collect::<Vec<_>>(), "{name}");
    }
}

/// The indices of a quad are ORed, except for lanes that were never started, whose registers are undefined.
#[test]
fn lanes_that_were_never_started_add_nothing_to_a_shuffle() {
    let program = numbered()
        .constant16(6, 0)
        .op(Opcode::Shuffle, &[("dst", r(2)), ("a", r(0)), ("b", h(6)), ("op", i(0)), ("simd", i(1))])
        .store(r(2), r(0))
        .stop();
    assert_eq!(run(&program, 1, 1), [0]);
}

#[test]
fn float_sums_start_from_zero_and_skip_inactive_lanes() {
    let program = Code::new()
        .constant16(0, 0)
        .special(r(1), 51)
        .op(Opcode::U32ToF, &[("dst", r(2)), ("a", r(1)), ("round", i(1))])
        .op(Opcode::IfIcmp, &[("a", r(1)), ("b", i(4)), ("cond", i(1)), ("nest", i(1))])
        .op(Opcode::SimdReduce, &[("dst", r(3)), ("a", r(2)), ("op", i(1))])
        .store(r(3), r(1))
        .op(Opcode::PopExec, &[("nest", i(1))])
        .stop();
    let words = run(&program, 32, 8);
    assert_eq!(words[..4], [6.0_f32.to_bits(); 4]);
    assert_eq!(words[4..], [0; 4]);
}

#[test]
fn matrices_multiply() {
    // a = 2 · identity would need the layout; all ones and a constant do not: every element is 8 · 1 · 3 + 1.
    let one = 1.0_f32.to_bits();
    let program = numbered()
        .constant(2, one)
        .constant(3, one)
        .constant(4, 3.0_f32.to_bits())
        .constant(5, 3.0_f32.to_bits())
        .constant(6, one)
        .constant(7, one)
        .op(Opcode::SimdMatrixFmadd32, &[("dst", r(8)), ("a", r(2)), ("b", r(4)), ("c", r(6))])
        .store(r(9), r(0))
        .stop();
    assert_eq!(run(&program, 32, 32), [25.0_f32.to_bits(); 32]);
}

#[test]
fn faults_name_the_place() {
    let program = numbered().store(r(0), r(0)).stop();
    let uniforms = uniforms();
    let grid = launch(&program, &uniforms, 8);
    let mut memory = memory(5);
    let stop = dispatch(&mut memory, &grid).expect_err("words 5 to 7 are not mapped");
    let address = BUFFER + 20;
    assert_eq!(stop.finding.kind, FindingKind::Memory(MemoryFault::Unmapped { address, bytes: 4 }));
    assert_eq!((stop.finding.pc, stop.finding.lane), (4, Some(5)));
    assert_eq!(stop.report.findings.last(), Some(&*stop.finding));

    let mut soft = launch(&program, &uniforms, 8);
    soft.options.soft_fault = true;
    let report = dispatch(&mut memory, &soft).expect("faults are forgiven");
    assert_eq!(report.soft_faults, 3);

    let mut readable = agx_emulator::Memory::new();
    readable.map(BUFFER, vec![0; 64], Access::READ).expect("free");
    let stop = dispatch(&mut readable, &grid).expect_err("read-only");
    assert!(matches!(stop.finding.kind, FindingKind::Memory(MemoryFault::NotPermitted { write: true, .. })));
}

#[test]
fn bad_programs_end_with_a_finding() {
    type Check = fn(&FindingKind) -> bool;
    let cases: [(&str, Vec<u8>, Check); 5] = [
        ("empty", vec![], |kind| *kind == FindingKind::OutsideProgram),
        ("no stop", Code::new().constant(1, 1).bytes, |kind| *kind == FindingKind::OutsideProgram),
        ("rubbish", vec![0xff; 16], |kind| matches!(kind, FindingKind::Undecodable(_))),
        ("trap", Code::new().op(Opcode::Trap, &[]).bytes, |kind| *kind == FindingKind::Trap),
        ("endless", Code::new().op(Opcode::JmpAny, &[("target", i(0))]).bytes, |kind| {
            *kind == FindingKind::StepLimit(1000)
        }),
    ];
    for (name, code, check) in cases {
        let program = Program::new(&code);
        let mut grid = launch(&program, &[], 1);
        grid.options.max_steps = 1000;
        let stop = dispatch(&mut memory(1), &grid).expect_err(name);
        assert!(check(&stop.finding.kind), "{name}: {stop}");
    }
}

#[test]
fn truncations_and_mutations_never_panic() {
    let code = numbered()
        .load(r(2), r(0))
        .wait()
        .op(Opcode::Ffma, &[("dst", r(2)), ("a", r(2)), ("b", f(2.0)), ("c", r(0))])
        .store(r(2), r(0))
        .op(Opcode::Stop, &[])
        .bytes;
    let mut state = 1_u32;
    for round in 0..4000 {
        let mut mutant = code.clone();
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let at = state as usize / 7 % mutant.len();
        mutant[at] ^= 1 << (state >> 29);
        mutant.truncate(if round % 3 == 0 { at } else { code.len() });
        let program = Program::new(&mutant);
        let uniforms = uniforms();
        let mut grid = launch(&program, &uniforms, 33);
        grid.options.max_steps = 500;
        grid.options.soft_fault = round % 2 == 0;
        let _ = dispatch(&mut memory(64), &grid);
    }
}

/// The maximum error of `op` in units in the last place, over singles of the normal range, with `perturb`.
fn worst(op: Opcode, exact: fn(f64) -> f64, samples: &[f32], seed: u64) -> f64 {
    let threads = 1024;
    let program =
        numbered().load(r(1), r(0)).wait().op(op, &[("dst", r(2)), ("a", r(1))]).store(r(2), r(0)).stop();
    let mut worst = 0.0_f64;
    for samples in samples.chunks(threads) {
        let mut memory = memory(threads);
        let bytes: Vec<u8> = samples.iter().flat_map(|sample| sample.to_le_bytes()).collect();
        memory.write(BUFFER, &bytes).expect("mapped");
        let uniforms = uniforms();
        let mut grid = launch(&program, &uniforms, threads as u32);
        (grid.options.perturb, grid.options.seed) = (seed != 0, seed);
        dispatch(&mut memory, &grid).unwrap_or_else(|stop| panic!("{stop}"));
        for (sample, word) in samples.iter().zip(words(&memory, threads)) {
            let wanted = exact(f64::from(*sample));
            let unit = f64::from((wanted.abs() as f32).next_up()) - f64::from(wanted.abs() as f32);
            worst = worst.max((f64::from(f32::from_bits(word)) - wanted).abs() / unit);
        }
    }
    worst
}

#[test]
fn special_functions_are_off_by_the_unit_that_is_asked_for() {
    let mut samples: Vec<f32> = Vec::new();
    for exponent in -20..20 {
        samples.extend((0..256).map(|at| 2.0_f32.powi(exponent) * (1.0 + at as f32 / 256.0 + 0.001)));
    }
    let small: Vec<f32> = samples.iter().copied().filter(|sample| *sample < 100.0).collect();
    let functions: [(Opcode, fn(f64) -> f64, &[f32]); 4] = [
        (Opcode::Exp2, f64::exp2, &small),
        (Opcode::Log2, f64::log2, &samples),
        (Opcode::Rsqrt, |x| 1.0 / x.sqrt(), &samples),
        (Opcode::Rcp, |x| 1.0 / x, &samples),
    ];
    for (op, exact, samples) in functions {
        let plain = worst(op, exact, samples, 0);
        assert!(plain <= 0.501, "{op:?}: {plain} units");
        let moved = (1..4).map(|seed| worst(op, exact, samples, seed)).fold(0.0, f64::max);
        // The unit below a power of two is half the unit above.
        assert!((1.3..=1.51).contains(&moved), "{op:?}: {moved} units");
    }
}
