//! Folds saturation and rounding to 16 bits into the float operation that defines their source.
//!
//! `fadd x, -0.0` is the hardware's float move: with the `sat` modifier it saturates, with a 16-bit
//! destination it rounds. Every float operation can do both itself, in the same order, so the move is removed
//! if it is the only use of its source.
//!
//! Likewise, integer operations truncate their result to a 16-bit destination themselves.
//!
//! Before: stage selected. After: the same.

use agx_isa::desc::Results;
use agx_isa::table::Opcode;
use agx_isa::table::names::Truth;

use crate::analysis::uses::uses;
use crate::ir::key;
use crate::ir::rewrite::map_some;
use crate::ir::{Function, Inst, InstData, Op, Rewrite, Rewriter, ScratchSide, Type, Value};

/// Folds float moves into the operations that define their sources.
pub fn opt_fold_destinations(f: &mut Function<'_>) {
    let mut insts = f.layout.iter().flat_map(|segment| &f.block(segment.block).insts);
    if !insts.any(|inst| may_move(&f.insts[*inst])) {
        return;
    }
    f.with_scratch(|f, scratch| {
        let uses = uses(f, scratch);
        map_some(f, may_move, |r, inst| {
            let data = r.f.insts[inst];
            match fold(r, &uses, &data).or_else(|| cut(r, &uses, &data)) {
                Some(()) => Rewrite::Remove,
                None => Rewrite::Keep,
            }
        });
    });
}

/// Whether an instruction may be a move: most functions have none.
fn may_move(data: &InstData<'_>) -> bool {
    match data.op {
        Op::Hw(Opcode::Fadd | Opcode::Hadd) => data.srcs[1].as_imm().is_some(),
        Op::Hw(Opcode::Bitop) => data.get(key::TABLE) == Truth::FIRST,
        _ => false,
    }
}

/// Transfers the destination and the saturation of the move to the producer.
fn fold<'a>(r: &mut Rewriter<'_, 'a>, uses: &ScratchSide<'_, Value, u32>, data: &InstData<'a>) -> Option<()> {
    let (source, dst) = (moved(r, data)?, *data.dsts.first()?);
    let producer: Inst = r.f.values[source].def?;
    let made = r.f.insts[producer];
    let (from, to) = (r.f.ty(source).bits, r.f.ty(dst).bits);
    let can = match made.op {
        Op::Hw(Opcode::Hadd | Opcode::Hmul | Opcode::Hfma) => from == 16 && to == 16,
        op => op.results().contains(Results::ROUNDED) && made.is_pure() && to <= from,
    };
    // A producer that saturates may also round; one that rounds to 16 bits would have rounded before
    // saturating.
    if !can || uses[source] != 1 {
        return None;
    }
    let index = made.op.mod_index("sat")?;
    let mut mods = made.mods.to_vec();
    mods[index] |= u32::from(data.get(key::SAT));
    let mods = r.f.alloc(&mods);
    r.f.set_inst(producer, InstData { dsts: data.dsts, mods, ..made });
    Some(())
}

/// Transfers the 16-bit destination of a truncating move to the integer operation that defines its source.
fn cut<'a>(r: &mut Rewriter<'_, 'a>, uses: &ScratchSide<'_, Value, u32>, data: &InstData<'a>) -> Option<()> {
    let moves = data.op == Op::Hw(Opcode::Bitop) && data.get(key::TABLE) == Truth::FIRST;
    let ([source, _], [dst]) = (data.srcs, data.dsts) else { return None };
    let source =
        source.as_value().filter(|value| moves && uses[*value] == 1 && r.f.ty(*value) == Type::B32)?;
    let producer = r.f.values[source].def?;
    let made = r.f.insts[producer];
    if r.f.ty(*dst) != Type::B16 || !cuts_its_result(&made) {
        return None;
    }
    r.f.set_inst(producer, InstData { dsts: data.dsts, ..made });
    Some(())
}

fn cuts_its_result(data: &InstData<'_>) -> bool {
    data.op.results().contains(Results::CUT) && !data.get(key::SAT)
}

/// The value that an instruction moves without changing its sign.
fn moved(r: &Rewriter<'_, '_>, data: &InstData<'_>) -> Option<Value> {
    let Op::Hw(Opcode::Fadd | Opcode::Hadd) = data.op else { return None };
    let [source, zero] = data.srcs else { return None };
    let negative_zero = 1 << (r.f.width(*zero) - 1);
    let moves = zero.as_imm() == Some(negative_zero) && zero.flags.is_empty() && source.flags.is_empty();
    source.as_value().filter(|_| moves)
}
