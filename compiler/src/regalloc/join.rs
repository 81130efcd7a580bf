//! Locations of values at the head of a block, and the copies at the ends of its predecessors that establish
//! them.
//!
//! A block with one predecessor inherits that predecessor's final state. At a join, values with the same name
//! in all predecessors stay in place; others keep one predecessor's name if its register is free; phis prefer
//! a register of one of their sources. A loop header is a join whose back-edge predecessors are not known
//! yet: they move values back to where the header expects them.

use bumpalo::collections::Vec as ArenaVec;

use crate::analysis::liveness::Liveness;
use crate::error::{BackEndError, CompileError};
use crate::ir::entity::{Block, Inst, Value};
use crate::ir::src::Src;

use super::assign::{Assigner, name_in};
use super::file::{HalfSet, RegisterFile};

/// A live value at a join with its names in the predecessors known so far, in their order.
struct Incoming<'n> {
    value: Value,
    names: &'n [Value],
}

impl Incoming<'_> {
    fn agreed(&self) -> Option<Value> {
        self.names.iter().all(|name| *name == self.names[0]).then(|| self.names[0])
    }
}

/// The names of the values that are live at the head of `block` at the ends of `preds`: those of a value are consecutive.
fn names_in(assigner: &Assigner<'_, '_>, preds: &[Block], block: Block) -> Vec<Value> {
    let mut names = Vec::new();
    for value in assigner.live.live_in(block) {
        names.extend(preds.iter().map(|pred| name_in(assigner.borders[*pred].end, value)));
    }
    names
}

/// Places the phis of a join, and values for which no register was found so far; `false` if something does not fit.
fn place_phis(
    assigner: &mut Assigner<'_, '_>,
    mut homeless: Vec<Value>,
    phis: &[Inst],
    preds: &[Block],
) -> bool {
    for phi in phis {
        let data = assigner.f.insts[*phi];
        let Some(dst) = data.dst().filter(|dst| assigner.needs_register(&data, *dst)) else { continue };
        let shape = assigner.shape(dst);
        let sources = data.phi_inputs().filter_map(|(pred, src)| {
            let end = preds.contains(&pred).then(|| assigner.borders[pred].end)?;
            assigner.allocation.half(name_in(end, src.as_value()?))
        });
        let (exported, web) = (assigner.affinity.exported_to(dst), assigner.affinity.web_place(dst));
        match exported.into_iter().chain(sources).chain(web).find(|half| assigner.fits(*half, shape)) {
            Some(half) => assigner.put(dst, half),
            None => homeless.push(dst),
        }
    }
    assigner.sort_for_packing(&mut homeless);
    let mut free = assigner.file.free().and(assigner.usable);
    let Some(places) = assigner.pack_low(&homeless, &mut free) else { return false };
    for (name, half) in places {
        assigner.settle(name, half, &[]);
    }
    true
}

/// The values that are live at the head of `block` with their `names` in `preds`.
fn incoming<'n>(live: &Liveness, block: Block, names: &'n [Value], preds: &[Block]) -> Vec<Incoming<'n>> {
    let names = names.chunks(preds.len().max(1));
    let mut incoming = Vec::with_capacity(names.len());
    incoming.extend(live.live_in(block).zip(names).map(|(value, names)| Incoming { value, names }));
    incoming
}

/// The registers of phis.
fn places_of(assigner: &Assigner<'_, '_>, phis: &[Inst]) -> HalfSet {
    let place = |phi: &Inst| {
        let dst = assigner.f.insts[*phi].dst()?;
        Some(HalfSet::range(assigner.allocation.half(dst)?, assigner.f.ty(dst).halves()))
    };
    phis.iter().filter_map(place).fold(HalfSet::EMPTY, HalfSet::or)
}

fn undefined() -> CompileError {
    CompileError::internal("a value is used where it is not defined")
}

impl<'a> Assigner<'_, 'a> {
    /// Sets names and registers for the head of `block`, and adds copies to the predecessors that have been
    /// walked, `previous` last.
    ///
    /// # Errors
    /// The values needed there do not fit.
    pub(super) fn enter(&mut self, block: Block, previous: Option<Block>) -> Result<(), CompileError> {
        self.shared.clear();
        self.flight.clear();
        self.affinity.claims.enter_block();
        let scratch = self.ending.bump();
        let phis = &self.f.block(block).insts[..self.f.phi_count(block)];
        if self.f.block(block).preds.len() <= 1 && phis.is_empty() {
            return self.continue_from_predecessor(block, previous);
        }
        self.names.clear();
        self.file.clear();
        let phis = &*scratch.alloc_slice_copy(phis);
        let preds = self.f.block(block).preds.iter().copied().filter(|pred| self.borders[*pred].done);
        let preds: &[Block] = ArenaVec::from_iter_in(preds, scratch).into_bump_slice();
        if preds.is_empty() && self.live.live_in(block).next().is_some() {
            return Err(undefined());
        }
        let has_moved = preds.iter().any(|pred| !self.borders[*pred].end.is_empty());
        let is_placed = if has_moved {
            let names = names_in(self, preds, block);
            self.place_at_join(&incoming(self.live, block, &names, preds), phis, preds)
        } else {
            let live = self.live;
            live.live_in(block).for_each(|value| self.resume(value, value));
            place_phis(self, Vec::new(), phis, preds)
        };
        if !is_placed {
            let names = names_in(self, preds, block);
            self.pack_at_join(&incoming(self.live, block, &names, preds), phis)?;
        }
        self.borders[block].head = self.names.sorted(scratch);
        for pred in preds {
            self.copy_on_edge(*pred, block);
        }
        if preds.len() < self.f.block(block).preds.len() {
            self.affinity.claims.enter_loop(block, places_of(self, phis));
        }
        Ok(())
    }

    /// Continues with the values at the end of the only predecessor of `block`, if there is one.
    fn continue_from_predecessor(
        &mut self,
        block: Block,
        previous: Option<Block>,
    ) -> Result<(), CompileError> {
        let pred = self.f.block(block).preds.first().copied().filter(|pred| self.borders[*pred].done);
        let live = self.live;
        if let Some(pred) = pred.filter(|pred| previous == Some(*pred) && self.names.is_empty()) {
            // Everything else is in its place. These values are read in an else arm, if anywhere.
            for value in live.ended_between(pred, block) {
                let (half, halves) = self.place_of(value);
                self.file.release(half, halves);
                self.flight.avoid(half, halves);
            }
            return Ok(());
        }
        self.names.clear();
        self.file.clear();
        for value in live.live_in(block) {
            let end = pred.map(|pred| self.borders[pred].end).ok_or_else(undefined)?;
            let name = name_in(end, value);
            self.resume(value, name);
        }
        Ok(())
    }

    /// Continues `value` under `name`, in that name's register.
    fn resume(&mut self, value: Value, name: Value) {
        if name != value {
            self.names.set(value, name);
        }
        let (half, halves) = self.place_of(name);
        self.file.take(name, half, halves);
    }

    /// Places everything without moving values on which all predecessors agree; `false` if something does not
    /// fit.
    fn place_at_join(&mut self, incoming: &[Incoming<'_>], phis: &[Inst], preds: &[Block]) -> bool {
        for Incoming { value, names } in incoming.iter().filter(|incoming| incoming.agreed().is_some()) {
            self.resume(*value, names[0]);
        }
        let mut homeless = Vec::new();
        for Incoming { value, names } in incoming.iter().filter(|incoming| incoming.agreed().is_none()) {
            let free = names.iter().copied().find(|name| {
                let (half, halves) = self.place_of(*name);
                self.file.is_free(half, halves)
            });
            match free {
                Some(name) => self.resume(*value, name),
                None => homeless.push(names[0]),
            }
        }
        place_phis(self, homeless, phis, preds)
    }

    /// Repacks everything; values on which all predecessors agree may move too.
    fn pack_at_join(&mut self, incoming: &[Incoming<'_>], phis: &[Inst]) -> Result<(), CompileError> {
        self.names.clear();
        self.file = RegisterFile::new();
        let mut items: Vec<Value> = incoming.iter().map(|incoming| incoming.names[0]).collect();
        for phi in phis {
            let data = self.f.insts[*phi];
            if let Some(dst) = data.dst().filter(|dst| self.needs_register(&data, *dst)) {
                // The attempt without repacking may have placed it.
                self.allocation.reg[dst] = None;
                items.push(dst);
            }
        }
        self.sort_for_packing(&mut items);
        let mut free: HalfSet = self.usable;
        let Some(places) = self.pack_low(&items, &mut free) else {
            return Err(BackEndError::Registers { what: "at the head of a block".to_owned() }.into());
        };
        for (name, half) in places {
            let value = self.origin[name].unwrap_or(name);
            let names =
                incoming.iter().find(|incoming| incoming.value == value).map(|incoming| incoming.names);
            self.settle(name, half, names.unwrap_or_default());
        }
        Ok(())
    }

    /// Places a phi, or the value that a predecessor's name denotes, at `half`: under one of `names` if it is
    /// located there, else under a new name.
    fn settle(&mut self, name: Value, half: u16, names: &[Value]) {
        if self.allocation.reg[name].is_none() {
            self.put(name, half);
        } else if let Some(known) =
            names.iter().copied().find(|name| self.allocation.half(*name) == Some(half))
        {
            self.resume(self.origin[known].unwrap_or(known), known);
        } else {
            let new = self.new_name(name, half);
            self.resume(self.origin[new].unwrap_or(new), new);
        }
    }

    /// At the end of a block, moves values to where its already walked successors expect them: back edges.
    pub(super) fn leave(&mut self, block: Block) {
        for index in 0..self.f.block(block).succs.len() {
            let successor = self.f.block(block).succs[index];
            if self.borders[successor].done {
                self.copy_on_edge(block, successor);
                if self.f.block(successor).preds.iter().all(|pred| self.borders[*pred].done) {
                    self.affinity.claims.leave_loop(successor);
                }
            }
        }
    }

    /// Appends the copies required by the edge to `pred`.
    fn copy_on_edge(&mut self, pred: Block, block: Block) {
        let mut moves: Vec<(Value, Src)> = Vec::new();
        let (end, head) = (self.borders[pred].end, self.borders[block].head);
        let mut moved: Vec<Value> = end.iter().chain(head).map(|(value, _)| *value).collect();
        moved.sort_unstable();
        moved.dedup();
        for value in moved.into_iter().filter(|value| self.live.is_live_in(block, *value)) {
            let (from, to) = (name_in(end, value), name_in(head, value));
            if from != to {
                moves.push((to, Src::value(from)));
            }
        }
        for phi in &self.f.block(block).insts[..self.f.phi_count(block)] {
            let data = self.f.insts[*phi];
            let dst = data.dst().and_then(|dst| Some((dst, self.allocation.half(dst)?)));
            let src = data.phi_input_from(pred);
            if let (Some((dst, half)), Some(src)) = (dst, src) {
                let name = src.as_value().map(|value| name_in(end, value));
                if name.and_then(|name| self.allocation.half(name)) != Some(half) {
                    moves.push((dst, name.map_or(src, Src::value)));
                }
            }
        }
        if moves.is_empty() {
            return;
        }
        let terminator = self.f.terminator(pred);
        let line = terminator.map_or(0, |inst| self.f.insts[inst].line);
        let copy = self.copy(moves.iter().copied(), line);
        let insts = &mut self.f.block_mut(pred).insts;
        insts.insert(insts.len() - usize::from(terminator.is_some()), copy);
    }
}
