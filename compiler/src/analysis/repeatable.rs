//! Comparisons that every reader can repeat at little cost, instead of one of them leaving a boolean for the others.
//!
//! The hardware compares in the instruction that branches or selects, so a comparison costs nothing there. Its boolean
//! costs an instruction, and a half register for as long as it lives; repeating the comparison keeps its operands
//! alive instead. These are comparisons that only ifs, selections, and conjunctions or disjunctions for these read:
//!
//! * of one value with a constant or a uniform register;
//! * of two values between which one of the selections chooses, if all of them are in the same block: the search for a
//!   minimum and its index.

use agx_isa::table::Opcode;
use agx_isa::table::names::Truth;
use bumpalo::Bump;
use bumpalo::collections::Vec as ArenaVec;

use crate::ir::key;
use crate::ir::{Block, Function, InstData, IrOp, Op, ScratchSide, Src, Type, Value};

/// What the readers of a comparison allow.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
enum Readers {
    /// Not a comparison, or a reader needs the boolean.
    #[default]
    NeedBoolean,
    /// Every reader so far can repeat it.
    Repeat,
    /// A comparison of two values without readers so far.
    Unknown,
    /// A comparison of two values whose readers are all in this block, and whether one of them chooses between the values.
    In(Block, bool),
}

/// The booleans whose comparison every reader can repeat.
pub fn repeatable<'s>(f: &Function<'_>, scratch: &'s Bump) -> ScratchSide<'s, Value, bool> {
    let mut readers: ScratchSide<'_, Value, Readers> = ScratchSide::later_in(scratch, f.values.len());
    let mut compared = ArenaVec::new_in(scratch);
    for block in f.blocks_in_order() {
        for inst in &f.block(block).insts {
            let data = &f.insts[*inst];
            if let (Op::Ir(IrOp::Icmp | IrOp::Fcmp), Some(dst)) = (data.op, data.dst()) {
                let varying = data.srcs.iter().filter(|src| src.as_value().is_some()).count();
                readers[dst] = if varying <= 1 { Readers::Repeat } else { Readers::Unknown };
                compared.push(dst);
                continue;
            }
            for (index, src) in data.srcs.iter().enumerate() {
                if let Some(value) = src.as_value()
                    && f.ty(value) == Type::BOOL
                {
                    let reads = compares(data, index).then(|| chooses(f, data, value));
                    readers[value] = readers[value].with(block, reads);
                }
            }
        }
    }
    let mut repeatable = ScratchSide::later_in(scratch, f.values.len());
    for value in compared {
        repeatable[value] = matches!(readers[value], Readers::Repeat | Readers::In(_, true));
    }
    repeatable
}

impl Readers {
    /// Adds a reader in `block`. `reads` is whether it chooses between the compared values; `None` if it needs the boolean.
    fn with(self, block: Block, reads: Option<bool>) -> Readers {
        match (self, reads) {
            (Readers::Repeat, Some(_)) => self,
            (Readers::Unknown, Some(chooses)) => Readers::In(block, chooses),
            (Readers::In(known, before), Some(chooses)) if known == block => {
                Readers::In(block, before || chooses)
            }
            _ => Readers::NeedBoolean,
        }
    }
}

/// Whether a selection by `condition` chooses between the values that are compared.
fn chooses(f: &Function<'_>, data: &InstData<'_>, condition: Value) -> bool {
    let [_, choices @ ..] = data.srcs else { return false };
    let plain = |src: &Src| choices.contains(&src.plain());
    data.op == Op::Ir(IrOp::Select)
        && f.def(condition.into()).is_some_and(|compare| compare.srcs.iter().all(plain))
}

/// Whether an instruction can compare in place of reading the boolean `index` of its sources.
fn compares(data: &InstData<'_>, index: usize) -> bool {
    match data.op {
        Op::Ir(IrOp::If) => true,
        Op::Ir(IrOp::Select) => index == 0,
        Op::Hw(Opcode::Bitop) => matches!(data.get(key::TABLE), Truth::AND | Truth::OR),
        _ => false,
    }
}
