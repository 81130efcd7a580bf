//! Ranges implied by conditions.

use agx_isa::table::Opcode;
use agx_isa::table::names::{IntCondition, Truth};
use arrayvec::ArrayVec;

use super::{Range, Walk};
use crate::ir::key;
use crate::ir::{Function, InstData, IrOp, Op, Src};

/// Maximum number of parts into which a condition is decomposed.
const MAX_PARTS: usize = 8;

/// How two numbers compare.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Relation {
    Equal,
    Differs,
    Less,
    AtLeast,
}

impl Walk<'_> {
    /// Records that `condition` equals `truth` from here to the end of the arm.
    pub(super) fn learn(&mut self, f: &Function<'_>, condition: Src, truth: bool) {
        let mut pending: ArrayVec<(Src, bool), MAX_PARTS> = ArrayVec::new();
        pending.push((condition, truth));
        for _ in 0..MAX_PARTS {
            let Some((src, truth)) = pending.pop() else { return };
            let Some(data) = f.def(src) else { continue };
            match (data.op, data.get(key::TABLE), truth) {
                (Op::Ir(IrOp::Icmp), ..) => self.compare(f, &data, truth),
                (Op::Hw(Opcode::Bitop), Truth::NOT, _) => {
                    let _ = pending.try_push((data.srcs[0], !truth));
                }
                (Op::Hw(Opcode::Bitop), Truth::AND, true) | (Op::Hw(Opcode::Bitop), Truth::OR, false) => {
                    let _ = data.srcs.iter().all(|src| pending.try_push((*src, truth)).is_ok());
                }
                _ => {}
            }
        }
    }

    fn compare(&mut self, f: &Function<'_>, data: &InstData<'_>, truth: bool) {
        let [a, b] = [data.srcs[0], data.srcs[1]];
        let (cond, holds) = (data.get(key::INT_COND), truth != data.get(key::INV));
        let is_signed = cond.is_signed();
        let (a, b, relation) = match (cond.unsigned(), holds) {
            (IntCondition::EQUAL, true) => (a, b, Relation::Equal),
            (IntCondition::EQUAL, false) => (a, b, Relation::Differs),
            (IntCondition::UNSIGNED_LESS, true) => (a, b, Relation::Less),
            (IntCondition::UNSIGNED_LESS, false) => (a, b, Relation::AtLeast),
            (IntCondition::UNSIGNED_GREATER, true) => (b, a, Relation::Less),
            _ => (b, a, Relation::AtLeast),
        };
        let bounds = |src| if is_signed { self.signed(f, src) } else { self.unsigned(f, src) };
        let (x, y) = (bounds(a), bounds(b));
        let (new_x, new_y) = match relation {
            Relation::Equal => {
                let both = (x.0.max(y.0), x.1.min(y.1));
                (both, both)
            }
            Relation::Differs => (without(x, y), without(y, x)),
            Relation::Less => ((x.0, x.1.min(y.1 - 1)), (y.0.max(x.0 + 1), y.1)),
            Relation::AtLeast => ((x.0.max(y.0), x.1), (y.0, y.1.min(x.1))),
        };
        self.narrow(f, a, new_x);
        self.narrow(f, b, new_y);
    }

    /// Narrows `src` to `bounds`.
    fn narrow(&mut self, f: &Function<'_>, src: Src, (low, high): (i128, i128)) {
        let Some(value) = src.as_value() else { return };
        let new = Range::fit(i64::try_from(low).ok(), i64::try_from(high).ok(), f.width(src));
        let (Some(new), old) = (new, self.ranges[value]) else { return };
        if old.is_none_or(|old| new.high - new.low < old.high - old.low) {
            self.undo.push((value, old));
            self.ranges[value] = Some(new);
        }
    }
}

/// The interval `x` without the single number of `y`, if that is its first or last.
fn without(x: (i128, i128), y: (i128, i128)) -> (i128, i128) {
    if y.0 != y.1 {
        return x;
    }
    (x.0 + i128::from(x.0 == y.0), x.1 - i128::from(x.1 == y.0))
}
