//! The one idiom for rewriting instructions: a closure sees each instruction in program order and says what becomes
//! of it. No index arithmetic, no cursor.

use agx_isa::inst::OperandFlags;

use super::entity::{Block, Entity, Inst, Value};
use super::function::{Function, InstList};
use super::insert::Build;
use super::op::Op;
use super::src::Src;
use super::table::Side;
use crate::error::CompileError;
use crate::ir::watch::CHUNK;

/// Results that a rewrite forwards mostly, to make room for.
const TYPICAL_FORWARDS: usize = 32;

/// What becomes of an instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Rewrite {
    /// It stays, after whatever was built before it.
    Keep,
    /// It goes; what was built stands in its place.
    Remove,
    /// It goes, and `Src` is read wherever its only result was read.
    Forward(Src),
}

/// Builds the instructions that stand before (or in place of) the one being rewritten.
pub struct Rewriter<'f, 'a> {
    /// The function. Its blocks' instruction lists are not to be touched.
    pub f: &'f mut Function<'a>,
    /// The block being rewritten.
    pub block: Block,
    /// Source line given to new instructions: that of the instruction being rewritten.
    pub line: u32,
    out: InstList<'a>,
    /// Number of values there were when the current instruction's turn came.
    fresh: usize,
    /// Place in `forwards` of what is read instead of each value, plus one; 0 for none.
    forward: Side<Value, u32>,
    forwards: Vec<Src>,
}

impl<'a> Build<'a> for Rewriter<'_, 'a> {
    fn function(&self) -> &Function<'a> {
        self.f
    }

    fn function_mut(&mut self) -> &mut Function<'a> {
        self.f
    }

    /// Adds an instruction with given destinations; they may be those of the instruction being rewritten.
    fn push(&mut self, op: impl Into<Op>, dsts: &[Value], srcs: &[Src], mods: &[u32]) -> Inst {
        let inst = self.f.make_inst(op, dsts, srcs, mods, self.line);
        self.out.push(inst);
        inst
    }
}

impl Rewriter<'_, '_> {
    /// Reads `src` wherever `value`, a result of the instruction being rewritten, was read. The instruction is then to
    /// be removed, unless every result stays defined.
    ///
    /// What was built for this instruction may be rounded if its result may.
    pub fn forward(&mut self, value: Value, src: Src) {
        if self.f.has_relaxed
            && self.f.values[value].relaxed
            && let Some(built) = src.as_value().filter(|built| built.index() >= self.fresh)
        {
            self.f.relax(built);
        }
        let src = self.resolve(src);
        if self.forwards.is_empty() {
            // Most rewrites forward nothing, and need no table.
            self.forward = Side::new(self.f.values.len());
            self.forwards.reserve(TYPICAL_FORWARDS);
        }
        self.forwards.push(src);
        self.forward[value] = self.forwards.len() as u32;
    }

    /// What is now read in place of `src`.
    pub fn resolve(&self, mut src: Src) -> Src {
        while let Some(forward) = src.as_value().and_then(|value| self.forwarded(value)) {
            src = with_outer_flags(forward, src.flags);
        }
        src
    }

    /// What is read in place of `value`, as it was said.
    fn forwarded(&self, value: Value) -> Option<Src> {
        (self.forward[value] as usize).checked_sub(1).map(|place| self.forwards[place])
    }

    /// Number of instructions that stand in the block so far, what was built for the current one included.
    pub fn built(&self) -> usize {
        self.out.len()
    }

    /// Takes back what was built from position `start` on, onto `pending` so that the first one is last.
    pub fn take_built(&mut self, start: usize, pending: &mut impl Extend<Inst>) {
        pending.extend(self.out.drain(start..).rev());
    }

    /// What was built to be read in place of the result of `inst` may be rounded if that may.
    pub fn relax_result(&mut self, inst: Inst, result: Rewrite) {
        if self.f.has_relaxed
            && let (Rewrite::Forward(src), Some(dst)) = (result, self.f.insts[inst].dst())
            && self.f.values[dst].relaxed
            && let Some(built) = src.as_value().filter(|built| built.index() >= self.fresh)
        {
            self.f.relax(built);
        }
    }

    /// Does to `inst` what `result` says.
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

    /// Makes `inst` read what is now read in place of its sources.
    #[inline]
    pub fn resolve_sources(&mut self, inst: Inst) {
        let is_forwarded = |src: &Src| src.as_value().is_some_and(|value| self.forward[value] != 0);
        if self.f.insts[inst].srcs.iter().any(is_forwarded) {
            self.replace_sources(inst);
        }
    }

    fn replace_sources(&mut self, inst: Inst) {
        let srcs = self.f.bump.alloc_slice_copy(self.f.insts[inst].srcs);
        for src in &mut *srcs {
            *src = self.resolve(*src);
            self.f.present.note_width(src.bits);
        }
        self.f.insts[inst].srcs = srcs;
    }
}

/// `inner` as seen through the modifiers `outer`: an outer absolute value hides an inner sign.
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
    /// As [`Function::map_insts`] for rewrites that may fail. Every instruction is visited; one that fails stays.
    ///
    /// # Errors
    /// The first one, at the source line of its instruction.
    pub fn try_map_insts(
        &mut self,
        mut rewrite: impl FnMut(&mut Rewriter<'_, 'a>, Inst) -> Result<Rewrite, CompileError>,
    ) -> Result<(), CompileError> {
        let mut first = None;
        self.map_insts(|r, inst| {
            rewrite(r, inst).unwrap_or_else(|error| {
                first.get_or_insert_with(|| r.f.locate(inst, error));
                Rewrite::Keep
            })
        });
        first.map_or(Ok(()), Err)
    }

    /// Rewrites every instruction in program order. Sources are already resolved through earlier
    /// [`Rewrite::Forward`]s when the closure sees them; phis of loop headers are resolved at the end.
    pub fn map_insts(&mut self, mut rewrite: impl FnMut(&mut Rewriter<'_, 'a>, Inst) -> Rewrite) {
        let blocks = self.layout.len();
        let values = self.values.len();
        let out = self.inst_list();
        let mut rewriter = Rewriter {
            f: self,
            block: Block(0),
            line: 0,
            out,
            fresh: values,
            forward: Side::default(),
            forwards: Vec::new(),
        };
        for index in 0..blocks {
            let block = rewriter.f.layout[index].block;
            rewriter.block = block;
            let insts = rewriter.f.take_insts(block);
            rewriter.out.reserve(insts.len());
            for chunk in insts.chunks(CHUNK) {
                rewriter.f.watch.visit(chunk.len());
                for inst in chunk {
                    if !rewriter.forwards.is_empty() {
                        rewriter.resolve_sources(*inst);
                    }
                    rewriter.line = rewriter.f.insts[*inst].line;
                    if rewriter.f.has_relaxed {
                        rewriter.fresh = rewriter.f.values.len();
                    }
                    let result = rewrite(&mut rewriter, *inst);
                    rewriter.apply(*inst, result);
                }
            }
            rewriter.f.block_mut(block).insts = std::mem::replace(&mut rewriter.out, reuse(insts));
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
    }
}

fn reuse(mut list: InstList<'_>) -> InstList<'_> {
    list.clear();
    list
}
