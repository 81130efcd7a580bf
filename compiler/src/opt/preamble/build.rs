//! The program that computes the moved values. Phis become selections where they can.

use bumpalo::Bump;
use bumpalo::collections::Vec as ArenaVec;

use super::candidates::is_load;
use super::constructs::{Constructs, copy_constructs};
use super::copy::Copy;
use super::equals::Equals;
use super::uniform::Uniform;
use crate::ir::{Builder, Function, Inst, ScratchSide, Value};

/// The program that computes the assigned values and stores them to the uniform file. It loads first and
/// computes afterwards, so that loads overlap. What needs control flow comes last.
pub(super) fn build<'a>(
    f: &Function<'a>,
    places: &[(Value, u16)],
    uniform: &Uniform<'_>,
    equals: &Equals<'_>,
    scratch: &Bump,
) -> Function<'a> {
    let is_guarded = |(value, _): &(Value, u16)| uniform.guarded[*value];
    let constructs = (uniform.has_guarded && places.iter().any(is_guarded))
        .then(|| Constructs::of(f, places, uniform, equals, scratch));
    let needed = needed_instructions(f, places, uniform, equals, constructs.as_ref(), scratch);
    let mut preamble = Function::new(f.bump, f.name);
    preamble.contract = f.contract;
    preamble.signed_zeros = f.signed_zeros;
    preamble.special_values = f.special_values;
    let mut b = Builder::start(&mut preamble);
    let mut copy = Copy::of(f, places, uniform, equals, scratch);
    let loads_first = needed.loaded_halves <= MOST_LOADED_HALVES;
    if loads_first {
        needed.in_order().filter(|(_, is_early)| *is_early).for_each(|(inst, _)| copy.copy(&mut b, inst));
        copy.store(&mut b);
    }
    for (inst, _) in needed.in_order().filter(|(_, is_early)| !(loads_first && *is_early)) {
        copy.copy(&mut b, inst);
        // Stores at once, so that the value needs no register any longer.
        copy.store(&mut b);
    }
    if let Some(constructs) = &constructs {
        copy_constructs(&mut b, &mut copy, constructs, scratch);
    }
    b.halt();
    b.finish();
    preamble
}

/// Maximum number of half registers that loads may fill before anything is computed.
const MOST_LOADED_HALVES: u32 = 128;

/// The instructions of the preamble.
struct Needed<'s> {
    /// From last to first, each with whether it is a load or computes an operand of one.
    reversed: ArenaVec<'s, (Inst, bool)>,
    /// Half registers that all loads fill.
    loaded_halves: u32,
}

impl Needed<'_> {
    fn in_order(&self) -> impl Iterator<Item = (Inst, bool)> {
        self.reversed.iter().rev().copied()
    }
}

/// The instructions that compute the assigned values, but for those that need constructs. Users come before definitions in
/// this walk.
fn needed_instructions<'s>(
    f: &Function<'_>,
    places: &[(Value, u16)],
    uniform: &Uniform<'_>,
    equals: &Equals<'_>,
    constructs: Option<&Constructs<'_>>,
    scratch: &'s Bump,
) -> Needed<'s> {
    let mut is_needed: ScratchSide<'_, Inst, bool> = ScratchSide::new_in(scratch, f.insts.len());
    let mut is_early: ScratchSide<'_, Inst, bool> = ScratchSide::new_in(scratch, f.insts.len());
    for def in places.iter().filter_map(|(value, _)| f.values[*value].def) {
        is_needed[def] = true;
    }
    let mut needed =
        Needed { reversed: ArenaVec::with_capacity_in(2 * places.len(), scratch), loaded_halves: 0 };
    for inst in f.blocks_in_order().rev().flat_map(|block| f.block(block).insts.iter().rev()) {
        let data = &f.insts[*inst];
        let is_here = match constructs {
            Some(constructs) => constructs.insts[*inst] && !uniform.is_guarded(data),
            None => is_needed[*inst],
        };
        if !is_here {
            continue;
        }
        let is_early_inst = is_early[*inst] || is_load(data.op);
        if is_load(data.op) {
            needed.loaded_halves += data.dsts.iter().map(|dst| u32::from(f.ty(*dst).halves())).sum::<u32>();
        }
        needed.reversed.push((*inst, is_early_inst));
        let condition = uniform.joins[*inst].map(|join| join.condition);
        for value in data.srcs.iter().chain(&condition).filter_map(|src| src.as_value()) {
            if let Some(def) = f.values[equals.value(value)].def {
                is_needed[def] = true;
                is_early[def] |= is_early_inst;
            }
        }
    }
    needed
}
