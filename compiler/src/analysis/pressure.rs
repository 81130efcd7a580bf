//! Register demand: how many half registers are needed at the same time.
//!
//! Around an instruction, the values that live through it occupy registers together with its sources before
//! it, and with its results after it; results may reuse the registers of sources that end there. The figure
//! is a lower bound for allocation without spilling;
//! [`Shapes::waste`](crate::regalloc::shapes::Shapes::waste) bounds what alignment may waste in addition.

use std::cell::OnceCell;

use bumpalo::Bump;

use crate::ir::entity::{Block, Value};
use crate::ir::function::{Function, InstData};
use crate::ir::op::{IrOp, Op};
use crate::ir::src::Src;
use crate::ir::table::ScratchSide;

use super::liveness::{LastUses, Liveness, liveness};

/// Whether a result that is never read still needs a register. Instructions that only move registers are
/// dropped for such results.
pub fn dead_result_needs_register(op: Op) -> bool {
    !matches!(op, Op::Ir(IrOp::Phi | IrOp::Collect | IrOp::Split | IrOp::Copy))
}

/// Values among the sources of `data` whose last use is at `position`, each once, in operand order.
pub fn ending_sources<'d>(
    data: &'d InstData<'_>,
    last: &'d LastUses<'_>,
    live: &'d Liveness,
    position: u32,
) -> impl Iterator<Item = Value> + 'd {
    let sources = data.srcs;
    sources.iter().enumerate().filter_map(move |(index, src)| {
        let value = src.as_value()?;
        let is_repeated = || sources[..index].iter().any(|earlier| earlier.as_value() == Some(value));
        (last.ends_at(live, value, position) && !is_repeated()).then_some(value)
    })
}

/// Sources of `data` that must share no register with its results.
pub fn apart_sources<'d>(data: &'d InstData<'_>) -> &'d [Src] {
    if data.op.keeps_apart() { data.srcs.get(..2).unwrap_or(data.srcs) } else { &[] }
}

/// Demand of each block and of the whole function, in half registers.
#[derive(Clone, Debug, Default)]
pub struct Pressure {
    /// Highest demand.
    pub max: u16,
    /// Highest demand within each block, by block id.
    pub blocks: Vec<u16>,
}

/// Computes register demand, with temporary tables in `scratch`.
pub fn pressure(f: &Function<'_>, live: &Liveness, scratch: &Bump) -> Pressure {
    let mut walk = Walk::new_in(scratch, f);
    let mut result = Pressure { max: 0, blocks: vec![0; f.blocks.len()] };
    let live_out = live.halves_out(f);
    for block in f.blocks_in_order() {
        let demand = in_halves(walk.demand(f, live, block, live_out[block.0 as usize]));
        result.blocks[block.0 as usize] = demand;
        result.max = result.max.max(demand);
    }
    result
}

fn in_halves(demand: u32) -> u16 {
    u16::try_from(demand).unwrap_or(u16::MAX)
}

/// The demand of a block in half registers.
#[derive(Clone, Copy, Debug)]
pub enum BlockDemand {
    /// Exactly this.
    Exact(u32),
    /// At most this.
    AtMost(u32),
}

/// What one pass found out about the registers that a function needs, for the next one.
#[derive(Clone, Debug)]
pub struct Demand {
    /// Liveness.
    pub live: Liveness,
    /// Half registers live at the end of each block, by id, once something asked for them.
    live_out: OnceCell<Vec<u32>>,
    /// What is known of each block, by id.
    blocks: Vec<BlockDemand>,
}

impl Demand {
    /// The demand of `f` as it is, if only liveness is known.
    pub fn new(f: &Function<'_>, live: Liveness) -> Demand {
        let blocks = vec![BlockDemand::AtMost(u32::MAX); f.blocks.len()];
        Demand { live, live_out: OnceCell::new(), blocks }
    }

    /// Half registers live at the end of each block of `f`, by id.
    pub fn live_out(&self, f: &Function<'_>) -> &[u32] {
        self.live_out.get_or_init(|| self.live.halves_out(f))
    }

    /// Records the demand of a block.
    pub fn set(&mut self, block: Block, demand: BlockDemand) {
        self.blocks[block.0 as usize] = demand;
    }

    /// Whether liveness and the highest demand are those of `f`. A block needs what lives at its head, too, which counts at the
    /// ends of the blocks before it.
    pub fn is_of(&self, f: &Function<'_>) -> bool {
        let (scratch, live) = (Bump::new(), liveness(f));
        let has_same_values = |block: Block| {
            self.live.live_in(block).eq(live.live_in(block))
                && self.live.live_out(block).eq(live.live_out(block))
        };
        f.blocks_in_order().all(has_same_values)
            && self.highest(f, &scratch) == pressure(f, &live, &scratch).max
    }

    /// The highest demand of a block of `f`, with temporary tables in `scratch`.
    pub fn highest(&self, f: &Function<'_>, scratch: &Bump) -> u16 {
        let known = |block: Block| self.blocks[block.0 as usize];
        let exact = f.blocks_in_order().map(|block| match known(block) {
            BlockDemand::Exact(demand) => demand,
            BlockDemand::AtMost(_) => 0,
        });
        let mut highest = exact.max().unwrap_or(0);
        let mut walk = None;
        for block in f.blocks_in_order() {
            if matches!(known(block), BlockDemand::AtMost(most) if most > highest) {
                let walk = walk.get_or_insert_with(|| Walk::new_in(scratch, f));
                let live_out = self.live_out(f)[block.0 as usize];
                highest = highest.max(walk.demand(f, &self.live, block, live_out));
            }
        }
        in_halves(highest)
    }
}

/// Backward walks through blocks, from the values that are live at their ends.
pub struct Walk<'s> {
    /// Number of the walk, counted from 1, in which each value was last marked as live.
    pub live_in_round: ScratchSide<'s, Value, u32>,
    /// Number of the last walk.
    pub round: u32,
    /// Half registers live at the head of the block that was walked through last, without those of its phis.
    pub at_head: u32,
}

impl<'s> Walk<'s> {
    /// A walk through blocks of `f`, with temporary tables in `scratch`.
    pub fn new_in(scratch: &'s Bump, f: &Function<'_>) -> Walk<'s> {
        Walk { live_in_round: ScratchSide::later_in(scratch, f.values.len()), round: 0, at_head: 0 }
    }

    /// The highest demand in `block`, given `live_out` half registers live at its end.
    pub fn demand(&mut self, f: &Function<'_>, live: &Liveness, block: Block, live_out: u32) -> u32 {
        let halves = |value: Value| u32::from(f.ty(value).halves());
        self.round += 1;
        let insts = &f.block(block).insts;
        f.watch.visit(1 + insts.len() / 4);
        let (mut used, mut max) = (live_out, live_out);
        for inst in insts.iter().rev() {
            let data = &f.insts[*inst];
            let (mut dead, mut begun) = (0, 0);
            for dst in data.dsts {
                if self.live_in_round[*dst] == self.round || live.is_live_out(block, *dst) {
                    self.live_in_round[*dst] = 0;
                    begun += halves(*dst);
                } else if dead_result_needs_register(data.op) {
                    dead += halves(*dst);
                }
            }
            let apart = if data.op.keeps_apart() { self.ending_apart(f, live, block, data) } else { 0 };
            max = max.max(used + dead + apart);
            used -= begun;
            if data.op != Op::Ir(IrOp::Phi) {
                for value in data.srcs.iter().filter_map(|src| src.as_value()) {
                    if std::mem::replace(&mut self.live_in_round[value], self.round) != self.round {
                        // What lives at the end is counted from the start.
                        used += if live.is_live_out(block, value) { 0 } else { halves(value) };
                    }
                }
            }
        }
        self.at_head = used;
        max.max(used)
    }

    /// Half registers of sources that end at an instruction and must share no register with its results.
    #[cold]
    fn ending_apart(&self, f: &Function<'_>, live: &Liveness, block: Block, data: &InstData<'_>) -> u32 {
        let ends =
            |value: &Value| self.live_in_round[*value] != self.round && !live.is_live_out(block, *value);
        let values = apart_sources(data).iter().filter_map(|src| src.as_value()).filter(ends);
        values.map(|value| u32::from(f.ty(value).halves())).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::liveness::liveness;
    use crate::ir::Build;
    use crate::ir::builder::Builder;
    use crate::ir::types::Type;

    #[test]
    fn results_take_the_place_of_sources_that_end() {
        let bump = Bump::new();
        let mut f = Function::new(&bump, "test");
        let mut b = Builder::start(&mut f);
        let wide = b.value(IrOp::Preload, Type::vector(32, 4), &[], &[8]);
        let parts: Vec<Value> = (0..4).map(|_| b.f.add_value(Type::B32)).collect();
        b.push(IrOp::Split, &parts, &[wide.into()], &[]);
        let sum = b.value(IrOp::Imul, Type::B16, &[parts[0].into(), parts[0].into()], &[]);
        b.effect(IrOp::Keep, &[sum.into(), parts[1].into()], &[]);
        b.finish();
        let live = liveness(&f);
        let scratch = Bump::new();
        assert_eq!(pressure(&f, &live, &scratch).max, 8, "two of the parts are never read");
        let mut last = LastUses::new_in(&scratch, &f);
        let start = last.enter(&f, f.entry());
        assert!(last.ends_at(&live, parts[0], start + 2) && !last.ends_at(&live, parts[1], start + 2));
        assert!(last.is_dead(&live, parts[3]) && !last.is_dead(&live, sum));
    }
}
