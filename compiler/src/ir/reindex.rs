//! Renumbers a function in program order, so that its text reads well and its tables hold nothing that is dead.
//!
//! Ids change: side tables made before are void.

use super::entity::{Block, Entity, Value};
use super::function::{BlockData, Function, InstData, Settled};
use super::op::{IrOp, Op};
use super::src::Src;
use super::table::{Side, Table};

/// New ids of a function that is being renumbered.
struct Renumbering {
    values: Side<Value, Option<Value>>,
    blocks: Side<Block, Option<Block>>,
}

/// Gives values, instructions and blocks new numbers in program order. Blocks outside the layout, removed instructions
/// and values nothing defines or reads are dropped. Edges are recomputed.
pub fn reindex(f: &mut Function<'_>) {
    let new = number(f);
    let mut insts = Table::new(f.bump);
    let mut blocks: Vec<BlockData> = Vec::with_capacity(f.layout.len());
    for index in 0..f.layout.len() {
        let block = f.layout[index].block;
        let mut list = std::mem::take(&mut f.block_mut(block).insts);
        for inst in &mut list {
            let data = renumbered(f, &new, &f.insts[*inst]);
            *inst = insts.push(data);
            for dst in data.dsts {
                f.values[*dst].def = Some(*inst);
            }
        }
        blocks.push(BlockData { insts: list, ..BlockData::default() });
    }
    f.insts = insts;
    f.settled = Settled::default();
    f.blocks = blocks;
    for (index, segment) in f.layout.iter_mut().enumerate() {
        segment.block = Block::new(index);
    }
    f.compute_cfg();
}

/// Numbers everything in program order and installs the new table of values.
fn number(f: &mut Function<'_>) -> Renumbering {
    let mut new = Renumbering { values: Side::new(f.values.len()), blocks: Side::new(f.blocks.len()) };
    let mut values = Table::new(f.bump);
    let mut add = |value: Value| {
        if new.values[value].is_none() {
            let mut data = f.values[value];
            data.def = None;
            new.values[value] = Some(values.push(data));
        }
    };
    f.params.iter().copied().for_each(&mut add);
    for (index, segment) in f.layout.iter().enumerate() {
        new.blocks[segment.block] = Some(Block::new(index));
        for inst in &f.block(segment.block).insts {
            f.insts[*inst].dsts.iter().copied().for_each(&mut add);
        }
    }
    // What is read but never defined keeps a number, so that the validator still sees the mistake.
    for segment in &f.layout {
        for inst in &f.block(segment.block).insts {
            f.insts[*inst].srcs.iter().filter_map(|src| src.as_value()).for_each(&mut add);
        }
    }
    f.values = values;
    let params = f.params.iter().filter_map(|param| new.values[*param]).collect();
    f.params = params;
    new
}

fn renumbered<'a>(f: &Function<'a>, new: &Renumbering, data: &InstData<'a>) -> InstData<'a> {
    let value = |value: Value| new.values[value].unwrap_or(value);
    let dsts: Vec<Value> = data.dsts.iter().map(|dst| value(*dst)).collect();
    let srcs: Vec<Src> = data
        .srcs
        .iter()
        .map(|src| match src.as_value() {
            Some(old) => Src { flags: src.flags, ..Src::value(value(old)) },
            None => *src,
        })
        .collect();
    let names_blocks = matches!(data.op, Op::Ir(IrOp::Phi | IrOp::Jump));
    let block = |id: u32| new.blocks[Block(id)].map_or(id, |block| block.0);
    let mods: Vec<u32> = data.mods.iter().map(|id| if names_blocks { block(*id) } else { *id }).collect();
    InstData { dsts: f.alloc(&dsts), srcs: f.alloc(&srcs), mods: f.alloc(&mods), ..*data }
}

#[cfg(test)]
mod tests {
    use bumpalo::Bump;

    use super::*;
    use crate::ir::{parse, validate};

    #[test]
    fn numbers_follow_the_program() {
        let text = "kernel @f(%7:32) stage source {
b9:
    %30:32 = iadd %7, #1 shift=2
    loop {
    b4:
        %3:32 = phi b9: %30, b2: %20
        if true {
        b5:
            jump b1
        } else {
        b6:
        }
    b2:
        %20:32, %21:32 = copy %3, %7
    }
b1:
    keep %3
}
";
        let expected = "kernel @f(%0:32) stage source {
b0:
    %1:32 = iadd %0, #1 shift=2
    loop {
    b1:
        %2:32 = phi b0: %1, b4: %3
        if true {
        b2:
            jump b5
        } else {
        b3:
        }
    b4:
        %3:32, %4:32 = copy %2, %0
    }
b5:
    keep %2
}
";
        let bump = Bump::new();
        let f = &mut parse(&bump, text).expect("parses")[0];
        reindex(f);
        assert_eq!(f.to_string(), expected);
        assert_eq!(validate(f, f.stage), Ok(()));
        assert_eq!((f.values.len(), f.insts.len(), f.blocks.len()), (5, 6, 6));
    }

    #[test]
    fn mistakes_stay_visible() {
        let bump = Bump::new();
        let f = &mut parse(&bump, "kernel @f() {\nb3:\n    keep -%9, #1\n}").expect("parses")[0];
        reindex(f);
        assert_eq!(f.to_string(), "kernel @f() stage source {\nb0:\n    keep -%0, #1\n}\n");
    }
}
