//! Replaces later uses of values that were gathered into a vector by its components.
//!
//! A vector is a run of registers, and a `collect` copies values that are used again later: three moves for
//! each of six accesses at `(u, v, layer)` with different layers. If gathered values are used again after the
//! last use of the vector, the later uses read them from the vector through a `split`. The next vector that
//! has the same value in the same position continues in the same registers, and only the different components
//! are moved.
//!
//! The register allocator assigns the parts of a `split`, and vectors collected from them in the same
//! positions, the same registers.
//!
//! Before: stage machine. After: the same.

use bumpalo::Bump;
use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;

use crate::analysis::uses::uses;
use crate::ir::{Block, Function, Inst, InstData, IrOp, Op, ScratchSide, Src, Value};

type Map<K, V> = HashMap<K, V, FxBuildHasher>;

/// Replaces later uses of values that were gathered into a vector by its components. Returns the blocks in which it did.
pub fn opt_share_vectors(f: &mut Function<'_>) -> Vec<Block> {
    let is_collect = |inst: &Inst| f.insts[*inst].op == Op::Ir(IrOp::Collect);
    if f.present.may_have_op(IrOp::Collect)
        && f.blocks_in_order().any(|block| f.block(block).insts.iter().any(is_collect))
    {
        return f.with_scratch(share_all);
    }
    Vec::new()
}

fn share_all(f: &mut Function<'_>, scratch: &Bump) -> Vec<Block> {
    let mut sharer = Sharer {
        uses: ScratchSide::later_in(scratch, f.values.len()),
        number: 0,
        names: Map::default(),
        total: uses(f, scratch),
        f,
    };
    let blocks = sharer.f.blocks_in_order();
    blocks.filter(|block| sharer.visit(*block)).collect()
}

/// A vector whose components have uses after it.
struct Shared {
    vector: Value,
    /// Position of the `collect`, and of the last use of the vector.
    from: u32,
    to: u32,
    /// The values to read from it, by position.
    parts: Vec<Option<Value>>,
}

/// The uses of a value in a block.
#[derive(Clone, Copy, Default)]
struct Uses {
    /// The block, plus one.
    block: u32,
    /// Their number.
    count: u32,
    /// Position of the last one, counted from 1.
    last: u32,
    /// Position of the last one so far.
    seen: u32,
}

struct Sharer<'f, 's, 'a> {
    f: &'f mut Function<'a>,
    /// Number of uses of each value.
    total: ScratchSide<'s, Value, u32>,
    /// Its uses in the last block with any that was counted.
    uses: ScratchSide<'s, Value, Uses>,
    /// The block that was counted last, plus one.
    number: u32,
    /// The current replacement of a value.
    names: Map<Value, Value>,
}

impl Sharer<'_, '_, '_> {
    /// Returns whether the block changed.
    fn visit(&mut self, block: Block) -> bool {
        if !self.f.block(block).insts.iter().any(|inst| self.may_share(&self.f.insts[*inst])) {
            return false;
        }
        self.count(block);
        let mut pending = self.shared(block);
        if pending.is_empty() {
            return false;
        }
        pending.sort_by_key(|shared| std::cmp::Reverse(shared.to));
        self.names.clear();
        let insts = self.f.take_insts(block);
        let mut out = self.f.inst_list();
        out.reserve(insts.len());
        for (position, inst) in (1..).zip(&insts) {
            self.rename(*inst, position);
            out.push(*inst);
            while let Some(shared) = pending.pop_if(|shared| shared.to == position) {
                out.extend(self.take_apart(&shared, self.f.insts[*inst].line));
            }
        }
        self.f.block_mut(block).insts = out;
        true
    }

    /// Whether an instruction gathers a value that is read again: a value with a single use cannot be shared.
    fn may_share(&self, data: &InstData<'_>) -> bool {
        let is_read_again = |src: &Src| src.as_value().is_some_and(|value| self.total[value] > 1);
        data.op == Op::Ir(IrOp::Collect) && data.srcs.iter().any(is_read_again)
    }

    /// Counts the uses within a block.
    fn count(&mut self, block: Block) {
        self.number = block.0 + 1;
        for (position, inst) in (1..).zip(&self.f.block(block).insts) {
            let data = &self.f.insts[*inst];
            // A phi reads at the end of the predecessor.
            if data.op == Op::Ir(IrOp::Phi) {
                continue;
            }
            for value in data.srcs.iter().filter_map(|src| src.as_value()) {
                let uses = &mut self.uses[value];
                let count = if uses.block == self.number { uses.count + 1 } else { 1 };
                *uses = Uses { block: self.number, count, last: position, seen: 0 };
            }
        }
    }

    /// The uses of a value in the block that was counted last.
    fn in_block(&self, value: Value) -> Uses {
        let uses = self.uses[value];
        if uses.block == self.number { uses } else { Uses::default() }
    }

    /// The vectors of a block to read values from. Walks backward, so that the components of later vectors
    /// are known.
    fn shared(&self, block: Block) -> Vec<Shared> {
        let mut found = Vec::new();
        let mut next: Map<(Value, usize), u32> = Map::default();
        let mut collected: Map<Value, u32> = Map::default();
        let insts = &self.f.block(block).insts;
        for (index, inst) in insts.iter().enumerate().rev() {
            let position = index as u32 + 1;
            let data = &self.f.insts[*inst];
            let (Op::Ir(IrOp::Collect), Some(vector)) = (data.op, data.dst()) else { continue };
            let to = self.in_block(vector).last;
            let is_local = |value: &Value| self.in_block(*value).count == self.total[*value];
            if self.total[vector] > 0 && is_local(&vector) {
                // The next vector with one of the values in its position continues here.
                let place = |(at, src): (usize, &Src)| next.get(&(src.as_value()?, at)).copied();
                let heir = data.srcs.iter().enumerate().filter_map(place).min();
                let wanted = |(at, src): (usize, &Src)| {
                    let value =
                        src.as_value().filter(|value| is_local(value) && self.in_block(*value).last > to)?;
                    let is_single = self.f.ty(value).comps == 1 && self.f.ty(value).bits <= 32;
                    let is_once = data.srcs.iter().filter(|other| **other == *src).count() == 1;
                    let stays = match heir {
                        Some(heir) if next.get(&(value, at)) == Some(&heir) => heir > to,
                        Some(heir) => !collected.contains_key(&value) && self.in_block(value).last < heir,
                        None => !collected.contains_key(&value),
                    };
                    (is_single && is_once && stays).then_some(value)
                };
                let parts = data.srcs.iter().enumerate().map(wanted);
                if parts.clone().any(|part| part.is_some()) {
                    found.push(Shared { vector, from: position, to, parts: parts.collect() });
                }
            }
            // A value without other uses is in no other vector.
            let is_read_again = |value: &Value| self.total[*value] > 1;
            for (at, value) in data
                .srcs
                .iter()
                .enumerate()
                .filter_map(|(at, src)| Some((at, src.as_value().filter(is_read_again)?)))
            {
                next.insert((value, at), position);
                collected.insert(value, position);
            }
        }
        found
    }

    /// Replaces sources by their current replacements.
    fn rename(&mut self, inst: Inst, position: u32) {
        let data = self.f.insts[inst];
        if data.op == Op::Ir(IrOp::Phi) {
            return;
        }
        let mut changed = false;
        for value in data.srcs.iter().filter_map(|src| src.as_value()) {
            self.uses[value].seen = position;
            changed |= self.names.contains_key(&value);
        }
        if changed {
            let renamed = |src: &Src| {
                let name = src.as_value().and_then(|value| self.names.get(&value));
                name.map_or(*src, |name| Src { payload: Src::value(*name).payload, ..*src })
            };
            let srcs: Vec<Src> = data.srcs.iter().map(renamed).collect();
            self.f.insts[inst].srcs = self.f.alloc(&srcs);
        }
    }

    /// The `split` of a vector after its last use, unless its parts were already used.
    fn take_apart(&mut self, shared: &Shared, line: u32) -> Option<Inst> {
        let vector = self.names.get(&shared.vector).copied().unwrap_or(shared.vector);
        let is_free = |value: &Value| self.uses[*value].seen <= shared.from;
        let parts: Vec<Option<Value>> = shared.parts.iter().map(|part| part.filter(is_free)).collect();
        if parts.iter().all(Option::is_none) {
            return None;
        }
        let def = self.f.values[shared.vector].def?;
        let InstData { srcs, .. } = self.f.insts[def];
        let mut dsts = Vec::with_capacity(srcs.len());
        for (src, part) in srcs.iter().zip(&parts) {
            let name = self.f.add_value(self.f.src_ty(*src));
            if let Some(value) = part {
                self.names.insert(*value, name);
            }
            dsts.push(name);
        }
        Some(self.f.make_inst(IrOp::Split, &dsts, &[vector.into()], &[], line))
    }
}
