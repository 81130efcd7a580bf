//! Chooses the values resident at the heads of blocks, and makes predecessors provide them.

use crate::analysis::next_use::NEVER;
use crate::error::CompileError;
use crate::ir::entity::{Block, Inst, Value};
use crate::ir::function::{InstData, InstList};
use crate::ir::op::{IrOp, Op};
use crate::ir::src::Src;
use crate::ir::table::Side;

use super::{Resident, Spiller};

/// Distances from here on indicate uses after a loop.
const AFTER_LOOP: u32 = 50_000;

/// The resident values at the boundaries of a block that has been walked.
#[derive(Clone, Debug, Default)]
pub(super) struct Border {
    done: bool,
    head: Vec<Resident>,
    /// By id of value.
    end: Vec<Resident>,
    /// The block's own phis that are read, including phis of stack slots.
    own: Vec<Inst>,
    /// Phis inserted at the head, with the values they represent.
    inserted: Vec<(Value, Inst)>,
}

fn find(list: &[Resident], value: Value) -> Option<Value> {
    let found = list.binary_search_by_key(&value, |resident| resident.value).ok()?;
    Some(list[found].name)
}

/// A value that may be resident at the head of a block.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Candidate {
    /// Candidates of class 0 come before those of class 1.
    class: u8,
    distance: u32,
    value: Value,
    is_phi: bool,
}

impl<'a> Spiller<'_, 'a> {
    /// Chooses the resident values at the head of `block` and makes the predecessors walked so far provide
    /// them.
    pub(super) fn enter(&mut self, block: Block) {
        self.resident.clear();
        let all = self.f.block(block).preds.clone();
        let reachable = all.iter().filter(|pred| self.reachable.is_reachable(**pred)).count();
        let preds: Vec<Block> = all.iter().copied().filter(|pred| self.borders[*pred].done).collect();
        let is_header = reachable > preds.len();
        let phis: Vec<Inst> = self.f.block(block).insts[..self.f.phi_count(block)].to_vec();
        let is_read = |phi: &Inst| self.f.insts[*phi].dst().is_some_and(|dst| self.next_use(dst) != NEVER);
        let phis: Vec<Inst> = phis.into_iter().filter(is_read).collect();
        self.borders[block].own = phis.clone();
        if let ([pred], [], false) = (&preds[..], &phis[..], is_header) {
            let live = self.live;
            let end = &self.borders[*pred].end;
            self.resident
                .extend(end.iter().copied().filter(|resident| live.is_live_in(block, resident.value)));
            return;
        }
        let chosen = self.choose(block, &preds, &phis, is_header);
        let keeps_names = !is_header || u32::from(self.loop_demand[block]) <= self.budget;
        let mut names: Vec<Vec<Value>> = Vec::with_capacity(preds.len());
        for pred in &preds {
            names.push(self.provide(*pred, &phis, &chosen));
        }
        for (index, value) in chosen.iter().copied().enumerate() {
            let first = names.first().map_or(value, |names| names[index]);
            let agree = names.iter().all(|names| names[index] == first);
            let name = if agree && keeps_names {
                first
            } else {
                let sources = preds.iter().copied().zip(names.iter().map(|names| names[index]));
                self.insert_phi(block, value, &all, &sources.collect::<Vec<_>>())
            };
            self.resident.push(Resident::new(self.f, value, name, NEVER));
        }
        self.borders[block].head = self.resident.to_vec();
        for phi in &phis {
            if let Some(dst) = self.f.insts[*phi].dst().filter(|dst| !self.memory.is_memory_phi(*dst)) {
                self.resident.push(Resident::new(self.f, dst, dst, NEVER));
            }
        }
    }

    /// Chooses the live-in values to keep resident, by id. Phis that do not fit become phis of stack slots.
    fn choose(&mut self, block: Block, preds: &[Block], phis: &[Inst], is_header: bool) -> Vec<Value> {
        let mut candidates: Vec<Candidate> = Vec::new();
        let mut through = 0;
        for value in self.live.live_in(block) {
            let distance = self.next.after_head(self.live, block, value);
            let held = preds.iter().filter(|pred| find(&self.borders[**pred].end, value).is_some()).count();
            let class =
                if is_header { u8::from(distance >= AFTER_LOOP) } else { u8::from(held < preds.len()) };
            if is_header && class == 1 {
                through += self.halves(value);
            }
            if is_header || held > 0 {
                candidates.push(Candidate { class, distance, value, is_phi: false });
            }
        }
        for dst in phis.iter().filter_map(|phi| self.f.insts[*phi].dst()) {
            candidates.push(Candidate { class: 0, distance: self.next_use(dst), value: dst, is_phi: true });
        }
        candidates.sort_unstable();
        // Values that live through a loop without use get only the registers that the loop itself leaves.
        let inside = u32::from(self.loop_demand[block]).saturating_sub(through);
        let mut left_through = if is_header { self.budget.saturating_sub(inside) } else { u32::MAX };
        let mut left = self.budget;
        let (mut chosen, mut homeless) = (Vec::new(), Vec::new());
        for candidate in candidates {
            let halves = self.halves(candidate.value);
            let fits = halves <= left && (candidate.class == 0 || halves <= left_through);
            if fits {
                left -= halves;
                left_through -= if candidate.class == 1 { halves.min(left_through) } else { 0 };
            }
            match (fits, candidate.is_phi) {
                (true, false) => chosen.push(candidate.value),
                (false, true) => homeless.push(candidate.value),
                _ => {}
            }
        }
        chosen.sort_unstable();
        self.memory.add_phis(self.f, block, phis, &homeless);
        chosen
    }

    /// Inserts a phi for `value` at the head of the block being entered.
    fn insert_phi(
        &mut self,
        block: Block,
        value: Value,
        preds: &[Block],
        sources: &[(Block, Value)],
    ) -> Value {
        let ty = self.f.ty(value);
        let name = self.f.add_value(ty);
        let mut sources = sources.iter().copied().peekable();
        let source = |pred: &Block| match sources.next_if(|(from, _)| from == pred) {
            Some((_, name)) => Src::value(name),
            // A back edge, to be filled in later, or an edge that is never taken.
            None => Src::imm(0, ty.bits),
        };
        let srcs: Vec<Src> = preds.iter().map(source).collect();
        let mods: Vec<u32> = preds.iter().map(|pred| pred.0).collect();
        let data = InstData {
            op: Op::Ir(IrOp::Phi),
            dsts: self.f.alloc(&[name]),
            srcs: self.f.alloc(&srcs),
            mods: self.f.alloc(&mods),
            line: 0,
        };
        let phi = self.f.add_inst(data);
        self.out.push(phi);
        self.borders[block].inserted.push((value, phi));
        self.memory.rename(value, name);
        name
    }

    /// Appends to the end of `pred` what its successor requires: stores to memory phis, and loads of values
    /// not resident there. Returns the names of the `chosen` values and fills in the sources of register
    /// phis.
    fn provide(&mut self, pred: Block, phis: &[Inst], chosen: &[Value]) -> Vec<Value> {
        let mut tail = self.f.inst_list();
        let terminator = self.f.terminator(pred);
        let line = terminator.map_or(0, |inst| self.f.insts[inst].line);
        self.provide_memory_phis(pred, phis, &mut tail, line);
        self.round += 1;
        let mut names = Vec::with_capacity(chosen.len());
        for value in chosen {
            let name = match find(&self.borders[pred].end, *value) {
                Some(name) => name,
                None => self.load_once(pred, *value, &mut tail, line),
            };
            names.push(name);
        }
        for phi in phis {
            let data = self.f.insts[*phi];
            if data.dst().is_none_or(|dst| self.memory.is_memory_phi(dst)) {
                continue;
            }
            let Some(value) = self.inputs.source(&data, pred).and_then(|src| src.as_value()) else {
                continue;
            };
            let name = match find(&self.borders[pred].end, value) {
                Some(name) => name,
                None => self.load_once(pred, value, &mut tail, line),
            };
            self.inputs.set(self.f, *phi, pred, name);
        }
        let insts = &mut self.f.block_mut(pred).insts;
        let place = insts.len() - usize::from(terminator.is_some());
        insts.splice(place..place, tail);
        names
    }

    /// Appends to the end of `pred` the stores for those of `phis` that are phis of stack slots.
    fn provide_memory_phis(&mut self, pred: Block, phis: &[Inst], tail: &mut InstList<'_>, line: u32) {
        for phi in phis {
            let data = self.f.insts[*phi];
            let Some(dst) = data.dst().filter(|dst| self.memory.is_memory_phi(*dst)) else { continue };
            let Some(src) = self.inputs.source(&data, pred) else { continue };
            if src.as_value() == Some(dst) {
                self.memory.keep(dst, pred);
                continue;
            }
            let name = match src.as_value() {
                Some(value) => match find(&self.borders[pred].end, value) {
                    Some(name) => name.into(),
                    None => {
                        let held = |value| find(&self.borders[pred].end, value);
                        self.memory.reload(self.f, value, held, tail, line).into()
                    }
                },
                None => src,
            };
            self.memory.store_to_phi(self.f, dst, (src.as_value(), name), (pred, line), tail);
        }
    }

    /// The name under which the current call of [`Self::provide`] loads `value`.
    fn load_once(&mut self, pred: Block, value: Value, tail: &mut InstList<'_>, line: u32) -> Value {
        if let (round, Some(name)) = self.loaded[value]
            && round == self.round
        {
            return name;
        }
        let held = |value| find(&self.borders[pred].end, value);
        let name = self.memory.reload(self.f, value, held, tail, line);
        self.loaded[value] = (self.round, Some(name));
        name
    }

    /// Ends a block: records the resident values and provides for the headers that back edges target.
    pub(super) fn close(&mut self, block: Block) -> Result<(), CompileError> {
        let live = self.live;
        let mut end: Vec<Resident> = self
            .resident
            .iter()
            .copied()
            .filter(|resident| live.is_live_out(block, resident.value))
            .collect();
        end.sort_unstable_by_key(|resident| resident.value);
        let border = &mut self.borders[block];
        border.end = end;
        border.done = true;
        for index in 0..self.f.block(block).succs.len() {
            let header = self.f.block(block).succs[index];
            if self.borders[header].done {
                self.provide_on_back_edge(block, header)?;
            }
        }
        Ok(())
    }

    fn provide_on_back_edge(&mut self, block: Block, header: Block) -> Result<(), CompileError> {
        let own = self.borders[header].own.clone();
        let inserted = self.borders[header].inserted.clone();
        let head = self.borders[header].head.clone();
        let chosen: Vec<Value> = head.iter().map(|resident| resident.value).collect();
        let names = self.provide(block, &own, &chosen);
        for (resident, name) in head.iter().zip(names) {
            match inserted.iter().find(|(value, _)| *value == resident.value) {
                Some((_, phi)) => self.inputs.set(self.f, *phi, block, name),
                None if name != resident.name => {
                    return Err(CompileError::internal(format!(
                        "spill: {} changes its name in a loop that should not spill",
                        resident.value
                    )));
                }
                None => {}
            }
        }
        Ok(())
    }

    /// Removes inserted phis that turned out to have a single name as source.
    pub(super) fn replace_trivial_phis(&mut self) {
        let mut replaced: Side<Value, Option<Value>> = Side::new(self.f.values.len());
        let resolve = |replaced: &Side<Value, Option<Value>>, mut name: Value| {
            while let Some(other) = replaced[name] {
                name = other;
            }
            name
        };
        let mut changed = true;
        while changed {
            changed = false;
            for (_, phi) in self.f.blocks_in_order().flat_map(|block| &self.borders[block].inserted) {
                self.f.watch.visit(1);
                let data = self.f.insts[*phi];
                let Some(dst) = data.dst().filter(|dst| replaced[*dst].is_none()) else { continue };
                let names = data.srcs.iter().filter_map(|src| src.as_value());
                let mut others = names.map(|name| resolve(&replaced, name)).filter(|name| *name != dst);
                if let Some(first) = others.next()
                    && others.all(|name| name == first)
                {
                    replaced[dst] = Some(first);
                    changed = true;
                }
            }
        }
        for block in self.f.blocks_in_order() {
            self.f.watch.visit(1);
            let mut insts = self.f.take_insts(block);
            let stays = |inst: &Inst| {
                let data = &self.f.insts[*inst];
                data.op != Op::Ir(IrOp::Phi) || data.dst().is_none_or(|dst| replaced[dst].is_none())
            };
            insts.retain(stays);
            for inst in &insts {
                let data = self.f.insts[*inst];
                let read = data.srcs.iter().filter_map(|src| src.as_value());
                if read.into_iter().any(|name| replaced[name].is_some()) {
                    let new_name = |src: &Src| match src.as_value() {
                        Some(name) => Src { payload: Src::value(resolve(&replaced, name)).payload, ..*src },
                        None => *src,
                    };
                    let srcs: Vec<Src> = data.srcs.iter().map(new_name).collect();
                    self.f.insts[*inst].srcs = self.f.alloc(&srcs);
                }
            }
            self.f.block_mut(block).insts = insts;
        }
    }
}
