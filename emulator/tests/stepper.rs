//! Execution instruction by instruction gives what a run gives, from any copy of the state.

#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

use agx_emulator::{Access, Dispatch, LaneState, Memory, MemoryOrder, Options, Program, Stepper, dispatch};
use agx_isa::asm::assemble;

const BUFFER: u64 = 0x1_0000;

/// Each thread adds its number to a word in a loop of four iterations, with a barrier in each; the preamble sets u4.
const PREAMBLE: &str = "ldimm16 r1l, 3\n uniform_store.i16.x r1l, u4l\n stop";
const MAIN: &str = "mfsr r1, sr51\n ldimm16 r2l, 0\n ldimm16 r0l, 0\n push_exec nest 1\n L0: iadd r2l, r2l, 1\n \
                    barrier\n icsel.ugt r0l, r2l, u4l, 1, 0\n pop_exec\n jmp_any L0\n pop_exec nest 1\n \
                    stop";

fn with_dispatch<R>(options: Options, check: impl FnOnce(&Dispatch<'_>) -> R) -> R {
    let (program, preamble) =
        (Program::new(&assemble(MAIN).unwrap()), Program::new(&assemble(PREAMBLE).unwrap()));
    check(&Dispatch {
        preamble: Some(&preamble),
        uniforms: &[0; 8],
        workgroups: [3, 1, 1],
        options,
        ..Dispatch::new(&program, [70, 1, 1])
    })
}

fn memory() -> Memory {
    let mut memory = Memory::new();
    memory.map(BUFFER, vec![0; 64], Access::READ | Access::WRITE).unwrap();
    memory
}

/// A line for each instruction, with what a trace has of it: workgroup, SIMD-group, offset, mask before.
fn steps(stepper: &mut Stepper<'_>) -> Vec<(bool, [u32; 3], u32, u32)> {
    let mut found = Vec::new();
    while let Some(group) = stepper.current().filter(|_| !stepper.is_finished()) {
        found.push((stepper.in_preamble(), group.workgroup(), group.index(), group.pc()));
        stepper.step().unwrap();
    }
    found
}

#[test]
fn steps_are_those_of_a_run() {
    for seed in 0..4 {
        for memory_order in [MemoryOrder::Sequential, MemoryOrder::Relaxed] {
            let options = Options { seed, memory_order, trace: true, ..Options::default() };
            with_dispatch(options, |run| {
                let report = dispatch(&mut memory(), run).unwrap();
                let expected: Vec<String> = report.trace.iter().map(|line| line[..16].to_owned()).collect();
                let found = steps(&mut Stepper::new(memory(), run));
                let found: Vec<String> = found
                    .iter()
                    .map(|(_, [x, y, z], index, pc)| {
                        format!("{x},{y},{z} {index:2} {pc:06x} ")[..16].to_owned()
                    })
                    .collect();
                assert_eq!(found, expected, "seed {seed}, {memory_order:?}");
                // One preamble lane; then three workgroups of three SIMD-groups, which run the loop four times.
                assert_eq!(found.len(), 3 + 9 * (4 + 4 * 5 + 2), "seed {seed}");
            });
        }
    }
}

#[test]
fn a_copy_continues_like_the_original() {
    let options = Options { seed: 7, memory_order: MemoryOrder::Relaxed, ..Options::default() };
    with_dispatch(options, |run| {
        let mut stepper = Stepper::new(memory(), run);
        (0..100).for_each(|_| stepper.step().unwrap());
        let mut copy = stepper.clone();
        assert_eq!((copy.time(), copy.in_preamble()), (100, false));
        let rest = steps(&mut stepper);
        assert_eq!(steps(&mut copy), rest);
        assert_eq!((copy.time(), stepper.time()), (100 + rest.len() as u64, 100 + rest.len() as u64));
        assert!(copy.is_finished() && copy.current().is_none());
    });
}

#[test]
fn a_view_has_registers_lanes_and_uniforms() {
    with_dispatch(Options::default(), |run| {
        let mut stepper = Stepper::new(memory(), run);
        assert_eq!(stepper.uniform(8), None, "the preamble has not run");
        while stepper.in_preamble() {
            stepper.step().unwrap();
        }
        assert_eq!(stepper.uniform(8), Some(3));
        // Until the third SIMD-group of the workgroup has read its number.
        while stepper.current().is_none_or(|group| group.index() != 2 || group.pc() == 0) {
            stepper.step().unwrap();
        }
        let group = stepper.current().unwrap();
        assert_eq!((group.half(2, 5), group.is_defined(2, 5), group.is_defined(200, 5)), (69, true, false));
        assert_eq!((group.lane(5), group.lane(6)), (LaneState::Active, LaneState::Absent));
        assert_eq!((group.thread(5), group.lanes(), group.exec()), ([69, 0, 0], 0x3f, 0x3f));
        assert_eq!(stepper.groups().count(), 3);
    });
}

#[test]
fn a_fault_ends_the_run() {
    let program = Program::new(&assemble("ldimm16 r1l, 1\n trap").unwrap());
    let run = Dispatch::new(&program, [32, 1, 1]);
    let mut stepper = Stepper::new(memory(), &run);
    stepper.step().unwrap();
    let finding = stepper.step().unwrap_err();
    assert_eq!((finding.pc, stepper.time(), stepper.is_finished()), (4, 1, true));
    assert_eq!(stepper.current().map(|group| group.pc()), Some(4), "the group stays where it faulted");
}
