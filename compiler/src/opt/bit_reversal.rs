//! Replaces shifts and masks that together reverse the bits of a word by the operation that does.
//!
//! Shaders that compute low-discrepancy sequences, as for filters of environment maps, swap the bits of a word in five
//! steps of two shifts, two masks and a disjunction. The pass determines which bit of which word each bit of a result
//! is, through shifts by constants, masks, and disjunctions of disjoint bits. A result that has all bits of a word in
//! reverse order becomes its `bitrev`.
//!
//! Before: stage source. After: the same.

use agx_isa::table::Opcode;
use agx_isa::table::names::Truth;
use bumpalo::Bump;
use bumpalo::collections::Vec as ArenaVec;

use crate::ir::key;
use crate::ir::{Build, Function, InstData, IrOp, Op, Rewrite, ScratchSide, Src, Type, Value};

/// Number of bits of a word.
const WIDTH: usize = 32;

/// Replaces shifts and masks that reverse the bits of a word.
pub fn opt_bit_reversal(f: &mut Function<'_>) {
    let may_have = |op: Op| f.present.may_have_op(op);
    let parts = [Op::Ir(IrOp::Shl), Op::Ir(IrOp::Ushr), Op::Hw(Opcode::Bitop)];
    let mut insts = f.blocks_in_order().flat_map(|block| &f.block(block).insts);
    if parts.into_iter().all(may_have) && insts.any(|inst| masks_alternate_bits(&f.insts[*inst])) {
        f.with_scratch(reverse_all);
    }
}

/// Whether an instruction masks every other bit: each way to reverse bits does.
fn masks_alternate_bits(data: &InstData<'_>) -> bool {
    matches!((data.op, data.srcs), (Op::Hw(Opcode::Bitop), [_, mask]) if matches!(mask.as_imm(), Some(0x5555_5555 | 0xaaaa_aaaa)))
}

fn reverse_all(f: &mut Function<'_>, scratch: &Bump) {
    let mut words =
        Words { known: ScratchSide::later_in(scratch, f.values.len()), bits: ArenaVec::new_in(scratch) };
    f.map_insts(|r, inst| {
        let data = r.f.insts[inst];
        let Some((dst, bits)) = words.result(r.f, &data) else { return Rewrite::Keep };
        if bits.are_reversed() {
            return Rewrite::Forward(r.op(Opcode::Bitrev, 32, &[Src::value(bits.word)]));
        }
        words.bits.push(bits);
        words.known[dst] = words.bits.len() as u32;
        Rewrite::Keep
    });
}

/// The bits of a value.
#[derive(Clone, Copy)]
struct Bits {
    /// The word whose bits they are.
    word: Value,
    /// For each bit, its number in that word; `None` for a zero.
    from: [Option<u8>; WIDTH],
}

impl Bits {
    /// The bits of a word of which nothing else is known.
    fn of(word: Value) -> Bits {
        Bits { word, from: std::array::from_fn(|bit| Some(bit as u8)) }
    }

    fn are_reversed(&self) -> bool {
        self.from.iter().rev().enumerate().all(|(bit, from)| *from == Some(bit as u8))
    }

    /// Bit `index(n)` becomes bit `n`, where there is one.
    fn moved(&self, index: impl Fn(usize) -> Option<usize>) -> Bits {
        let from = |bit| index(bit).and_then(|at| self.from.get(at).copied().flatten());
        Bits { word: self.word, from: std::array::from_fn(from) }
    }

    /// The bits of both, if they belong to the same word and no bit is set in both.
    fn joined(&self, other: &Bits) -> Option<Bits> {
        let is_disjoint = self.from.iter().zip(&other.from).all(|(a, b)| a.is_none() || b.is_none());
        let from = |bit: usize| self.from[bit].or(other.from[bit]);
        (self.word == other.word && is_disjoint)
            .then(|| Bits { word: self.word, from: std::array::from_fn(from) })
    }
}

/// What is known about values.
struct Words<'s> {
    /// The place of the bits of each value in the list, counted from 1.
    known: ScratchSide<'s, Value, u32>,
    bits: ArenaVec<'s, Bits>,
}

impl Words<'_> {
    /// The result of a shift, mask or disjunction, and its bits.
    fn result(&self, f: &Function<'_>, data: &InstData<'_>) -> Option<(Value, Bits)> {
        let dst = data.dst().filter(|dst| f.ty(*dst) == Type::B32)?;
        let [a, b] = *data.srcs else { return None };
        let constant = || b.as_imm().filter(|_| b.flags.is_empty());
        let amount = || constant().map(|amount| amount as usize).filter(|amount| *amount < WIDTH);
        let bits = match data.op {
            Op::Ir(IrOp::Shl) => {
                let amount = amount()?;
                self.bits(f, a)?.moved(|bit| bit.checked_sub(amount))
            }
            Op::Ir(IrOp::Ushr) => {
                let amount = amount()?;
                self.bits(f, a)?.moved(|bit| Some(bit + amount))
            }
            Op::Hw(Opcode::Bitop) if data.get(key::TABLE) == Truth::AND => {
                let mask = constant()?;
                self.bits(f, a)?.moved(|bit| (mask >> bit & 1 == 1).then_some(bit))
            }
            Op::Hw(Opcode::Bitop) if data.get(key::TABLE) == Truth::OR => {
                self.bits(f, a)?.joined(&self.bits(f, b)?)?
            }
            _ => return None,
        };
        Some((dst, bits))
    }

    /// The bits of a source.
    fn bits(&self, f: &Function<'_>, src: Src) -> Option<Bits> {
        let word = src.as_value().filter(|value| src.flags.is_empty() && f.ty(*value) == Type::B32)?;
        let known = (self.known[word] as usize).checked_sub(1);
        Some(known.and_then(|at| self.bits.get(at).copied()).unwrap_or_else(|| Bits::of(word)))
    }
}
