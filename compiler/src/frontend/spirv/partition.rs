//! Partitions of a subgroup: which lanes hold equal values, and reductions and scans within parts.

use spirv::Op;

use super::lanes::{ballot, lowest, moved};
use super::translate::Translator;
use super::words::Inst;
use crate::error::CompileError;
use crate::ir::build::alu::IntCond;
use crate::ir::builder::{Builder, LoopBlocks};
use crate::ir::op::IrOp;
use crate::ir::src::Src;
use crate::ir::types::Type;
use crate::ir::{Arithmetic, Build};

/// Whether two lists of scalars have equal bits.
fn same_bits(b: &mut Builder<'_, '_>, pairs: impl Iterator<Item = (Src, Src)>) -> Src {
    let mut same = Src::bool(true);
    for (x, y) in pairs {
        let equal = if b.f.width(x) == 1 { b.xnor(x, y) } else { b.icmp(IntCond::EQ, x, y) };
        same = b.and(same, equal);
    }
    same
}

impl<'a> Translator<'_, 'a> {
    /// The lanes whose values equal this one's.
    pub(super) fn partition(&mut self, inst: &Inst<'a>) -> Result<Vec<Src>, CompileError> {
        debug_assert_eq!(inst.op, Op::GroupNonUniformPartitionEXT);
        let (_, leaves) = self.eval().value(inst.word(2)?)?;
        let zero = Src::imm32(0);
        let mask = self.for_each_part(
            32,
            |t, leader| {
                let pairs: Vec<(Src, Src)> = leaves
                    .iter()
                    .map(|leaf| (*leaf, moved(&mut t.kit.b, IrOp::Broadcast, *leaf, leader)))
                    .collect();
                let is_in = same_bits(&mut t.kit.b, pairs.into_iter());
                (is_in, ballot(&mut t.kit.b, is_in))
            },
            |_, part| part,
        );
        Ok(vec![mask, zero, zero, zero])
    }

    /// Combines `x` among the lanes of this lane's part, the bits of `mask`.
    pub(super) fn combine_part(&mut self, x: Src, mask: Src, op: IrOp, mods: [u32; 2]) -> Src {
        let bits = self.kit.b.f.width(x);
        self.for_each_part(
            bits,
            |t, leader| {
                let part = moved(&mut t.kit.b, IrOp::Broadcast, mask, leader);
                (t.kit.b.icmp(IntCond::EQ, mask, part), part)
            },
            |t, _| Src::value(t.kit.b.value(op, Type::scalar(bits), &[x], &mods)),
        )
    }

    /// A loop with an iteration for each part: `part` says whether this lane is in that of the lane `leader`, and which lanes are;
    /// `result` gives the lanes in it their result. Parts are told apart in all lanes, so that every iteration has all of them.
    fn for_each_part(
        &mut self,
        bits: u8,
        part: impl FnOnce(&mut Self, Src) -> (Src, Src),
        result: impl FnOnce(&mut Self, Src) -> Src,
    ) -> Src {
        let (rest, found) = (self.kit.vars.add(&[32]), self.kit.vars.add(&[bits]));
        let active = ballot(&mut self.kit.b, Src::bool(true));
        self.kit.vars.write(&self.kit.b, rest, active);
        self.kit.vars.write(&self.kit.b, found, Src::imm(0, bits));
        let LoopBlocks { header, after } = self.kit.b.begin_loop();
        self.kit.vars.open_loop(header);
        let left = self.kit.vars.read(&mut self.kit.b, rest);
        let leader = lowest(&mut self.kit.b, left);
        let (is_in, lanes) = part(self, leader);
        self.kit.b.begin_if(is_in);
        let value = result(self, lanes);
        self.kit.vars.write(&self.kit.b, found, value);
        self.kit.b.begin_else();
        self.kit.b.end_if();
        let others = self.kit.b.not(lanes);
        let left = self.kit.b.and(left, others);
        self.kit.vars.write(&self.kit.b, rest, left);
        let is_done = self.kit.b.icmp(IntCond::EQ, left, Src::imm32(0));
        self.kit.b.begin_if(is_done);
        self.kit.b.jump(after);
        self.kit.b.begin_else();
        self.kit.b.end_if();
        self.kit.b.end_loop();
        self.kit.vars.close_loop(self.kit.b.f);
        self.kit.vars.read(&mut self.kit.b, found)
    }
}
