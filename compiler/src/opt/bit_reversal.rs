//! Shifts and masks that together reverse the bits of a word.
//!
//! Shaders that compute low-discrepancy sequences, as for filters of environment maps, swap the bits of a word in five
//! steps of two shifts, two masks and a disjunction. A bit of such a result is traced back through shifts by constants,
//! masks, and disjunctions of disjoint bits.
//!
//! Part of `opt_ranges`.

use agx_isa::table::Opcode;
use agx_isa::table::names::Truth;

use crate::ir::key;
use crate::ir::rewrite::map_some;
use crate::ir::{Build, Function, InstData, IrOp, Op, Rewrite, Src, Type, Value};

/// Number of bits of a word.
const WIDTH: u64 = 32;

/// Maximum number of operations that a bit is traced back through: five steps of three.
const MOST_OPERATIONS: u32 = 16;

/// Replaces shifts and masks that reverse the bits of a word.
pub(super) fn reverse_bits(f: &mut Function<'_>) {
    if !f.insts.keys().any(|inst| masks_alternate_bits(&f.insts[inst])) {
        return;
    }
    map_some(f, joins, |r, inst| {
        let word = r.f.insts[inst].dst().and_then(|dst| reversed(r.f, dst));
        word.map_or(Rewrite::Keep, |word| Rewrite::Forward(r.op(Opcode::Bitrev, 32, &[word.into()])))
    });
}

/// Whether an instruction is a disjunction.
fn joins(data: &InstData<'_>) -> bool {
    data.op == Op::Hw(Opcode::Bitop) && data.get(key::TABLE) == Truth::OR
}

/// Whether an instruction masks every other bit: each way to reverse bits does.
fn masks_alternate_bits(data: &InstData<'_>) -> bool {
    let mask = data.srcs.get(1).and_then(|src| src.as_imm());
    data.op == Op::Hw(Opcode::Bitop) && matches!(mask, Some(0x5555_5555 | 0xaaaa_aaaa))
}

/// The word of which `value` has all bits in reverse order.
fn reversed(f: &Function<'_>, value: Value) -> Option<Value> {
    let (word, _) = origin(f, value, 0, MOST_OPERATIONS)?;
    let is_reversed = |bit| origin(f, value, bit, MOST_OPERATIONS) == Some((word, WIDTH - 1 - bit));
    (word != value && (0..WIDTH).all(is_reversed)).then_some(word)
}

/// The word that a bit of `value` is from, and its number there; `None` for a zero. Recursion is limited to `most` operations.
fn origin(f: &Function<'_>, value: Value, bit: u64, most: u32) -> Option<(Value, u64)> {
    let own = Some((value, bit));
    let data = f.def(value.into()).filter(|_| most > 0 && f.ty(value) == Type::B32);
    let Some(InstData { op, srcs: [a, b], .. }) = data else { return own };
    let word = |src: &Src| src.as_value().filter(|value| src.flags.is_empty() && f.ty(*value) == Type::B32);
    let (Some(first), constant) = (word(a), b.as_imm()) else { return own };
    let from = |value, bit| origin(f, value, bit, most - 1);
    let is_and = || data.is_some_and(|data| data.get(key::TABLE) == Truth::AND);
    match (op, constant) {
        (Op::Ir(IrOp::Shl), Some(amount)) if amount < WIDTH => {
            bit.checked_sub(amount).and_then(|bit| from(first, bit))
        }
        (Op::Ir(IrOp::Ushr), Some(amount)) if amount < WIDTH => {
            Some(bit + amount).filter(|bit| *bit < WIDTH).and_then(|bit| from(first, bit))
        }
        (Op::Hw(Opcode::Bitop), Some(mask)) if is_and() => {
            (mask >> bit & 1 == 1).then(|| from(first, bit)).flatten()
        }
        (Op::Hw(Opcode::Bitop), None) if data.is_some_and(|data| joins(&data)) => match word(b) {
            Some(second) => match [from(first, bit), from(second, bit)] {
                [Some(_), Some(_)] => own,
                [one, other] => one.or(other),
            },
            None => own,
        },
        _ => own,
    }
}
