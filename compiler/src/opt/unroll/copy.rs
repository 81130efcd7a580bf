//! Replaces a loop by a sequence of copies of its body. Copies of an innermost loop are folded as they are made: constants
//! that depend on the iteration, selections by them, and what is computed from these take no instructions.

use arrayvec::ArrayVec;
use bumpalo::collections::Vec as ArenaVec;

use super::Unroller;
use crate::analysis::iterations::{Loop, target};
use crate::analysis::users::Users;
use crate::ir::insert::{MAX_PURE_SOURCES, fold};
use crate::ir::{
    Block, Function, Inst, InstData, IrOp, Op, ScratchSide, Seam, Segment, Src, SrcKind, Type, Value,
};

/// Replaces the loop by `iterations` copies of its body; the last copy leaves it.
pub(super) fn unroll(unroller: &mut Unroller<'_, '_>, around: &Loop, iterations: usize) {
    let (scratch, body) = (unroller.scratch, &unroller.f.layout[around.start + 1..=around.end]);
    unroller.find_users();
    let live_out = unroller.live_out(around, body);
    let first = unroller.f.add_block();
    let mut copier = Copier {
        values: ScratchSide::new_in(scratch, unroller.f.values.len()),
        blocks: ScratchSide::new_in(scratch, unroller.f.blocks.len()),
        next: first,
        exits: ArenaVec::with_capacity_in(iterations + 1, scratch),
        layout: ArenaVec::with_capacity_in(1 + iterations * (body.len() + 1), scratch),
        around,
        is_innermost: body.iter().all(|segment| segment.seam != Seam::Loop),
        phis: Phis { header: phis(unroller.f, around.header), after: phis(unroller.f, around.after) },
        unroller,
        body,
        live_out,
    };
    copier.layout.push(Segment { block: first, seam: Seam::Scope });
    copier.enter_header();
    for iteration in 1..=iterations {
        copier.copy_body();
        let seam = if iteration == iterations { Seam::EndScope } else { Seam::Scope };
        copier.layout.push(Segment { block: copier.next, seam });
    }
    copier.finish();
}

struct Copier<'c, 'f, 'a> {
    unroller: &'c mut Unroller<'f, 'a>,
    around: &'c Loop,
    body: &'a [Segment],
    /// No loop is in the body, so that every value is copied before its uses.
    is_innermost: bool,
    /// The replacement of each value of the loop in the current copy.
    values: ScratchSide<'f, Value, Option<Src>>,
    /// The replacement of each block of the loop in the current copy.
    blocks: ScratchSide<'f, Block, Option<Block>>,
    /// The block after the current copy, the target of continues.
    next: Block,
    exits: ArenaVec<'f, Exit<'f>>,
    layout: ArenaVec<'f, Segment>,
    phis: Phis<'a>,
    /// Values live out of the loop.
    live_out: &'f [Value],
}

/// The phis where a loop begins and after it.
struct Phis<'a> {
    header: Vec<InstData<'a>>,
    after: Vec<InstData<'a>>,
}

/// The phis of a block.
fn phis<'a>(f: &Function<'a>, block: Block) -> Vec<InstData<'a>> {
    f.block(block).insts[..f.phi_count(block)].iter().map(|inst| f.insts[*inst]).collect()
}

/// An exit edge of the loop.
struct Exit<'s> {
    from: Block,
    /// The values, on this edge, of the phis after the loop, then of the values live out of the loop.
    inputs: ArenaVec<'s, Src>,
}

impl<'f, 'a> Unroller<'f, 'a> {
    fn find_users(&mut self) {
        if self.users.is_none() {
            self.users = Some(Users::of(self.f, self.scratch));
        }
    }

    fn note_uses(&mut self, inst: Inst) {
        if let Some(users) = &mut self.users {
            users.note(inst, self.f.insts[inst].srcs);
        }
    }

    /// Users of `value` outside the loop, except the phis of the block after it.
    fn users_outside<'u>(
        &'u self,
        around: &'u Loop,
        value: Value,
    ) -> impl Iterator<Item = Inst> + use<'u, 'f, 'a> {
        let users = self.users.iter().flat_map(move |users| users.get(value));
        users.map(|reads| reads.inst).filter(move |inst| self.is_outside(around, *inst))
    }

    /// Whether an instruction is outside the loop, and not a phi of the block after it.
    fn is_outside(&self, around: &Loop, inst: Inst) -> bool {
        let after = around.after;
        let is_phi = || self.f.block(after).insts[..self.f.phi_count(after)].contains(&inst);
        self.ranks.is_before(around, inst) && !is_phi()
    }

    fn replace(&mut self, user: Inst, value: Value, by: Value) {
        let data = self.f.insts[user];
        let new = |src: &Src| {
            if src.as_value() == Some(value) { Src { flags: src.flags, ..Src::value(by) } } else { *src }
        };
        self.f.insts[user].srcs = self.f.bump.alloc_slice_fill_iter(data.srcs.iter().map(new));
        self.note_uses(user);
    }

    /// Values live out of the loop.
    fn live_out(&self, around: &Loop, body: &[Segment]) -> &'f [Value] {
        let insts = body.iter().flat_map(|segment| &self.f.block(segment.block).insts);
        let dsts = insts.flat_map(|inst| self.f.insts[*inst].dsts.iter().copied());
        let Some(users) = &self.users else { return &[] };
        let live_out =
            dsts.filter(|value| users.get(*value).any(|reads| self.is_outside(around, reads.inst)));
        ArenaVec::from_iter_in(live_out, self.scratch).into_bump_slice()
    }
}

impl<'f, 'a> Copier<'_, 'f, 'a> {
    fn src(&self, src: Src) -> Src {
        match src.as_value().and_then(|value| self.values[value]) {
            Some(inner) => Src { flags: src.flags, ..inner },
            None => src,
        }
    }

    /// Replaces the phis of the header by their values from before the loop.
    fn enter_header(&mut self) {
        let before = self.unroller.f.layout[self.around.start].block;
        for phi in &self.phis.header {
            let first = phi.phi_input_from(before);
            for dst in phi.dsts {
                self.values[*dst] = first;
            }
        }
    }

    /// Appends a copy of the body, and creates the block after it, where the next copy begins.
    fn copy_body(&mut self) {
        self.next = self.unroller.f.add_block();
        for segment in self.body {
            self.blocks[segment.block] = Some(self.unroller.f.add_block());
        }
        if !self.is_innermost {
            self.name_results();
            self.copy_hints();
        }
        let mut back = ArenaVec::new_in(self.unroller.scratch);
        let last = self.body.len() - 1;
        for index in 0..=last {
            let Segment { block, seam } = self.body[index];
            let copy = self.blocks[block].unwrap_or(block);
            self.copy_block(block, copy);
            let target = target(self.unroller.f, block);
            if target == Some(self.around.after) {
                let inputs = self.inputs(block);
                self.exits.push(Exit { from: copy, inputs });
            }
            let falls = index == last && self.unroller.f.terminator(block).is_none();
            if falls || target == Some(self.around.header) {
                back.push((block, copy));
            }
            self.layout
                .push(Segment { block: copy, seam: if index == last { Seam::EndScope } else { seam } });
        }
        self.enter_next_copy(&back);
    }

    /// The values, in the current copy of the loop, of the phis after it on an edge from `block`, and of those live out of it.
    fn inputs(&self, block: Block) -> ArenaVec<'f, Src> {
        let phis = self.phis.after.iter().map(|phi| input_from(phi, block));
        let live_out = self.live_out.iter().map(|value| Src::value(*value));
        let inputs = phis.chain(live_out).map(|src| self.src(src));
        ArenaVec::from_iter_in(inputs, self.unroller.scratch)
    }

    /// Replaces the phis of the header in the next copy by their values at the ends of this one (original
    /// blocks and their copies).
    fn enter_next_copy(&mut self, back: &[(Block, Block)]) {
        let mut values = ArenaVec::with_capacity_in(self.phis.header.len(), self.unroller.scratch);
        let mut inputs = ArenaVec::with_capacity_in(back.len(), self.unroller.scratch);
        for index in 0..self.phis.header.len() {
            let phi = self.phis.header[index];
            inputs.clear();
            inputs.extend(back.iter().map(|(original, _)| self.src(input_from(&phi, *original))));
            for dst in phi.dsts {
                values.push((*dst, self.join(back, &inputs, *dst, phi.line)));
            }
        }
        for (dst, src) in values {
            self.values[dst] = Some(src);
        }
    }

    fn join(&mut self, back: &[(Block, Block)], inputs: &[Src], like: Value, line: u32) -> Src {
        match inputs {
            [first, rest @ ..] if rest.iter().all(|src| src == first) => *first,
            _ => {
                let joined = self.unroller.f.add_value_like(like);
                let mods: Vec<u32> = back.iter().map(|(_, copy)| copy.0).collect();
                self.add(self.next, IrOp::Phi.into(), &[joined], inputs, &mods, line);
                joined.into()
            }
        }
    }

    /// Inner loops of the copy are unrolled as those of the original.
    fn copy_hints(&mut self) {
        for segment in self.body.iter().filter(|segment| segment.block != self.around.header) {
            let hint = self.unroller.f.declared.unroll_hints[segment.block];
            if let (Some(copy), Some(_)) = (self.blocks[segment.block], hint) {
                self.unroller.f.declared.unroll_hints[copy] = hint;
            }
        }
    }

    /// Creates new values for the results of the copy, except phis of the header, which phis of inner loops may use before
    /// they are copied.
    fn name_results(&mut self) {
        for index in 0..self.body.len() {
            let block = self.body[index].block;
            let skipped = if index == 0 { self.unroller.f.phi_count(block) } else { 0 };
            for at in skipped..self.unroller.f.block(block).insts.len() {
                let inst = self.unroller.f.block(block).insts[at];
                self.name(self.unroller.f.insts[inst].dsts);
            }
        }
    }

    fn copy_block(&mut self, block: Block, copy: Block) {
        let is_header = block == self.around.header;
        let skipped = if is_header { self.unroller.f.phi_count(block) } else { 0 };
        let count = self.unroller.f.block(block).insts.len();
        self.unroller.f.block_mut(copy).insts.reserve(count);
        for at in skipped..count {
            let data = self.unroller.f.insts[self.unroller.f.block(block).insts[at]];
            if self.is_innermost {
                if let (Some(dst), Some(folded)) = (data.dst(), self.folded(&data)) {
                    self.values[dst] = Some(folded);
                    continue;
                }
                self.name(data.dsts);
            }
            self.copy_inst(copy, &data);
        }
    }

    /// Creates new values for the results of an instruction.
    fn name(&mut self, dsts: &[Value]) {
        for dst in dsts {
            self.values[*dst] = Some(Src::value(self.unroller.f.add_value_like(*dst)));
        }
    }

    /// What the copy of an instruction with one result returns, if that is a constant or a source.
    fn folded(&self, data: &InstData<'a>) -> Option<Src> {
        let f = &self.unroller.f;
        let ty = f.ty(data.dst()?);
        let first = self.src(*data.srcs.first()?);
        match (data.op, data.srcs) {
            (Op::Ir(IrOp::Select), [_, on_true, on_false]) => {
                let chosen = self.src(if first.as_imm()? != 0 { *on_true } else { *on_false });
                (first.flags | chosen.flags)
                    .is_empty()
                    .then_some(chosen)
                    .filter(|chosen| f.src_ty(*chosen) == ty)
            }
            (Op::Ir(IrOp::Mov), [_]) => (first.flags.is_empty() && f.src_ty(first) == ty).then_some(first),
            _ if data.is_speculatable() && first.kind == SrcKind::Imm => {
                let srcs: ArrayVec<Src, MAX_PURE_SOURCES> =
                    data.srcs.iter().take(MAX_PURE_SOURCES).map(|src| self.src(*src)).collect();
                if srcs.len() == data.srcs.len() { fold(f, data.op, ty, &srcs, data.mods) } else { None }
            }
            _ => None,
        }
    }

    fn copy_inst(&mut self, copy: Block, data: &InstData<'a>) {
        let result = |dst: &Value| self.values[*dst].and_then(Src::as_value).unwrap_or(*dst);
        let bump = self.unroller.f.bump;
        let dsts = bump.alloc_slice_fill_iter(data.dsts.iter().map(result));
        let srcs = bump.alloc_slice_fill_iter(data.srcs.iter().map(|src| self.src(*src)));
        let mods = match (data.op, data.target()) {
            (Op::Ir(IrOp::Phi), _) => {
                let copies = data.mods.iter().map(|block| self.copy_of(Block(*block)).0);
                bump.alloc_slice_fill_iter(copies)
            }
            (_, Some(target)) => self.unroller.f.alloc(&[self.target_of(target).0]),
            _ => data.mods,
        };
        self.place(copy, InstData { dsts, srcs, mods, ..*data });
    }

    fn copy_of(&self, block: Block) -> Block {
        self.blocks[block].unwrap_or(block)
    }

    fn target_of(&self, target: Block) -> Block {
        if target == self.around.header { self.next } else { self.copy_of(target) }
    }

    fn add(&mut self, block: Block, op: Op, dsts: &[Value], srcs: &[Src], mods: &[u32], line: u32) {
        let f = &self.unroller.f;
        let data = InstData { op, dsts: f.alloc(dsts), srcs: f.alloc(srcs), mods: f.alloc(mods), line };
        self.place(block, data);
    }

    /// Appends an instruction to `block`.
    fn place(&mut self, block: Block, data: InstData<'a>) {
        let inst = self.unroller.f.add_inst(data);
        self.unroller.f.block_mut(block).insts.push(inst);
        self.unroller.note_uses(inst);
    }

    /// Inserts the copies in place of the loop, and replaces values of the loop in the code after it.
    fn finish(mut self) {
        self.end_last_copy();
        let (after, f) = (self.around.after, &self.unroller.f);
        let phis: Vec<Inst> = f.block(after).insts[..f.phi_count(after)].to_vec();
        for (index, phi) in phis.iter().enumerate() {
            let data = self.exit_phi(index, self.unroller.f.insts[*phi]);
            self.unroller.f.set_inst(*phi, data);
            self.unroller.note_uses(*phi);
        }
        for (index, escape) in self.live_out.iter().copied().enumerate() {
            let joined = self.unroller.f.add_value_like(escape);
            let dsts = self.unroller.f.alloc(&[joined]);
            let empty = InstData { op: IrOp::Phi.into(), dsts, srcs: &[], mods: &[], line: 0 };
            let phi = self.exit_phi(phis.len() + index, empty);
            let phi = self.unroller.f.add_inst(phi);
            self.unroller.note_uses(phi);
            let users = self.unroller.users_outside(self.around, escape);
            for user in ArenaVec::from_iter_in(users, self.unroller.scratch) {
                self.unroller.replace(user, escape, joined);
            }
            self.unroller.f.block_mut(after).insts.insert(0, phi);
        }
        for segment in self.body {
            for inst in self.unroller.f.take_insts(segment.block) {
                self.unroller.ranks.remove(inst);
            }
        }
        let (start, end) = (self.around.start, self.around.end);
        let f = &mut *self.unroller.f;
        let scope = Segment { seam: Seam::Scope, ..f.layout[start] };
        f.set_layout(&[&f.layout[..start], &[scope], &*self.layout, &f.layout[end + 1..]].concat());
    }

    /// The phi of number `index` after the loop, with the attributes of `phi`.
    fn exit_phi(&self, index: usize, phi: InstData<'a>) -> InstData<'a> {
        let inputs = self.exits.iter().map(|exit| (exit.from, exit.inputs[index]));
        let inputs = ArenaVec::from_iter_in(inputs, self.unroller.scratch);
        phi.with_inputs(self.unroller.f, &inputs)
    }

    /// The last copy always leaves before its end; phi inputs from its end are zeros.
    fn end_last_copy(&mut self) {
        let phis = self.phis.after.iter().filter_map(|phi| phi.dst());
        let scratch = self.unroller.scratch;
        let values = ArenaVec::from_iter_in(phis.chain(self.live_out.iter().copied()), scratch);
        let zeros = values.into_iter().map(|value| self.zero(self.unroller.f.ty(value)));
        let inputs = ArenaVec::from_iter_in(zeros, scratch);
        self.exits.push(Exit { from: self.next, inputs });
    }

    fn zero(&mut self, ty: Type) -> Src {
        let part = Src::imm(0, ty.bits);
        if ty.comps == 1 {
            return part;
        }
        let vector = self.unroller.f.add_value(ty);
        let parts = vec![part; usize::from(ty.comps)];
        self.add(self.next, IrOp::Collect.into(), &[vector], &parts, &[], 0);
        vector.into()
    }
}

fn input_from(phi: &InstData<'_>, block: Block) -> Src {
    phi.phi_input_from(block).unwrap_or(Src::NONE)
}
