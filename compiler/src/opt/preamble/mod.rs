//! Moves computations that are the same for every invocation to the preamble: a program that runs once per
//! dispatch or draw and leaves its results in the uniform file.
//!
//! A value is uniform if a pure operation computes it from constants, uniform registers and uniform values,
//! in any arm or loop; if it is loaded from read-only memory at a uniform address, in a block that every
//! invocation executes or by a load that may be executed speculatively; if a texture is read at uniform
//! coordinates at a level that does not depend on derivatives.
//!
//! The uniform values that the shader itself still reads are assigned half-words after those in use, the most expensive
//! first. Instructions become unused, and ifs empty: `opt_dce` and `opt_simplify_control` follow and remove both.
//!
//! Before: stage source. After: the same.

mod build;
mod candidates;
mod stores;
mod uniform;

use std::cmp::Reverse;

use agx_abi::layout::{MEMORY_BASE_HALVES, UNIFORM_HALVES};
use agx_isa::inst::Size;
use bumpalo::Bump;
use bumpalo::collections::Vec as ArenaVec;

use super::first_free_uniform;
use crate::context::Context;
use crate::ir::{Function, ScratchSide, Src, Value};
use build::build;
use candidates::candidates;
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
    let mut found = candidates(f, &mut uniform, scratch);
    let mut is_known: ScratchSide<'_, Value, bool> = ScratchSide::later_in(scratch, f.values.len());
    found.retain_mut(|(value, _)| {
        *value = uniform.first(*value);
        !std::mem::replace(&mut is_known[*value], true)
    });
    let (places, end) = place(f, found, context);
    if places.is_empty() {
        return;
    }
    let preamble = build(f, &places, &uniform, scratch);
    let mut homes: ScratchSide<'_, Value, Option<Src>> = ScratchSide::new_in(scratch, f.values.len());
    for (value, half) in &places {
        homes[*value] = Some(Src::uniform(*half, f.ty(*value).bits));
    }
    read_from_homes(f, &homes, &uniform);
    f.preamble = Some(Box::new(preamble));
    context.facts.info.uniform_halves = context.facts.info.uniform_halves.max(end);
}

/// Replaces reads of moved values in the remaining code by the uniform registers that the preamble fills.
fn read_from_homes(f: &mut Function<'_>, homes: &ScratchSide<'_, Value, Option<Src>>, uniform: &Uniform<'_>) {
    let moved = |src: &Src| src.as_value().and_then(|value| homes[uniform.first(value)]);
    let home = |src: &Src| match moved(src) {
        Some(home) => Src { flags: src.flags, ..home },
        None => *src,
    };
    for block in f.blocks_in_order() {
        for index in 0..f.block(block).insts.len() {
            let inst = f.block(block).insts[index];
            let srcs = f.insts[inst].srcs;
            if !uniform.insts[inst] && srcs.iter().any(|src| moved(src).is_some()) {
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
    use crate::ir::parse;
    use crate::pipeline::passes::OPT_PREAMBLE;
    use crate::pipeline::run_pass;

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
        let mut f = parse(&bump, LOADS).unwrap().remove(0);
        f.compute_cfg();
        let key = CompileKey::default();
        let mut context = Context::new(agx_abi::Target::default(), &key);
        run_pass(&OPT_PREAMBLE, &mut f, &mut context, true).unwrap();
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
}
