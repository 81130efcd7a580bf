//! The analysis: which instructions compute the same for every invocation, and which of them compute equal values.

use agx_abi::layout::{UniformRange, UniformSource};
use bumpalo::Bump;

use crate::analysis::movable::MovableValues;
use crate::ir::row_table::{Entry, RowTable, hash_row, same_row};
use crate::ir::{Function, Inst, InstData, IrOp, Op, ScratchSide, Seam, Src, Value};

/// The computations that are the same in every invocation.
pub(super) struct Uniform<'s> {
    /// Instructions with uniform results.
    pub(super) insts: ScratchSide<'s, Inst, bool>,
    /// There may be some.
    pub(super) may_have_insts: bool,
    /// The first of equal values in different arms, which value numbering does not merge: none of the arms dominates another.
    first: ScratchSide<'s, Value, Option<Value>>,
}

impl<'s> Uniform<'s> {
    /// Finds uniform instructions. Parameters of test kernels count as divergent.
    pub(super) fn of(f: &Function<'_>, ranges: &[UniformRange], scratch: &'s Bump) -> Uniform<'s> {
        let insts = ScratchSide::new_in(scratch, f.insts.len());
        let first = ScratchSide::later_in(scratch, f.values.len());
        let mut uniform = Uniform { insts, may_have_insts: false, first };
        let (mut table, mut srcs) =
            (RowTable::with_room(0, scratch), ScratchSide::later_in(scratch, f.insts.len()));
        let mut values = MovableValues::new_in(scratch, f);
        let is_argument =
            |range: &&UniformRange| matches!(range.source, UniformSource::KernelArgument { .. });
        let arguments: Vec<&UniformRange> = ranges.iter().filter(is_argument).collect();
        let mut around = Around::default();
        for segment in f.layout {
            for inst in &f.block(segment.block).insts {
                let data = &f.insts[*inst];
                around.has_left |= data.op == Op::Ir(IrOp::Jump);
                if !reads_any(data, &arguments) && values.note(data, around.is_always_executed()) {
                    (uniform.insts[*inst], uniform.may_have_insts) = (true, true);
                    if f.layout.len() > 1 {
                        let firsts = data.srcs.iter().map(|src| uniform.first_src(*src));
                        srcs[*inst] = &*scratch.alloc_slice_fill_iter(firsts);
                        uniform.number(f, *inst, &mut table, &srcs);
                    }
                }
            }
            around.cross(segment.seam);
        }
        uniform
    }

    /// Numbers the values of an instruction. `srcs` has the sources of the instructions so far, the first of equal ones for each.
    fn number(
        &mut self,
        f: &Function<'_>,
        inst: Inst,
        table: &mut RowTable<'_, ()>,
        srcs: &ScratchSide<'_, Inst, &[Src]>,
    ) {
        let row = |inst: Inst| InstData { srcs: srcs[inst], ..f.insts[inst] };
        let hash = hash_row(&row(inst));
        let (at, known) = table.place(hash, |known| same_row(f, &row(known), &row(inst)));
        if known.is_free() {
            table.take(at, Entry { inst, note: (), hash });
            return;
        }
        for (value, first) in f.insts[inst].dsts.iter().zip(f.insts[known.inst].dsts) {
            self.first[*value] = Some(*first);
        }
    }

    /// The first value that equals `value`.
    pub(super) fn first(&self, value: Value) -> Value {
        self.first[value].unwrap_or(value)
    }

    /// `src`, or the first value that equals it.
    pub(super) fn first_src(&self, src: Src) -> Src {
        src.as_value().map_or(src, |value| Src { flags: src.flags, ..Src::value(self.first(value)) })
    }
}

/// Whether an instruction reads a half-word of one of some ranges.
fn reads_any(data: &InstData<'_>, ranges: &[&UniformRange]) -> bool {
    let is_in =
        |half: u16| ranges.iter().any(|range| (range.start..range.start + range.halves).contains(&half));
    !ranges.is_empty() && data.srcs.iter().filter_map(|src| src.as_uniform()).any(is_in)
}

/// What is around the current instruction.
#[derive(Default)]
struct Around {
    /// Number of constructs.
    constructs: u32,
    /// Number of arms among them.
    arms: u32,
    /// An invocation may have left one of them.
    has_left: bool,
}

impl Around {
    /// Every invocation executes the instruction: it may be in loops and scopes, which all enter, but not in an arm.
    fn is_always_executed(&self) -> bool {
        self.arms == 0 && !self.has_left
    }

    /// Crosses a seam.
    fn cross(&mut self, seam: Seam) {
        match seam {
            Seam::If => self.arms += 1,
            Seam::EndIf => self.arms -= 1,
            _ => {}
        }
        match seam {
            Seam::If | Seam::Loop | Seam::Scope => self.constructs += 1,
            Seam::EndIf | Seam::EndLoop | Seam::EndScope => self.constructs -= 1,
            Seam::Else | Seam::End => {}
        }
        self.has_left &= self.constructs > 0;
    }
}
