//! Reorders instructions after register allocation to hide the latency of loads and texture accesses.
//!
//! Each stretch of instructions between fences is list-scheduled from its start: of the instructions whose
//! operands are available, the one with the longest chain of dependent results goes next; if no operands are
//! available, the instruction whose operands are available first. The new order is used only if it is shorter
//! by the same model.
//!
//! Registers are already assigned, so their number does not change; an instruction that reads or writes a
//! register stays in order with the writers of the register. Accesses to threadgroup memory stay in order among each
//! other, as do those to all other memory; coverage operations stay in order among each other and after memory accesses,
//! and changes of state in order. Nothing crosses barriers, changes of the execution mask, jumps, or values fixed by the
//! program's environment.
//!
//! With a seed the order is a random legal one, for tests.
//!
//! Before: stage final. After: the same.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use agx_isa::desc::{Effects, OrderClass, WaitBehaviour};
use agx_isa::table::Opcode;
use agx_isa::timing::{issue_cycles, result_cycles};
use bumpalo::Bump;
use bumpalo::collections::Vec as ArenaVec;

use crate::ir::entity::{Block, Inst, Value};
use crate::ir::function::{Function, InstData};
use crate::ir::op::Op;
use crate::ir::watch::Watch;
use crate::regalloc::Allocation;
use crate::regalloc::file::FILE_HALVES;

/// Typical number of edges per instruction, for preallocation.
const EDGES_PER_INST: usize = 6;

/// Reorders every block; with a `seed`, at random.
pub fn schedule_latency(f: &mut Function<'_>, allocation: &Allocation, seed: Option<u64>) {
    f.with_scratch(|f, scratch| schedule(f, allocation, seed, scratch));
}

fn schedule(f: &mut Function<'_>, allocation: &Allocation, seed: Option<u64>, scratch: &Bump) {
    let mut scheduler = Scheduler {
        allocation,
        seed,
        nodes: ArenaVec::new_in(scratch),
        edges: ArenaVec::new_in(scratch),
        available: 0,
        length: 0,
    };
    let mut lists = Lists::new_in(scratch);
    for block in f.blocks_in_order() {
        // Nothing else takes time that could be spent.
        if seed.is_none() && !has_load(f, &f.block(block).insts) {
            continue;
        }
        let mut start = 0;
        for index in 0..=f.block(block).insts.len() {
            let insts = &f.block(block).insts;
            if insts.get(index).is_none_or(|inst| is_fence(&f.insts[*inst])) {
                scheduler.stretch(f, block, start..index, &mut lists);
                start = index + 1;
            }
        }
    }
}

/// Whether one of the instructions finishes later with a result.
fn has_load(f: &Function<'_>, insts: &[Inst]) -> bool {
    insts.iter().any(|inst| {
        let data = &f.insts[*inst];
        matches!(data.op, Op::Hw(op) if op.desc().wait == WaitBehaviour::Async) && !data.dsts.is_empty()
    })
}

/// Whether nothing may cross an instruction.
fn is_fence(data: &InstData<'_>) -> bool {
    let fences = Effects::MASK | Effects::JUMP | Effects::STOP | Effects::BARRIER;
    matches!(data.op, Op::Ir(_))
        || matches!(data.order(), OrderClass::Barrier | OrderClass::Control)
        || data.effects().intersects(fences)
}

/// Scheduling data of an instruction in the stretch.
#[derive(Clone, Copy, Default)]
struct Node {
    /// First of its edges to later instructions, plus one.
    edges: u32,
    /// Number of unscheduled instructions that it depends on.
    blockers: u32,
    /// The cycle at which it is issued in the current order.
    start: u32,
    /// Cycles from its issue to the end of the longest chain that depends on it.
    height: u32,
    /// Cycles until its results are available.
    result: u32,
    /// Cycles it occupies.
    issue: u32,
    /// The cycle at which its operands are available.
    ready: u32,
}

/// A dependence: a later instruction that must stay at least a given number of cycles after this one.
#[derive(Clone, Copy)]
struct Edge {
    to: u32,
    cycles: u32,
    /// The next edge of the same instruction, plus one.
    next: u32,
}

/// The last accesses of a half register.
#[derive(Clone, Copy, Default)]
struct Accesses {
    /// The last writer, plus one.
    writer: u32,
    /// The last entry in [`Chains::reads`] since then, plus one.
    last_read: u32,
}

/// The last instructions to access each resource, by position in the stretch.
struct Chains<'c, 's> {
    /// The last accesses of each half register.
    halves: [Accesses; FILE_HALVES as usize],
    /// Readers, each with the previous entry for the same half register, plus one.
    reads: &'c mut ArenaVec<'s, (u32, u32)>,
    /// The last access to device memory, and to threadgroup memory.
    memory: [Option<u32>; 2],
    coverage: Option<u32>,
    /// The last instruction that may have killed samples.
    kill: Option<u32>,
}

impl<'c, 's> Chains<'c, 's> {
    /// No accesses yet; `reads` is memory for a list.
    fn new(reads: &'c mut ArenaVec<'s, (u32, u32)>) -> Self {
        reads.clear();
        Chains {
            halves: [Accesses::default(); FILE_HALVES as usize],
            reads,
            memory: [None; 2],
            coverage: None,
            kill: None,
        }
    }
}

struct Scheduler<'s> {
    allocation: &'s Allocation,
    seed: Option<u64>,
    nodes: ArenaVec<'s, Node>,
    edges: ArenaVec<'s, Edge>,
    /// The cycle at which the operands of the instruction that was added last are available in the current order.
    available: u32,
    /// Cycles of the current order.
    length: u32,
}

/// Memory for the lists of one stretch.
struct Lists<'s> {
    /// [`Chains::reads`].
    reads: ArenaVec<'s, (u32, u32)>,
    insts: ArenaVec<'s, Inst>,
    /// A new order.
    order: ArenaVec<'s, u32>,
    /// Instructions that may be issued, the highest first.
    now: BinaryHeap<(u32, Reverse<u32>)>,
    /// Instructions whose operands are not available yet, the first one first.
    later: BinaryHeap<Reverse<(u32, u32)>>,
}

impl<'s> Lists<'s> {
    /// Empty lists.
    fn new_in(scratch: &'s Bump) -> Self {
        Lists {
            reads: ArenaVec::new_in(scratch),
            insts: ArenaVec::new_in(scratch),
            order: ArenaVec::new_in(scratch),
            now: BinaryHeap::new(),
            later: BinaryHeap::new(),
        }
    }
}

impl Scheduler<'_> {
    fn stretch(
        &mut self,
        f: &mut Function<'_>,
        block: Block,
        range: std::ops::Range<usize>,
        lists: &mut Lists<'_>,
    ) {
        if range.len() < 3 {
            return;
        }
        let insts = &f.block(block).insts[range.clone()];
        if self.seed.is_none() && !has_load(f, insts) {
            return;
        }
        self.build(f, insts, &mut lists.reads);
        if self.order(&f.watch, insts[0], lists) {
            lists.insts.clear();
            lists.insts.extend_from_slice(insts);
            for (place, index) in f.block_mut(block).insts[range].iter_mut().zip(&lists.order) {
                *place = lists.insts[*index as usize];
            }
        }
    }

    /// Finds a new order of the stretch that begins with `first`; returns whether there is a better one.
    fn order(&mut self, watch: &Watch, first: Inst, lists: &mut Lists<'_>) -> bool {
        if let Some(seed) = self.seed {
            lists.order.clear();
            lists.order.extend(self.any_order(seed ^ u64::from(first.0)));
            return true;
        }
        self.length > self.least_length() && self.best_order(watch, lists) < self.length
    }

    fn halves(&self, f: &Function<'_>, value: Value) -> std::ops::Range<usize> {
        let start = usize::from(self.allocation.half(value).unwrap_or(0));
        start..start + usize::from(f.ty(value).halves())
    }

    /// Builds the dependences and the heights, and finds the length of the current order.
    fn build(&mut self, f: &Function<'_>, insts: &[Inst], reads: &mut ArenaVec<'_, (u32, u32)>) {
        self.nodes.clear();
        self.edges.clear();
        self.nodes.reserve(insts.len());
        self.edges.reserve(EDGES_PER_INST * insts.len());
        let mut chains = Chains::new(reads);
        chains.reads.reserve(EDGES_PER_INST * insts.len());
        self.length = 0;
        for (index, inst) in (0..).zip(insts) {
            f.watch.visit(1);
            let data = &f.insts[*inst];
            let Op::Hw(opcode) = data.op else { continue };
            // Rows name the modifier that determines their cost.
            let modifier = |name: &str| data.op.mod_index(name).map_or(0, |at| data.mods[at]);
            let (result, issue) =
                (result_cycles(opcode.desc(), modifier), issue_cycles(opcode.desc(), modifier));
            self.nodes.push(Node { result, issue, ..Node::default() });
            self.available = 0;
            self.keep_registers(f, data, index, &mut chains);
            self.keep_order(data, index, &mut chains);
            let start = self.available.max(self.length);
            self.nodes[index as usize].start = start;
            self.length = start + issue;
        }
        for index in (0..self.nodes.len()).rev() {
            let mut height = self.nodes[index].issue;
            for edge in self.edges_of(index as u32) {
                height = height.max(edge.cycles + self.nodes[edge.to as usize].height);
            }
            self.nodes[index].height = height;
        }
    }

    fn edges_of(&self, from: u32) -> impl Iterator<Item = Edge> + '_ {
        let mut at = self.nodes[from as usize].edges;
        std::iter::from_fn(move || {
            let edge = *self.edges.get((at as usize).checked_sub(1)?)?;
            at = edge.next;
            Some(edge)
        })
    }

    fn edge(&mut self, from: u32, to: u32, cycles: u32) {
        if from == to {
            return;
        }
        let Node { edges: next, start, .. } = self.nodes[from as usize];
        self.available = self.available.max(start + cycles);
        // The halves of a register mostly lead to the same edge.
        if let Some(last) = (next as usize).checked_sub(1).map(|at| &mut self.edges[at])
            && last.to == to
        {
            last.cycles = last.cycles.max(cycles);
            return;
        }
        self.edges.push(Edge { to, cycles, next });
        self.nodes[from as usize].edges = self.edges.len() as u32;
        self.nodes[to as usize].blockers += 1;
    }

    /// Orders each read after the preceding write and before the next one, and writes among each other.
    fn keep_registers(
        &mut self,
        f: &Function<'_>,
        data: &InstData<'_>,
        index: u32,
        chains: &mut Chains<'_, '_>,
    ) {
        for value in data.srcs.iter().filter_map(|src| src.as_value()) {
            let (mut last, mut shared) = (0, None);
            for half in &mut chains.halves[self.halves(f, value)] {
                if std::mem::replace(&mut last, half.writer) != half.writer {
                    self.after_write(half.writer, index);
                }
                // Those with the same readers so far share the entry.
                let before = half.last_read;
                half.last_read = match shared {
                    Some((readers, entry)) if readers == before => entry,
                    _ => {
                        chains.reads.push((index, before));
                        chains.reads.len() as u32
                    }
                };
                shared = Some((before, half.last_read));
            }
        }
        for value in data.dsts {
            let (mut last, mut last_read) = (0, 0);
            for half in &mut chains.halves[self.halves(f, *value)] {
                let Accesses { writer, last_read: mut at } =
                    std::mem::replace(half, Accesses { writer: index + 1, last_read: 0 });
                if std::mem::replace(&mut last, writer) != writer {
                    self.after_write(writer, index);
                }
                if at == std::mem::replace(&mut last_read, at) {
                    continue;
                }
                while let Some((reader, before)) = (at as usize).checked_sub(1).map(|at| chains.reads[at]) {
                    self.edge(reader, index, 0);
                    at = before;
                }
            }
        }
    }

    /// Makes the instruction at `index` wait for the result of `writer`, a position plus one, unless that is 0.
    fn after_write(&mut self, writer: u32, index: u32) {
        if let Some(writer) = writer.checked_sub(1) {
            self.edge(writer, index, self.nodes[writer as usize].result);
        }
    }

    fn keep_order(&mut self, data: &InstData<'_>, index: u32, chains: &mut Chains<'_, '_>) {
        let order = data.order();
        if order == OrderClass::Memory || data.effects().contains(Effects::STATE) {
            let is_threadgroup = matches!(data.op, Op::Hw(Opcode::Lload | Opcode::Lstore | Opcode::Latomic));
            if let Some(before) = chains.memory[usize::from(is_threadgroup)].replace(index) {
                self.edge(before, index, 0);
            }
        }
        // A helper stores nothing: a lane's stores execute before a discard that follows them, and after one
        // that precedes them.
        if order == OrderClass::Memory
            && let Some(before) = chains.kill
        {
            self.edge(before, index, 0);
        }
        if order == OrderClass::Coverage {
            if data.writes_coverage() {
                chains.kill = Some(index);
            }
            let [device, threadgroup] = chains.memory;
            for before in [device, threadgroup, chains.coverage.replace(index)].into_iter().flatten() {
                self.edge(before, index, 0);
            }
        }
    }

    /// A lower bound of the cycles of any order: its longest chain, or the sum of all issue cycles.
    fn least_length(&self) -> u32 {
        let chain = self.nodes.iter().map(|node| node.height).max().unwrap_or(0);
        chain.max(self.nodes.iter().map(|node| node.issue).sum())
    }

    /// List-schedules the stretch by the longest chains into `lists.order`; returns the cycles of that order.
    fn best_order(&mut self, watch: &Watch, lists: &mut Lists<'_>) -> u32 {
        let Lists { order, now, later, .. } = lists;
        order.clear();
        order.reserve(self.nodes.len());
        now.reserve(self.nodes.len());
        later.reserve(self.nodes.len());
        let mut clock = 0;
        later.extend(self.unblocked().map(|index| Reverse((0, index))));
        loop {
            while let Some(Reverse((_, index))) = later.peek().copied().filter(|next| next.0.0 <= clock) {
                later.pop();
                now.push((self.nodes[index as usize].height, Reverse(index)));
            }
            let Some((_, Reverse(index))) = now.pop() else {
                let Some(Reverse((ready, _))) = later.peek() else { break };
                clock = *ready;
                continue;
            };
            watch.visit(1);
            order.push(index);
            let issued = clock;
            clock += self.nodes[index as usize].issue;
            let mut at = self.nodes[index as usize].edges;
            while let Some(edge) = (at as usize).checked_sub(1).map(|at| self.edges[at]) {
                at = edge.next;
                let node = &mut self.nodes[edge.to as usize];
                node.ready = node.ready.max(issued + edge.cycles);
                node.blockers -= 1;
                if node.blockers == 0 {
                    later.push(Reverse((node.ready, edge.to)));
                }
            }
        }
        clock
    }

    fn unblocked(&self) -> impl Iterator<Item = u32> + '_ {
        (0..).zip(&self.nodes).filter(|(_, node)| node.blockers == 0).map(|(index, _)| index)
    }

    /// A random legal order.
    fn any_order(&mut self, seed: u64) -> Vec<u32> {
        let mut state = seed;
        let mut ready: Vec<u32> = self.unblocked().collect();
        let mut order = Vec::with_capacity(self.nodes.len());
        while !ready.is_empty() {
            // Knuth's generator; its high bits are sufficiently random.
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let index = ready.swap_remove((state >> 33) as usize % ready.len());
            order.push(index);
            let mut at = self.nodes[index as usize].edges;
            while let Some(edge) = (at as usize).checked_sub(1).map(|at| self.edges[at]) {
                at = edge.next;
                let node = &mut self.nodes[edge.to as usize];
                node.blockers -= 1;
                if node.blockers == 0 {
                    ready.push(edge.to);
                }
            }
        }
        order
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::table::Side;
    use crate::regalloc::tests::Generator;
    use crate::regalloc::{AllocateOptions, allocate};
    use bumpalo::Bump;

    /// The results of a function as far as the order determines them.
    #[derive(PartialEq, Debug, Default)]
    struct Dataflow {
        /// The writer, within the block, of each half register that an instruction reads.
        sources: Side<Inst, Vec<Option<Inst>>>,
        /// The last writer of each half register, by block.
        ends: Vec<Vec<Option<Inst>>>,
        /// Instructions with a fixed relative order.
        ordered: Vec<Inst>,
    }

    fn dataflow(f: &Function<'_>, allocation: &Allocation) -> Dataflow {
        let mut result = Dataflow { sources: Side::new(f.insts.len()), ..Dataflow::default() };
        for block in f.blocks_in_order() {
            let mut writer = vec![None; usize::from(FILE_HALVES)];
            let halves = |value: Value| {
                let start = usize::from(allocation.half(value).unwrap());
                start..start + usize::from(f.ty(value).halves())
            };
            for inst in &f.block(block).insts {
                let data = &f.insts[*inst];
                let values = data.srcs.iter().filter_map(|src| src.as_value());
                result.sources[*inst] = values.flat_map(halves).map(|half| writer[half]).collect();
                for half in data.dsts.iter().copied().flat_map(halves) {
                    writer[half] = Some(*inst);
                }
                if data.order() != OrderClass::None {
                    result.ordered.push(*inst);
                }
            }
            result.ends.push(writer);
        }
        result
    }

    #[test]
    fn random_functions_have_the_same_results_in_any_order() {
        let (mut random, mut shorter) = (0, 0);
        for seed in 0..150 {
            let bump = Bump::new();
            let mut f = Function::new(&bump, "random");
            Generator::build(&mut f, seed, 100, 10 + seed as usize % 30);
            let options = AllocateOptions {
                limit_halves: 256,
                reserved_halves: 1,
                stack_bytes: 0,
                spill_everything: false,
                validate: false,
            };
            let Ok(allocation) = allocate(&mut f, &options, None) else { continue };
            let order = |f: &Function<'_>| {
                f.blocks_in_order().flat_map(|block| f.block(block).insts.clone()).collect::<Vec<_>>()
            };
            for choice in [None, Some(seed), Some(seed + 1000)] {
                let (mut before, flow) = (order(&f), dataflow(&f, &allocation));
                schedule_latency(&mut f, &allocation, choice);
                let mut after = order(&f);
                *if choice.is_some() { &mut random } else { &mut shorter } += u32::from(after != before);
                assert!(dataflow(&f, &allocation) == flow, "seed {seed}, {choice:?}");
                after.sort_unstable();
                before.sort_unstable();
                assert_eq!(after, before, "seed {seed}");
            }
        }
        assert!(random > 200 && shorter > 50, "{random} {shorter}");
    }
}
