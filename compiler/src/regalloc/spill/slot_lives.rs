//! Live ranges of stack slots.

use agx_isa::table::Opcode;
use bumpalo::Bump;
use bumpalo::collections::Vec as ArenaVec;

use super::slots::Slots;
use crate::ir::entity::{Block, Inst};
use crate::ir::function::{Function, Seam};
use crate::ir::op::Op;
use crate::ir::table::Side;

/// Maximum number of visited blocks per instruction of the function, before live ranges are approximated by a
/// single stretch.
const BLOCKS_PER_INST: usize = 16;

/// Positions from `start` to `end`, inclusive. An instruction reads at an even position and writes at the odd
/// position after it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Stretch {
    pub(super) start: u32,
    pub(super) end: u32,
}

/// A read or write of a slot at an instruction.
#[derive(Clone, Copy)]
struct Event {
    slot: u32,
    block: Block,
    /// The position of the access.
    position: u32,
    is_write: bool,
}

/// The loop around a block or around a loop, plus one; 0 for none.
type LoopId = u32;

/// Positions of a block.
#[derive(Clone, Copy, Default)]
struct Span {
    start: u32,
    end: u32,
    inside: LoopId,
}

/// The positions of a loop, and its enclosing loop.
#[derive(Clone, Copy)]
struct LoopSpan {
    start: u32,
    end: u32,
    outer: LoopId,
}

/// The events sorted by slot; those of a slot stay in order.
fn by_slot(events: &[Event], slots: usize) -> Vec<Event> {
    let mut places = vec![0_usize; slots + 1];
    events.iter().for_each(|event| places[event.slot as usize + 1] += 1);
    let mut start = 0;
    for place in &mut places {
        start += *place;
        *place = start;
    }
    let mut sorted = events.to_vec();
    for event in events {
        let place = &mut places[event.slot as usize];
        sorted[*place] = *event;
        *place += 1;
    }
    sorted
}

/// The live range of a slot: ascending, without overlap.
pub(super) type Life<'s> = ArenaVec<'s, Stretch>;

/// The live ranges of all slots.
pub(super) struct Lives<'s> {
    /// By slot.
    pub(super) all: Vec<Life<'s>>,
    spans: Side<Block, Span>,
    loops: Vec<LoopSpan>,
    /// The slot that visited a block last, plus one.
    seen: Side<Block, u32>,
    /// Blocks that may still be visited.
    left: usize,
    /// The blocks that remain to be visited for a read; empty in between.
    todo: Vec<Block>,
}

impl<'s> Lives<'s> {
    pub(super) fn new_in(scratch: &'s Bump, f: &Function<'_>, slots: &Slots) -> Self {
        let mut lives = Lives {
            all: slots.all.iter().map(|_| Life::new_in(scratch)).collect(),
            spans: Side::new(f.blocks.len()),
            loops: Vec::new(),
            seen: Side::new(f.blocks.len()),
            left: 0,
            todo: Vec::new(),
        };
        let events = by_slot(&lives.walk(f, slots), slots.all.len());
        let mut life = Vec::new();
        for events in events.chunk_by(|a, b| a.slot == b.slot) {
            let slot = events[0].slot as usize;
            lives.slot(f, slots.all[slot].phi, events, &mut life);
            lives.all[slot].extend_from_slice_copy(&life);
        }
        lives
    }

    /// Numbers positions, finds the loops, and lists the accesses of slots in order.
    fn walk(&mut self, f: &Function<'_>, slots: &Slots) -> Vec<Event> {
        let mut events: Vec<Event> = Vec::new();
        let mut move_of: Side<Inst, u32> = Side::new(f.insts.len());
        for (number, one) in (1..).zip(&slots.moves) {
            // Only the first store counts: the whole source has been read by then.
            let ids = (one.first.0..one.end.0).map(Inst);
            if let Some(first) = ids.into_iter().find(|inst| slots.accesses[*inst].is_some()) {
                move_of[first] = number;
            }
        }
        let (mut position, mut inside) = (0, 0);
        for segment in f.layout {
            let block = segment.block;
            self.spans[block] = Span { start: position, end: 0, inside };
            for inst in &f.block(block).insts {
                f.watch.visit(1);
                position += 2;
                if let Some(one) = (move_of[*inst] as usize).checked_sub(1).map(|index| slots.moves[index]) {
                    events.push(Event { slot: one.from, block, position, is_write: false });
                }
                if let Some(access) = slots.accesses[*inst] {
                    let is_write = f.insts[*inst].op == Op::Hw(Opcode::StackStore);
                    let position = position + u32::from(is_write);
                    events.push(Event { slot: access.slot, block, position, is_write });
                }
            }
            for slot in &slots.kept[block] {
                events.push(Event { slot: *slot, block, position: position + 1, is_write: false });
            }
            self.left += BLOCKS_PER_INST * f.block(block).insts.len();
            self.spans[block].end = position + 1;
            position += 2;
            match segment.seam {
                Seam::Loop => {
                    self.loops.push(LoopSpan { start: position, end: 0, outer: inside });
                    inside = self.loops.len() as LoopId;
                }
                Seam::EndLoop => {
                    let Some(closed) = (inside as usize).checked_sub(1) else { continue };
                    self.loops[closed].end = position - 1;
                    inside = self.loops[closed].outer;
                }
                _ => {}
            }
        }
        events
    }

    /// Determines the live range of the slot with the accesses `events`.
    fn slot(&mut self, f: &Function<'_>, phi: Option<Block>, events: &[Event], life: &mut Vec<Stretch>) {
        f.watch.visit(events.len());
        life.clear();
        let first_write = events.iter().find(|event| event.is_write);
        // A slot that is read on an edge that is never taken has no store.
        let (home, start) = match (phi, first_write) {
            (Some(block), _) => (block, self.spans[block].start),
            (None, Some(write)) => (write.block, write.position),
            (None, None) => (events[0].block, events[0].position),
        };
        life.push(Stretch { start, end: start });
        if phi.is_some() {
            for writes in events.chunk_by(|a, b| a.block == b.block) {
                if let Some(write) = writes.iter().find(|event| event.is_write) {
                    life.push(Stretch { start: write.position, end: self.spans[write.block].end });
                }
            }
        }
        for reads in events.chunk_by(|a, b| a.block == b.block) {
            let Some(read) = reads.iter().rfind(|event| !event.is_write) else { continue };
            match self.left {
                0 => life.push(Stretch { start, end: self.end_of_loops(start, read) }),
                _ => self.follow(f, home, start, read, life),
            }
        }
        f.watch.visit(life.len() / 16);
        life.sort_unstable();
        life.dedup_by(|later, earlier| {
            let touches = later.start <= earlier.end + 1;
            if touches {
                earlier.end = earlier.end.max(later.end);
            }
            touches
        });
    }

    /// Follows the live range backward from `read` to `start` in block `home`.
    fn follow(&mut self, f: &Function<'_>, home: Block, start: u32, read: &Event, life: &mut Vec<Stretch>) {
        if read.block == home {
            life.push(Stretch { start, end: read.position });
            return;
        }
        life.push(Stretch { start: self.spans[read.block].start, end: read.position });
        self.todo.extend(&f.block(read.block).preds);
        while let Some(block) = self.todo.pop() {
            if std::mem::replace(&mut self.seen[block], read.slot + 1) == read.slot + 1 {
                continue;
            }
            f.watch.visit(1);
            self.left = self.left.saturating_sub(1);
            let span = self.spans[block];
            let is_home = block == home;
            life.push(Stretch { start: if is_home { start } else { span.start }, end: span.end });
            if !is_home {
                self.todo.extend(&f.block(block).preds);
            }
        }
    }

    /// The last position at which a value stored at `start` may be needed for `read`.
    fn end_of_loops(&self, start: u32, read: &Event) -> u32 {
        let mut end = read.position;
        let mut around = self.spans[read.block].inside;
        while let Some(span) = (around as usize).checked_sub(1).map(|index| self.loops[index]) {
            if span.start <= start {
                break;
            }
            end = span.end;
            around = span.outer;
        }
        end
    }
}
