//! Copies of instructions in the preamble.

use bumpalo::Bump;
use bumpalo::collections::Vec as ArenaVec;

use super::equals::Equals;
use super::stores::Stores;
use super::uniform::Uniform;
use crate::ir::{Build, Builder, Function, Inst, InstData, IrOp, Op, ScratchSide, Src, Type, Value};

/// Copies instructions to the preamble.
pub(super) struct Copy<'f, 's, 'a> {
    pub(super) f: &'f Function<'a>,
    pub(super) uniform: &'f Uniform<'s>,
    equals: &'f Equals<'s>,
    /// The value in the preamble that corresponds to each value.
    names: ScratchSide<'s, Value, Option<Value>>,
    stores: Stores<'s>,
    /// Values computed and not yet stored, with their counterparts.
    made: ArenaVec<'s, (Value, Value)>,
}

impl<'f, 's, 'a> Copy<'f, 's, 'a> {
    pub(super) fn of(
        f: &'f Function<'a>,
        places: &[(Value, u16)],
        uniform: &'f Uniform<'s>,
        equals: &'f Equals<'s>,
        scratch: &'s Bump,
    ) -> Self {
        Copy {
            f,
            uniform,
            equals,
            names: ScratchSide::new_in(scratch, f.values.len()),
            stores: Stores::of(f, places, scratch),
            made: ArenaVec::new_in(scratch),
        }
    }

    /// The counterpart of a source in the preamble.
    pub(super) fn src(&self, src: &Src) -> Src {
        match src.as_value().and_then(|value| self.names[self.equals.value(value)]) {
            Some(name) => Src { flags: src.flags, ..Src::value(name) },
            None => *src,
        }
    }

    /// Copies an instruction; a phi that joins the arms of an if becomes a selection.
    pub(super) fn copy(&mut self, b: &mut Builder<'_, 'a>, inst: Inst) {
        let data = self.f.insts[inst];
        // Both functions use the same arena.
        let srcs = b.f.bump.alloc_slice_fill_iter(data.srcs.iter().map(|src| self.src(src)));
        let join = self.uniform.joins[inst].filter(|_| data.op == Op::Ir(IrOp::Phi));
        let join = join.map(|join| (self.src(&join.condition), data.mods.first() != Some(&join.then_end.0)));
        let dsts = self.add_dsts(b, data.dsts);
        b.line = data.line;
        match join {
            Some((condition, is_reversed)) => select(b, dsts, condition, srcs, is_reversed),
            None => _ = add(b, InstData { dsts, srcs, ..data }),
        }
    }

    /// Copies a phi without its sources, of which some may come later.
    pub(super) fn copy_phi(&mut self, b: &mut Builder<'_, 'a>, inst: Inst) -> Inst {
        let data = self.f.insts[inst];
        let dsts = self.add_dsts(b, data.dsts);
        add(b, InstData { dsts, srcs: &[], mods: &[], ..data })
    }

    /// Adds the counterparts of the results of an instruction.
    fn add_dsts(&mut self, b: &mut Builder<'_, 'a>, dsts: &[Value]) -> &'a [Value] {
        let dsts = b.f.bump.alloc_slice_copy(dsts);
        for dst in &mut *dsts {
            let new = b.f.add_value(self.f.ty(*dst));
            self.names[*dst] = Some(new);
            self.made.push((*dst, new));
            *dst = new;
        }
        dsts
    }

    /// Stores the values computed so far.
    pub(super) fn store(&mut self, b: &mut Builder<'_, 'a>) {
        for (old, new) in self.made.drain(..) {
            self.stores.made(b, old, new);
        }
    }

    /// Stores zeros where the results of an instruction are stored only under a condition.
    pub(super) fn clear(&mut self, b: &mut Builder<'_, 'a>, inst: Inst) {
        for dst in self.f.insts[inst].dsts {
            self.stores.clear(b, *dst, self.f.ty(*dst));
        }
    }

    /// Stores the values that wait for their neighbours.
    pub(super) fn flush(&mut self, b: &mut Builder<'_, 'a>) {
        self.stores.flush(b);
    }
}

/// Appends an instruction.
fn add<'a>(b: &mut Builder<'_, 'a>, data: InstData<'a>) -> Inst {
    let (inst, block) = (b.f.add_inst(data), b.block());
    b.f.block_mut(block).insts.push(inst);
    inst
}

/// Selects between the two values that a phi joins, the first one for a true condition unless they are
/// reversed. Operates on words, since 64-bit selects have already been lowered.
fn select(b: &mut Builder<'_, '_>, dsts: &[Value], condition: Src, inputs: &[Src], is_reversed: bool) {
    let (&[dst], &[first, second]) = (dsts, inputs) else { return };
    let (then, otherwise) = if is_reversed { (second, first) } else { (first, second) };
    if b.f.ty(dst) != Type::B64 {
        b.push(IrOp::Select, &[dst], &[condition, then, otherwise], &[]);
        return;
    }
    let (then, otherwise) = (b.split(then, Type::B32, 2), b.split(otherwise, Type::B32, 2));
    let words = [0, 1].map(|word| {
        let srcs = [condition, then[word], otherwise[word]];
        Src::value(b.value(IrOp::Select, Type::B32, &srcs, &[]))
    });
    b.push(IrOp::Collect, &[dst], &words, &[]);
}
