//! Rewriting instructions: a closure sees each instruction in program order and returns how to replace it.
//! There is no index arithmetic and no cursor.

use agx_isa::inst::OperandFlags;

use super::entity::{Block, Entity, Inst, Value};
use super::families::Family;
use super::function::{Function, InstData, InstList};
use super::insert::Build;
use super::memory::Forwards;
use super::src::Src;
use crate::error::CompileError;
use crate::ir::watch::CHUNK;

/// How to replace an instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Rewrite {
    /// Keep it, after the instructions built before it.
    Keep,
    /// Remove it; the instructions built take its place.
    Remove,
    /// Remove it, and replace the uses of its only result by `Src`.
    Forward(Src),
}

/// Builds the instructions before (or in place of) the one being rewritten.
pub struct Rewriter<'f, 'a> {
    /// The function. The instruction lists of its blocks must not be accessed.
    pub f: &'f mut Function<'a>,
    /// The block being rewritten.
    pub block: Block,
    /// The instruction being rewritten, whose source line new ones get.
    current: Inst,
    out: InstList<'a>,
    /// Number of values when the rewrite of the current instruction began.
    fresh: usize,
    forwards: Forwards,
}

impl<'a> Build<'a> for Rewriter<'_, 'a> {
    fn function(&self) -> &Function<'a> {
        self.f
    }

    fn function_mut(&mut self) -> &mut Function<'a> {
        self.f
    }

    fn line(&self) -> u32 {
        self.f.insts[self.current].line
    }

    fn append(&mut self, inst: Inst) {
        self.out.push(inst);
    }
}

impl Rewriter<'_, '_> {
    /// Replaces uses of `value`, a result of the instruction being rewritten, by `src`. The instruction must
    /// then be removed, unless every result stays defined.
    ///
    /// Values built for this instruction become relaxed if its result is.
    pub fn forward(&mut self, value: Value, src: Src) {
        if self.f.has_relaxed
            && self.f.values[value].relaxed
            && let Some(built) = src.as_value().filter(|built| built.index() >= self.fresh)
        {
            self.f.relax(built);
        }
        let src = self.resolve(src);
        self.forwards.set(value, src);
    }

    /// The current replacement of `src`.
    pub fn resolve(&self, mut src: Src) -> Src {
        while let Some(forward) = src.as_value().and_then(|value| self.forwards.get(value)) {
            src = with_outer_flags(forward, src.flags);
        }
        src
    }

    /// Number of instructions in the block so far, including those built for the current one.
    pub fn built(&self) -> usize {
        self.out.len()
    }

    /// Removes the instructions built from position `start` on and appends them to `pending` in reverse
    /// order.
    pub fn take_built(&mut self, start: usize, pending: &mut impl Extend<Inst>) {
        pending.extend(self.out.drain(start..).rev());
    }

    /// Marks the values that replace the result of `inst` as relaxed if that result is.
    pub fn relax_result(&mut self, inst: Inst, result: Rewrite) {
        if self.f.has_relaxed
            && let (Rewrite::Forward(src), Some(dst)) = (result, self.f.insts[inst].dst())
            && self.f.values[dst].relaxed
            && let Some(built) = src.as_value().filter(|built| built.index() >= self.fresh)
        {
            self.f.relax(built);
        }
    }

    /// Applies `result` to `inst`.
    pub fn apply(&mut self, inst: Inst, result: Rewrite) {
        match result {
            Rewrite::Keep => self.out.push(inst),
            Rewrite::Remove => {}
            Rewrite::Forward(src) => {
                if let Some(dst) = self.f.insts[inst].dst() {
                    self.forward(dst, src);
                }
            }
        }
    }

    /// Replaces forwarded sources of `inst`.
    #[inline]
    pub fn resolve_sources(&mut self, inst: Inst) {
        let is_forwarded = |src: &Src| src.as_value().is_some_and(|value| self.forwards.has(value));
        if self.f.insts[inst].srcs.iter().any(is_forwarded) {
            self.replace_sources(inst);
        }
    }

    /// The position of the first instruction of a block that may change.
    #[inline]
    fn first_change(&self, block: Block, is_subject: &impl Fn(&InstData<'_>) -> bool) -> Option<usize> {
        let insts = &self.f.block(block).insts;
        self.f.watch.visit(1 + insts.len() / 4);
        match self.forwards.is_empty() {
            true => insts.iter().position(|inst| is_subject(&self.f.insts[*inst])),
            false => Some(0),
        }
    }

    fn replace_sources(&mut self, inst: Inst) {
        let srcs = self.f.bump.alloc_slice_copy(self.f.insts[inst].srcs);
        for src in &mut *srcs {
            *src = self.resolve(*src);
            self.f.present.note_widths(src.bits);
        }
        self.f.insts[inst].srcs = srcs;
    }
}

impl<'a> Rewriter<'_, 'a> {
    /// Rewrites the subjects among the instructions of a block from position `first` on; those before it stay.
    #[inline]
    fn map_block(
        &mut self,
        block: Block,
        first: usize,
        is_subject: &impl Fn(&InstData<'_>) -> bool,
        rewrite: &mut impl FnMut(&mut Rewriter<'_, 'a>, Inst) -> Rewrite,
    ) {
        self.block = block;
        let empty = self.f.inst_list();
        let insts = std::mem::replace(&mut self.f.blocks[block.index()].insts, empty);
        let mut is_changed = false;
        let (before, rest) = insts.split_at(first);
        self.out.reserve(insts.len());
        self.out.extend_from_slice_copy(before);
        for chunk in rest.chunks(CHUNK) {
            self.f.watch.visit(chunk.len());
            for inst in chunk {
                if !self.forwards.is_empty() {
                    self.resolve_sources(*inst);
                }
                if !is_subject(&self.f.insts[*inst]) {
                    self.out.push(*inst);
                    continue;
                }
                self.current = *inst;
                if self.f.has_relaxed {
                    self.fresh = self.f.values.len();
                }
                match rewrite(self, *inst) {
                    // Most stay.
                    Rewrite::Keep => self.out.push(*inst),
                    result => {
                        is_changed = true;
                        self.apply(*inst, result);
                    }
                }
            }
        }
        self.f.list_changes = self.f.list_changes.wrapping_add(u32::from(is_changed));
        self.f.blocks[block.index()].insts = std::mem::replace(&mut self.out, reuse(insts));
    }
}

/// `inner` with the modifiers `outer` applied on top: an outer absolute value hides an inner sign.
fn with_outer_flags(inner: Src, outer: OperandFlags) -> Src {
    let mut flags = inner.flags;
    if outer.contains(OperandFlags::ABS) {
        flags = (flags | OperandFlags::ABS) - OperandFlags::NEG;
    }
    flags ^= outer & OperandFlags::NEG;
    flags |= outer & OperandFlags::SX;
    Src { flags, ..inner }
}

impl<'a> Function<'a> {
    /// Like [`Function::map_insts`], for rewrites that may fail. Every instruction is visited; one whose
    /// rewrite fails is kept.
    ///
    /// # Errors
    /// The first error, located at the source line of its instruction.
    pub fn try_map_insts(
        &mut self,
        rewrite: impl FnMut(&mut Rewriter<'_, 'a>, Inst) -> Result<Rewrite, CompileError>,
    ) -> Result<(), CompileError> {
        try_map_some(self, |_| true, rewrite)
    }

    /// Rewrites every instruction in program order. The closure sees sources already resolved through earlier
    /// [`Rewrite::Forward`]s; phis of loop headers are resolved at the end.
    pub fn map_insts(&mut self, rewrite: impl FnMut(&mut Rewriter<'_, 'a>, Inst) -> Rewrite) {
        map_some(self, |_| true, rewrite);
    }
}

/// Like [`Function::map_insts`], for instructions that are `is_subject` alone: the closure does not see the others, which are
/// kept. Blocks without subjects cost next to nothing until something is forwarded.
pub fn map_some<'a>(
    f: &mut Function<'a>,
    is_subject: impl Fn(&InstData<'_>) -> bool,
    rewrite: impl FnMut(&mut Rewriter<'_, 'a>, Inst) -> Rewrite,
) {
    map_subjects(f, (0, 0), is_subject, rewrite);
}

/// Like [`Function::map_insts`], from an instruction on that is given by its position in the layout and in its block; those
/// before it stay.
pub fn map_from<'a>(
    f: &mut Function<'a>,
    start: (usize, usize),
    rewrite: impl FnMut(&mut Rewriter<'_, 'a>, Inst) -> Rewrite,
) {
    map_subjects(f, start, |_| true, rewrite);
}

/// Like [`map_some`] and [`map_from`].
fn map_subjects<'a>(
    f: &mut Function<'a>,
    start: (usize, usize),
    is_subject: impl Fn(&InstData<'_>) -> bool,
    mut rewrite: impl FnMut(&mut Rewriter<'_, 'a>, Inst) -> Rewrite,
) {
    let blocks = f.layout.len();
    let values = f.values.len();
    let out = f.inst_list();
    let mut forwards = std::mem::take(&mut f.memory.forwards);
    forwards.expect(values);
    let mut rewriter = Rewriter { f, block: Block(0), current: Inst(0), out, fresh: values, forwards };
    for index in start.0..blocks {
        let block = rewriter.f.layout[index].block;
        if let Some(first) = rewriter.first_change(block, &is_subject) {
            let first = if index == start.0 { first.max(start.1) } else { first };
            rewriter.map_block(block, first, &is_subject, &mut rewrite);
        }
    }
    if !rewriter.forwards.is_empty() {
        for index in 0..blocks {
            let block = rewriter.f.layout[index].block;
            for index in 0..rewriter.f.phi_count(block) {
                let phi = rewriter.f.block(block).insts[index];
                rewriter.resolve_sources(phi);
            }
        }
    }
    if let Some(named) = &mut rewriter.f.named {
        rewriter.forwards.iter().for_each(|(value, src)| named.replace(value, src));
    }
    rewriter.forwards.clear();
    rewriter.f.memory.forwards = rewriter.forwards;
}

/// Like [`map_some`], for rewrites that may fail.
///
/// # Errors
/// Same as [`Function::try_map_insts`].
pub fn try_map_some<'a>(
    f: &mut Function<'a>,
    is_subject: impl Fn(&InstData<'_>) -> bool,
    mut rewrite: impl FnMut(&mut Rewriter<'_, 'a>, Inst) -> Result<Rewrite, CompileError>,
) -> Result<(), CompileError> {
    let mut first = None;
    map_some(f, is_subject, |r, inst| {
        rewrite(r, inst).unwrap_or_else(|error| {
            first.get_or_insert_with(|| r.f.locate(inst, error));
            Rewrite::Keep
        })
    });
    first.map_or(Ok(()), Err)
}

impl Family {
    /// Like [`map_some`], for the operations of the family, of any width.
    pub fn map<'a>(&self, f: &mut Function<'a>, rewrite: impl FnMut(&mut Rewriter<'_, 'a>, Inst) -> Rewrite) {
        let ops = self.operations.of_any_width();
        map_some(f, |data| ops.contains(data.op), rewrite);
    }

    /// Like [`Family::map`], for rewrites that may fail.
    ///
    /// # Errors
    /// Same as [`Function::try_map_insts`].
    pub fn try_map<'a>(
        &self,
        f: &mut Function<'a>,
        rewrite: impl FnMut(&mut Rewriter<'_, 'a>, Inst) -> Result<Rewrite, CompileError>,
    ) -> Result<(), CompileError> {
        let ops = self.operations.of_any_width();
        try_map_some(f, |data| ops.contains(data.op), rewrite)
    }
}

fn reuse(mut list: InstList<'_>) -> InstList<'_> {
    list.clear();
    list
}
