//! Comparisons that every reader can repeat at little cost, instead of one of them leaving a boolean for the others.
//!
//! The hardware compares in the instruction that branches or selects, so a comparison costs nothing there. Its boolean
//! costs an instruction, and a half register for as long as it lives; repeating the comparison keeps its operands
//! alive instead. These are comparisons of one value with a constant or a uniform register that only ifs, selections,
//! and conjunctions or disjunctions for these read.

use agx_isa::table::Opcode;
use agx_isa::table::names::Truth;
use bumpalo::Bump;

use crate::ir::key;
use crate::ir::{Function, InstData, IrOp, Op, ScratchSide, Type, Value};

/// The booleans whose comparison every reader can repeat.
pub fn repeatable<'s>(f: &Function<'_>, scratch: &'s Bump) -> ScratchSide<'s, Value, bool> {
    let mut repeatable = ScratchSide::later_in(scratch, f.values.len());
    for block in f.blocks_in_order() {
        for inst in &f.block(block).insts {
            let data = &f.insts[*inst];
            if let Op::Ir(IrOp::Icmp | IrOp::Fcmp) = data.op {
                let varying = data.srcs.iter().filter(|src| src.as_value().is_some()).count();
                data.dsts.iter().for_each(|dst| repeatable[*dst] = varying <= 1);
                continue;
            }
            for (index, src) in data.srcs.iter().enumerate() {
                if let Some(value) = src.as_value()
                    && f.ty(value) == Type::BOOL
                    && repeatable[value]
                    && !compares(data, index)
                {
                    repeatable[value] = false;
                }
            }
        }
    }
    repeatable
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
