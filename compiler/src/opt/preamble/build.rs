//! The program that computes the moved values.

use bumpalo::Bump;
use bumpalo::collections::Vec as ArenaVec;

use super::candidates::is_load;
use super::stores::Stores;
use super::uniform::Uniform;
use crate::ir::{Builder, Function, Inst, InstData, ScratchSide, Src, Value};

/// The program that computes the assigned values and stores them to the uniform file. It loads first and
/// computes afterwards, so that loads overlap.
pub(super) fn build<'a>(
    f: &Function<'a>,
    places: &[(Value, u16)],
    uniform: &Uniform<'_>,
    scratch: &Bump,
) -> Function<'a> {
    let needed = needed_instructions(f, places, uniform, scratch);
    let mut preamble = Function::new(f.bump, f.name);
    preamble.contract = f.contract;
    preamble.signed_zeros = f.signed_zeros;
    preamble.special_values = f.special_values;
    let mut b = Builder::start(&mut preamble);
    let mut copier = Copier {
        f,
        uniform,
        names: ScratchSide::new_in(scratch, f.values.len()),
        stores: Stores::of(f, places, scratch),
        made: ArenaVec::new_in(scratch),
    };
    let loads_first = needed.loaded_halves <= MOST_LOADED_HALVES;
    if loads_first {
        needed.in_order().filter(|(_, is_early)| *is_early).for_each(|(inst, _)| copier.copy(&mut b, inst));
        copier.store(&mut b);
    }
    for (inst, _) in needed.in_order().filter(|(_, is_early)| !(loads_first && *is_early)) {
        copier.copy(&mut b, inst);
        // Stores at once, so that the value needs no register any longer.
        copier.store(&mut b);
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

/// The instructions that compute the assigned values. Users come before definitions in this walk.
fn needed_instructions<'s>(
    f: &Function<'_>,
    places: &[(Value, u16)],
    uniform: &Uniform<'_>,
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
        if !is_needed[*inst] {
            continue;
        }
        let is_early_inst = is_early[*inst] || is_load(data.op);
        if is_load(data.op) {
            needed.loaded_halves += data.dsts.iter().map(|dst| u32::from(f.ty(*dst).halves())).sum::<u32>();
        }
        needed.reversed.push((*inst, is_early_inst));
        for def in data.srcs.iter().filter_map(|src| f.values[uniform.first(src.as_value()?)].def) {
            is_needed[def] = true;
            is_early[def] |= is_early_inst;
        }
    }
    needed
}

/// Copies instructions to the preamble.
struct Copier<'f, 's, 'a> {
    f: &'f Function<'a>,
    uniform: &'f Uniform<'s>,
    /// The value in the preamble that corresponds to each value.
    names: ScratchSide<'s, Value, Option<Value>>,
    stores: Stores<'s>,
    /// Values computed and not yet stored, with their counterparts.
    made: ArenaVec<'s, (Value, Value)>,
}

impl<'a> Copier<'_, '_, 'a> {
    /// Copies an instruction.
    fn copy(&mut self, b: &mut Builder<'_, 'a>, inst: Inst) {
        let data = self.f.insts[inst];
        let name = |src: &Src| match src.as_value().and_then(|value| self.names[self.uniform.first(value)]) {
            Some(name) => Src { flags: src.flags, ..Src::value(name) },
            None => *src,
        };
        // Both functions use the same arena.
        let srcs = b.f.bump.alloc_slice_fill_iter(data.srcs.iter().map(name));
        let dsts = b.f.bump.alloc_slice_copy(data.dsts);
        for dst in &mut *dsts {
            let new = b.f.add_value(self.f.ty(*dst));
            self.names[*dst] = Some(new);
            self.made.push((*dst, new));
            *dst = new;
        }
        b.line = data.line;
        let (inst, block) = (b.f.add_inst(InstData { dsts, srcs, ..data }), b.block());
        b.f.block_mut(block).insts.push(inst);
    }

    /// Stores the values computed so far.
    fn store(&mut self, b: &mut Builder<'_, 'a>) {
        for (old, new) in self.made.drain(..) {
            self.stores.made(b, old, new);
        }
    }
}
