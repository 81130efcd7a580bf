//! Moves computations that are the same for every invocation to the preamble: a program that runs once per
//! dispatch or draw and leaves its results in the uniform file.
//!
//! A value is uniform if a pure operation computes it from constants, uniform registers and uniform values,
//! in any arm or loop; if it is loaded from read-only memory at a uniform address, in a block that every
//! invocation executes or by a load that may be executed speculatively; if a texture is read at uniform
//! coordinates at a level that does not depend on derivatives; or if it is a phi of uniform values
//! after an if on a uniform condition, which becomes a selection.
//!
//! Other loads from read-only memory move if all constructs around them are ifs on uniform conditions: the preamble then
//! contains these ifs. So do loops and scopes of which every invocation takes the same path, if everything in them is uniform:
//! they move as a whole. Values that need a construct in the preamble are called *guarded*.
//!
//! The uniform values that the shader itself still reads are assigned half-words after those in use, the most expensive
//! first. If all of them fit, ifs and loops of which nothing remains are left without effect; otherwise instructions become
//! unused. `opt_dce` and `opt_simplify_control` follow and remove both.
//!
//! Before: stage source. After: the same.

mod build;
mod candidates;
mod constructs;
mod copy;
mod equals;
mod stores;
mod uniform;

use std::cmp::Reverse;

use agx_abi::layout::{MEMORY_BASE_HALVES, UNIFORM_HALVES};
use agx_isa::inst::Size;
use bumpalo::Bump;
use bumpalo::collections::Vec as ArenaVec;

use super::dead_loops::leave;
use super::first_free_uniform;
use crate::context::Context;
use crate::ir::families::forget_absent;
use crate::ir::{Function, ScratchSide, Src, Value};
use build::build;
use candidates::Candidates;
use equals::Equals;
use uniform::Uniform;

/// Half-words kept free for promoted constants.
const RESERVED_HALVES: u16 = 64;

/// Where the half-words that the preamble may fill end.
const LAST_FREE_HALF: u16 = UNIFORM_HALVES - RESERVED_HALVES;

/// Moves uniform computations to `f.preamble`.
pub fn opt_preamble(f: &mut Function<'_>, context: &mut Context<'_>) {
    f.with_scratch(|f, scratch| move_uniform(f, context, scratch));
}

fn move_uniform(f: &mut Function<'_>, context: &mut Context<'_>, scratch: &Bump) {
    let mut uniform = Uniform::of(f, &context.facts.info.uniforms, scratch);
    if !uniform.may_have_insts {
        return;
    }
    let mut found = Candidates::of(f, &mut uniform, scratch);
    if found.values.is_empty() {
        return;
    }
    let equals = if uniform.in_arms { Equals::of(f, &uniform, scratch) } else { Equals::none(scratch) };
    equals.merge(&mut found.values, scratch);
    let count = found.values.len();
    let (places, end) = place(f, std::mem::replace(&mut found.values, ArenaVec::new_in(scratch)), context);
    if places.is_empty() {
        return;
    }
    let preamble = build(f, &places, &uniform, &equals, scratch);
    let mut homes: ScratchSide<'_, Value, Option<Src>> = ScratchSide::new_in(scratch, f.values.len());
    for (value, half) in &places {
        homes[*value] = Some(Src::uniform(*half, f.ty(*value).bits));
    }
    equals.share(&mut homes);
    if places.len() == count {
        remove_moved(f, &uniform, &found);
    }
    // Values share a home only if they are in arms of which none dominates another.
    read_from_homes(f, &homes, &uniform);
    f.preamble = Some(Box::new(preamble));
    context.facts.info.uniform_halves = context.facts.info.uniform_halves.max(end);
}

/// Removes what the preamble computes. No other instruction reads its results any longer.
fn remove_moved(f: &mut Function<'_>, uniform: &Uniform<'_>, found: &Candidates<'_>) {
    for block in f.blocks_in_order() {
        f.block_mut(block).insts.retain(|inst| !uniform.insts[*inst]);
    }
    for inst in &found.empty_ifs {
        f.insts[*inst].srcs = f.bump.alloc_slice_copy(&[Src::bool(false)]);
    }
    let extents = uniform.extents.iter().zip(&found.remaining).filter(|(_, remains)| !**remains);
    leave(f, &extents.map(|(extent, _)| *extent).collect::<Vec<_>>());
    forget_absent(f);
}

/// Replaces reads of moved values in the remaining code by the uniform registers that the preamble fills.
fn read_from_homes(f: &mut Function<'_>, homes: &ScratchSide<'_, Value, Option<Src>>, uniform: &Uniform<'_>) {
    let home = |src: &Src| match src.as_value().and_then(|value| homes[value]) {
        Some(home) => Src { flags: src.flags, ..home },
        None => *src,
    };
    for block in f.blocks_in_order() {
        for index in 0..f.block(block).insts.len() {
            let inst = f.block(block).insts[index];
            let srcs = f.insts[inst].srcs;
            let is_moved = |src: &Src| src.as_value().is_some_and(|value| homes[value].is_some());
            if !srcs.iter().any(is_moved) {
                continue;
            }
            // What moves as a whole would read the results of its last iteration.
            if !uniform.insts[inst] && uniform.whole(inst).is_none() {
                f.insts[inst].srcs = f.bump.alloc_slice_fill_iter(srcs.iter().map(home));
            }
        }
    }
}

/// Assigns half-words to the heaviest candidates, wide values first so that all are aligned and addresses are
/// in reach of memory operands. Returns the assignments and the end of the half-words in use.
fn place(
    f: &Function<'_>,
    mut candidates: ArenaVec<'_, (Value, u32)>,
    context: &Context<'_>,
) -> (Vec<(Value, u16)>, u16) {
    let used = first_free_uniform(f, context);
    let mut next = used.next_multiple_of(u16::from(Size::B64.halves()));
    candidates.sort_by_key(|(_, weight)| Reverse(*weight));
    let mut room = LAST_FREE_HALF.saturating_sub(next);
    candidates.retain(|(value, _)| {
        let halves = f.ty(*value).halves();
        let fits = halves <= room;
        room -= if fits { halves } else { 0 };
        fits
    });
    let mut places = Vec::with_capacity(candidates.len());
    for bits in [64, 32, 16, 1] {
        for (value, _) in candidates.iter().filter(|(value, _)| f.ty(*value).bits == bits) {
            let halves = f.ty(*value).halves();
            if bits == 64 && next + halves > MEMORY_BASE_HALVES {
                continue;
            }
            places.push((*value, next));
            next += halves;
        }
    }
    (places, next)
}

#[cfg(test)]
mod tests {
    use bumpalo::Bump;

    use super::*;
    use crate::CompileKey;
    use crate::ir::interpret::{FlatMemory, Limits, interpret};
    use crate::ir::{Stage, parse};
    use crate::pipeline::passes::OPT_PREAMBLE;
    use crate::pipeline::run_pass;

    const TEXT: &str = "kernel @k(%4:32) stage source {
b0:
    %0:1 = icmp u0, #7
    if %0 {
    b1:
        %1:32 = fmul u2, u4
    } else {
    b2:
        %2:32 = fadd u2, u4
    }
b3:
    %3:32 = phi b2: %2, b1: %1
    %5:32 = iadd %4, %3
    keep %5
}
";

    /// The only function of `text`, before or after the pass.
    fn read<'a>(bump: &'a Bump, text: &str, moved: bool) -> Function<'a> {
        let mut f = parse(bump, text).unwrap().remove(0);
        f.compute_cfg();
        if moved {
            let key = CompileKey::default();
            let mut context = Context::new(agx_abi::Target::default(), &key);
            run_pass(&OPT_PREAMBLE, &mut f, &mut context, true).unwrap();
        }
        f
    }

    /// The words that `f` keeps with the uniform registers 4, 6 and 8, and an argument of 1000.
    fn kept(f: &Function<'_>, registers: [u16; 3]) -> Vec<u64> {
        let mut uniforms = [0; 20];
        [uniforms[8], uniforms[12], uniforms[16]] = registers;
        let mut memory = FlatMemory { device: vec![0; 32], ..FlatMemory::default() };
        interpret(f, &[1000], &uniforms, &mut memory, Limits::default()).unwrap().kept
    }

    /// A phi after a uniform if becomes a selection in the preamble, whichever arm the phi names first.
    #[test]
    fn a_uniform_if_becomes_a_selection() {
        for (number, expected) in [(7, 6.0_f32), (8, 5.0)] {
            let bump = Bump::new();
            let f = read(&bump, TEXT, true);
            let preamble = f.preamble.as_ref().unwrap();
            assert_eq!(preamble.layout.len(), 1);
            let [two, three] = [2.0_f32, 3.0].map(|number| (number.to_bits() >> 16) as u16);
            let uniforms = [number, 0, 0, 0, 0, two, 0, 0, 0, three];
            let mut memory = FlatMemory::default();
            let outcome = interpret(&f, &[0], &uniforms, &mut memory, Limits::default()).unwrap();
            assert_eq!(outcome.kept, [u64::from(expected.to_bits())]);
        }
    }

    const LOADS: &str = "kernel @k(%9:32) stage source {
b0:
    %0:32x2 = load_global u0_u1, #0 access=readonly align=4
    %1:32, %2:32 = split %0
    %3:32 = fmul %1, u4
    %4:32 = fmul %2, u4
    %5:32 = load_global u0_u1, #64 access=readonly align=4
    %6:32 = fmul %5, u4
    %7:32 = fadd %9, %3
    %8:32 = fadd %7, %4
    %10:32 = fadd %8, %6
    keep %10
}
";

    /// All loads come first, and two adjacent words need one store.
    #[test]
    fn a_preamble_loads_first_and_stores_words_in_pairs() {
        let bump = Bump::new();
        let f = read(&bump, LOADS, true);
        let preamble = f.preamble.as_ref().unwrap();
        let insts = &preamble.block(preamble.entry()).insts;
        let names: Vec<&str> = insts.iter().map(|inst| preamble.insts[*inst].op.name()).collect();
        let pair = ["fmul", "fmul", "collect", "uniform_store"];
        let single = ["fmul", "collect", "uniform_store", "halt"];
        let expected = [&["load_global", "load_global", "split"][..], &pair, &single].concat();
        assert_eq!(names, expected);
        // The low word is the one computed first.
        let [low, high, both] = [3, 4, 5].map(|at| preamble.insts[insts[at]]);
        assert_eq!(both.srcs, [low.dsts[0], high.dsts[0]].map(Src::value));
    }

    /// A uniform loop in an arm of a uniform if, around which a scope is left early.
    const CONSTRUCTS: &str = "kernel @k(%0:32) stage source {
b0:
    scope {
    b1:
        %1:1 = icmp u4, #3 cond=ult
        if %1 {
        b2:
            jump b10
        } else {
        b3:
        }
    b4:
        %2:1 = icmp u6, #3 cond=ult
        if %2 {
        b5:
            loop {
            b6:
                %3:32 = phi b5: u8, b8: %5
                %4:1 = icmp %3, #100 cond=ult
                if %4 {
                b7:
                    %5:32 = imul %3, #3
                } else {
                b11:
                    jump b9
                }
            b8:
            }
        b9:
            %9:32 = load_global u0_u1, #16 access=readonly align=4
            %10:32 = iadd %3, %9
        } else {
        b12:
        }
    b13:
        %6:32 = phi b9: %10, b12: #1
    }
b10:
    %7:32 = phi b2: #5, b13: %6
    %8:32 = iadd %0, %7
    keep %8
}
";

    /// The preamble takes the same paths as the code that it replaces.
    #[test]
    fn constructs_compute_the_same_in_the_preamble() {
        let bump = Bump::new();
        let [before, after] = [false, true].map(|moved| read(&bump, CONSTRUCTS, moved));
        assert_eq!(after.layout.len(), 1);
        for (registers, expected) in [([2, 0, 7], 5), ([3, 3, 7], 1), ([3, 2, 7], 189), ([9, 0, 100], 100)] {
            assert_eq!(kept(&before, registers), [1000 + expected]);
            assert_eq!(kept(&after, registers), [1000 + expected]);
        }
    }

    const PAIR: &str = "kernel @k(%0:32) stage source {
b0:
    %1:32 = imul u6, u8
    %2:32 = iadd %0, %1
    %3:1 = icmp u4, #3 cond=ult
    if %3 {
    b1:
        %4:32 = load_global u0_u1, #16 access=readonly align=4
        %5:32 = iadd %2, %4
    } else {
    b2:
    }
b3:
    %6:32 = phi b1: %5, b2: %2
    keep %6
}
";

    /// Of two adjacent words, one is stored even where the condition of the other does not hold.
    #[test]
    fn words_under_different_conditions_are_stored_separately() {
        let bump = Bump::new();
        let f = read(&bump, PAIR, true);
        assert_eq!([0, 9].map(|number| kept(&f, [number, 6, 7])), [[1042], [1042]]);
    }

    /// Arms that leave a scope or do not end, beside code that reads what the other arms compute.
    const WAYS_OUT: &str = "kernel @k(%0:32) stage source {
b0:
    %1:1 = icmp u4, #3 cond=ult
    if %1 {
    b1:
        %2:32 = load_global u0_u1, #16 access=readonly align=4
    } else {
    b2:
    }
b3:
    %3:32 = phi b1: %2, b2: #7
    scope {
    b4:
        %4:1 = icmp %0, #5 cond=ult
        if %4 {
        b5:
            jump b14
        } else {
        b6:
        }
    b7:
        %5:1 = icmp u6, #3 cond=ult
        if %5 {
        b8:
            jump b14
        } else {
        b9:
            %6:1 = icmp u8, #3 cond=ult
            if %6 {
            b10:
            } else {
            b11:
            }
        b12:
            %7:32 = phi b10: %3, b11: #9
        }
    b13:
        %8:32 = imul %7, #10
    }
b14:
    %9:32 = phi b5: #1, b8: #2, b13: %8
    keep %9
}
";

    const ENDLESS: &str = "kernel @k(%0:32) stage source {
b0:
    %1:1 = icmp u4, #3 cond=ult
    if %1 {
    b1:
        loop {
        b2:
        }
    b3:
        halt
    } else {
    b4:
        %2:32 = load_global u0_u1, #16 access=readonly align=4
    }
b5:
    %3:32 = iadd %2, u6
    %4:32 = iadd %0, %3
    keep %4
}
";

    /// What an arm computes is defined where the preamble reads it, though the other arm does not go on.
    #[test]
    fn arms_that_do_not_go_on() {
        let cases: [(&str, bool, &[([u16; 3], u64)]); 2] = [
            (WAYS_OUT, true, &[([9, 0, 0], 2), ([9, 5, 0], 70), ([9, 5, 9], 90), ([0, 5, 0], 0)]),
            (ENDLESS, false, &[([9, 5, 0], 1005)]),
        ];
        for (text, moves, runs) in cases {
            let bump = Bump::new();
            let [before, after] = [false, true].map(|moved| read(&bump, text, moved));
            let problems =
                after.preamble.as_ref().map(|preamble| crate::ir::validate(preamble, Stage::Source));
            assert_eq!(problems, moves.then_some(Ok(())));
            for (registers, expected) in runs {
                assert_eq!([&before, &after].map(|f| kept(f, *registers)), [[*expected], [*expected]]);
            }
        }
    }
}
