//! Reorders instructions within blocks to reduce register demand.
//!
//! Each block is scheduled from its end: of the instructions whose users are all placed, the one that adds
//! least to the registers in use is placed next (that is, before everything placed so far); ties keep the
//! original order. The new order is used only if it lowers the block's highest demand. If that still costs
//! threads and the block has a `split`, it is scheduled again with the cost of a `split` taken together with that of the
//! load it reads: the `split` of three words of a texel by itself adds to the registers in use, so it would be placed last.
//!
//! Ordered instructions stay in order: memory accesses of all kinds among each other, coverage operations
//! among each other, barriers with both. Results of subgroup operations depend on the execution mask, which
//! is constant within a block. Phis and preloads stay first, the terminator last.
//!
//! Before: stage machine. After: the same.

use agx_abi::occupancy::{MAX_THREADS, max_gpr_halves};
use agx_isa::desc::OrderClass;
use bumpalo::Bump;
use bumpalo::collections::Vec as ArenaVec;

use crate::analysis::liveness::{Liveness, liveness};
use crate::analysis::pressure::BlockDemand::{AtMost, Exact};
use crate::analysis::pressure::{BlockDemand, Demand, Walk, dead_result_needs_register};
use crate::ir::entity::{Block, Inst, Value};
use crate::ir::function::{Function, InstData};
use crate::ir::op::{IrOp, Op};
use crate::ir::table::ScratchSide;
use crate::regalloc::file::{CHEAP_HALVES, FILE_HALVES};

/// Candidates considered for each place; the rest wait. This keeps wide blocks linear.
const MAX_CANDIDATES: usize = 32;

/// Typical number of reads per instruction, for preallocation.
const READS_PER_INST: usize = 4;

/// Demand in half registers below which blocks keep their order.
pub const ENOUGH_HALVES: u32 = CHEAP_HALVES as u32;

/// The same for a program that runs once, for which only the size of the file is a limit.
pub const ENOUGH_HALVES_ONCE: u32 = FILE_HALVES as u32 / 2;

/// Reorders each block that needs `enough` half registers or more to lower its demand. Returns the demand of the
/// result.
pub fn schedule_pressure(f: &mut Function<'_>, enough: u32) -> Demand {
    let live = liveness(f);
    let mut demand = Demand::new(f, live);
    let blocks = f.with_scratch(|f, scratch| schedule_blocks(f, &demand, enough, scratch));
    blocks.into_iter().for_each(|(block, known)| demand.set(block, known));
    demand
}

/// Returns what is known of the demand of each block.
fn schedule_blocks(
    f: &mut Function<'_>,
    known: &Demand,
    enough: u32,
    scratch: &Bump,
) -> Vec<(Block, BlockDemand)> {
    let mut scheduler = Scheduler {
        graph: Graph::new_in(scratch, f),
        order: ArenaVec::new_in(scratch),
        ready: ArenaVec::new_in(scratch),
        walk: Walk::new_in(scratch, f),
        live_out: known.live_out(f),
        used: 0,
        most: 0,
        enough,
        live: &known.live,
        scratch,
        f,
    };
    let blocks = scheduler.f.blocks_in_order();
    let demands = blocks.map(|block| match scheduler.most_demand(block) {
        Some(most) => (block, AtMost(most)),
        None => (block, Exact(scheduler.block(block))),
    });
    demands.collect()
}

/// Order dependences and uses within a stretch.
struct Graph<'s> {
    /// Instructions that must stay before each instruction although it reads none of their results, with repetitions, as
    /// consecutive lists.
    before: ArenaVec<'s, u32>,
    /// The end of each instruction's list in `before`.
    ends: ArenaVec<'s, u32>,
    /// Number of reads of the results of each instruction, and of entries of `before` that name it.
    after: ArenaVec<'s, u32>,
    /// Registers in use that placing each ready instruction adds.
    costs: ArenaVec<'s, i32>,
    /// Instructions that read a value, each with the index of the next entry plus one.
    readers: ArenaVec<'s, (u32, u32)>,
    values: ScratchSide<'s, Value, Accesses>,
    /// Numbers of instructions and of reads before the current stretch, counted through all of them: entries of earlier
    /// ones are then never mistaken for those of the current one, and nothing needs clearing.
    earlier: Accesses,
    /// The stretch has a `split`.
    has_splits: bool,
    /// The cost of a `split` includes the instruction that defines its operand.
    joins_loads: bool,
}

/// Accesses to a value.
#[derive(Clone, Copy, Default)]
struct Accesses {
    /// Number of its definition among all instructions, counted from 1.
    def: u32,
    /// Number of the last read among all reads, counted from 1.
    read: u32,
}

impl<'s> Graph<'s> {
    fn new_in(scratch: &'s Bump, f: &Function<'_>) -> Self {
        Graph {
            before: ArenaVec::new_in(scratch),
            ends: ArenaVec::new_in(scratch),
            after: ArenaVec::new_in(scratch),
            costs: ArenaVec::new_in(scratch),
            readers: ArenaVec::new_in(scratch),
            values: ScratchSide::later_in(scratch, f.values.len()),
            earlier: Accesses::default(),
            has_splits: false,
            joins_loads: false,
        }
    }

    /// Instructions that must stay before the one at `index`, besides those whose results it reads.
    fn list(&self, index: usize) -> std::ops::Range<usize> {
        let start = index.checked_sub(1).map_or(0, |last| self.ends[last]);
        start as usize..self.ends[index] as usize
    }

    /// Position of the definition of `value` in the current stretch; `None` if it is defined elsewhere.
    fn def(&self, value: Value) -> Option<u32> {
        self.values[value].def.checked_sub(self.earlier.def + 1)
    }

    /// Index of the last reader of `value` in the current stretch plus one; 0 for none.
    fn reader(&self, value: Value) -> u32 {
        self.values[value].read.saturating_sub(self.earlier.read)
    }

    /// Records that the instruction at `index` reads `value`.
    fn read(&mut self, value: Value, index: usize) {
        let last = self.reader(value);
        // Reads of one instruction are consecutive.
        if last == 0 || self.readers[last as usize - 1].0 != index as u32 {
            self.readers.push((index as u32, last));
            self.values[value].read = self.earlier.read + self.readers.len() as u32;
        }
        if let Some(def) = self.def(value) {
            self.after[def as usize] += 1;
        }
    }

    fn build(&mut self, f: &Function<'_>, stretch: &[Inst]) {
        self.earlier.def += self.after.len() as u32;
        self.earlier.read += self.readers.len() as u32;
        self.has_splits = false;
        self.before.clear();
        self.ends.clear();
        self.readers.clear();
        self.after.clear();
        self.after.resize(stretch.len(), 0);
        self.readers.reserve(READS_PER_INST * stretch.len());
        self.ends.reserve(stretch.len());
        let (mut memory, mut coverage, mut kill): (Option<u32>, Option<u32>, Option<u32>) =
            (None, None, None);
        f.watch.visit(stretch.len() / 2);
        for (index, inst) in stretch.iter().enumerate() {
            let data = &f.insts[*inst];
            let start = self.before.len();
            self.has_splits |= data.op == Op::Ir(IrOp::Split);
            for value in data.srcs.iter().filter_map(|src| src.as_value()) {
                self.read(value, index);
            }
            let before = &mut self.before;
            let index = index as u32;
            match data.order() {
                OrderClass::None => {}
                // A helper stores nothing: a lane's stores execute before a discard that follows them, and after
                // one that precedes them.
                OrderClass::Memory => before.extend(memory.replace(index).into_iter().chain(kill)),
                OrderClass::Coverage => {
                    before.extend(coverage.replace(index).into_iter().chain(memory));
                    if data.writes_coverage() {
                        kill = Some(index);
                    }
                }
                OrderClass::Barrier | OrderClass::Control => {
                    before.extend(memory.replace(index));
                    before.extend(coverage.replace(index));
                }
            }
            for dst in data.dsts {
                self.values[*dst].def = self.earlier.def + index + 1;
            }
            for earlier in &self.before[start..] {
                self.after[*earlier as usize] += 1;
            }
            self.ends.push(self.before.len() as u32);
        }
    }
}

struct Scheduler<'s, 'a> {
    f: &'s mut Function<'a>,
    live: &'s Liveness,
    scratch: &'s Bump,
    graph: Graph<'s>,
    /// The new order of a stretch, the last instruction first.
    order: ArenaVec<'s, Inst>,
    /// Positions in the stretch of instructions that may go next, ascending.
    ready: ArenaVec<'s, u32>,
    /// Marks values as live.
    walk: Walk<'s>,
    /// Half registers live at the ends of blocks, by id.
    live_out: &'s [u32],
    /// Half registers of live values.
    used: u32,
    /// The highest number of half registers needed at once.
    most: u32,
    /// Blocks below this demand keep their order.
    enough: u32,
}

impl Scheduler<'_, '_> {
    /// An upper bound of the demand of a block, if it is below the demand at which blocks are reordered: the values live
    /// at its head plus all results.
    fn most_demand(&self, block: Block) -> Option<u32> {
        let insts = &self.f.block(block).insts;
        let mut results = insts.iter().flat_map(|inst| self.f.insts[*inst].dsts);
        let at_head = self.most_at_head(block).filter(|at_head| *at_head < self.enough)?;
        results
            .try_fold(at_head, |most, dst| Some(most + self.halves(*dst)).filter(|most| *most < self.enough))
    }

    /// An upper bound of the half registers live at the head of a block, without its phis: values live there are live at the
    /// end of every predecessor. `None` for a block without predecessors.
    fn most_at_head(&self, block: Block) -> Option<u32> {
        if block == self.f.entry() {
            return Some(self.f.params.iter().map(|param| self.halves(*param)).sum());
        }
        let before = &self.f.block(block).preds;
        before.iter().map(|before| self.live_out[before.0 as usize]).min()
    }

    /// Schedules a block, and returns its demand afterwards.
    fn block(&mut self, block: Block) -> u32 {
        let live_out = self.live_out[block.0 as usize];
        let before = self.walk.demand(self.f, self.live, block, live_out);
        let insts = &self.f.block(block).insts;
        self.f.watch.visit(1);
        let stays_first = |inst: &&Inst| matches!(self.f.insts[**inst].op, Op::Ir(IrOp::Phi | IrOp::Preload));
        let start = insts.iter().take_while(stays_first).count();
        let end = insts.len() - usize::from(self.f.terminator(block).is_some());
        // No order needs less than what is live at the borders of the block.
        let least = live_out.max(self.walk.at_head);
        if before < self.enough || before <= least || end < start + 3 {
            return before;
        }
        let [first, stretch, terminator]: [&[Inst]; 3] = [0..start, start..end, end..insts.len()]
            .map(|range| &*self.scratch.alloc_slice_copy(&insts[range]));
        let mut least = before;
        for joins_loads in [false, true] {
            self.graph.joins_loads = joins_loads;
            self.graph.build(self.f, stretch);
            self.begin(block, terminator);
            self.schedule(stretch, least);
            self.place_all(first);
            if self.most < least {
                least = self.most;
                let places = &mut self.f.block_mut(block).insts[start..end];
                places.iter_mut().zip(self.order.iter().rev()).for_each(|(place, inst)| *place = *inst);
            }
            if least <= u32::from(max_gpr_halves(MAX_THREADS)) || !self.graph.has_splits {
                break;
            }
        }
        least
    }

    /// Starts at the end of `block`.
    fn begin(&mut self, block: Block, terminator: &[Inst]) {
        (self.used, self.most) = (self.live_out[block.0 as usize], 0);
        self.walk.round += 1;
        for value in self.live.live_out(block) {
            self.walk.live_in_round[value] = self.walk.round;
        }
        self.place_all(terminator);
    }

    /// Steps backward over instructions.
    fn place_all(&mut self, insts: &[Inst]) {
        for inst in insts.iter().rev() {
            let data = self.f.insts[*inst];
            self.place(&data);
        }
    }

    fn halves(&self, value: Value) -> u32 {
        u32::from(self.f.ty(value).halves())
    }

    #[inline]
    fn is_live(&self, value: Value) -> bool {
        self.walk.live_in_round[value] == self.walk.round
    }

    fn make_live(&mut self, value: Value) {
        if std::mem::replace(&mut self.walk.live_in_round[value], self.walk.round) != self.walk.round {
            self.used += self.halves(value);
        }
    }

    /// Steps backward over an instruction.
    fn place(&mut self, data: &InstData<'_>) {
        self.end_results(data);
        if data.op != Op::Ir(IrOp::Phi) {
            for value in data.srcs.iter().filter_map(|src| src.as_value()) {
                self.make_live(value);
            }
        }
        self.most = self.most.max(self.used);
    }

    /// Ends the live ranges of the results of an instruction: they are not live before it.
    fn end_results(&mut self, data: &InstData<'_>) {
        let (mut dead, mut freed) = (0, 0);
        for dst in data.dsts {
            if self.is_live(*dst) {
                self.walk.live_in_round[*dst] = 0;
                freed += self.halves(*dst);
            } else if dead_result_needs_register(data.op) {
                dead += self.halves(*dst);
            }
        }
        self.most = self.most.max(self.used + dead);
        self.used -= freed;
    }

    /// Like [`Scheduler::place`]; also reduces the cost of ready instructions that read the values which become
    /// live here.
    fn place_ready(&mut self, data: &InstData<'_>) {
        self.end_results(data);
        for value in data.srcs.iter().filter_map(|src| src.as_value()) {
            if self.is_live(value) {
                continue;
            }
            self.make_live(value);
            let halves = self.halves(value) as i32;
            let mut place = self.graph.reader(value);
            while place != 0 {
                let (reader, next) = self.graph.readers[place as usize - 1];
                self.graph.costs[reader as usize] -= halves;
                place = next;
            }
        }
        self.most = self.most.max(self.used);
    }

    /// Half registers that the sources of an instruction add to those in use.
    fn cost(&self, data: &InstData<'_>) -> i32 {
        let mut cost = 0;
        for (index, src) in data.srcs.iter().enumerate() {
            if let Some(value) = src.as_value()
                && !self.is_live(value)
                && !data.srcs[..index].iter().any(|earlier| earlier.as_value() == Some(value))
            {
                cost += self.halves(value) as i32;
            }
        }
        cost
    }

    /// Removes one of the reasons why the instruction at `index` has to wait.
    fn release(&mut self, stretch: &[Inst], index: u32) {
        let after = &mut self.graph.after[index as usize];
        *after -= 1;
        if *after == 0 {
            self.make_ready(stretch, index);
        }
    }

    /// Marks an instruction as ready, since all readers of its results are placed: placing it frees the
    /// registers of the results.
    fn make_ready(&mut self, stretch: &[Inst], index: u32) {
        let data = self.f.insts[stretch[index as usize]];
        let freed = data.dsts.iter().filter(|dst| self.is_live(**dst)).map(|dst| self.halves(*dst) as i32);
        let mut cost = self.cost(&data) - freed.sum::<i32>();
        if self.graph.joins_loads {
            cost += self.cost_of_load(stretch, &data);
        }
        self.graph.costs[index as usize] = cost;
        let place = self.ready.partition_point(|known| *known < index);
        self.ready.insert(place, index);
    }

    /// For a `split` that alone reads a vector defined in the stretch, what the definition adds in place of the
    /// vector.
    fn cost_of_load(&self, stretch: &[Inst], data: &InstData<'_>) -> i32 {
        let vector = data.srcs.first().and_then(|src| src.as_value());
        let Some(vector) = vector.filter(|vector| data.op == Op::Ir(IrOp::Split) && !self.is_live(*vector))
        else {
            return 0;
        };
        let last = self.graph.reader(vector).checked_sub(1);
        let is_only_reader = last.is_some_and(|at| self.graph.readers[at as usize].1 == 0);
        match self.graph.def(vector).filter(|_| is_only_reader) {
            Some(def) => self.cost(&self.f.insts[stretch[def as usize]]) - self.halves(vector) as i32,
            None => 0,
        }
    }

    /// The index in the list of the ready instruction that adds least; the last one of equals.
    fn best(&self) -> Option<usize> {
        let first = self.ready.len().saturating_sub(MAX_CANDIDATES);
        let costs = &*self.graph.costs;
        let (mut best, mut least) = (None, i32::MAX);
        for (place, index) in self.ready[first..].iter().enumerate() {
            let cost = costs[*index as usize];
            if cost <= least {
                (best, least) = (Some(first + place), cost);
            }
        }
        best
    }

    /// Orders the stretch whose graph has been built, until the order needs as much as a known one, `least`.
    fn schedule(&mut self, stretch: &[Inst], least: u32) {
        self.order.clear();
        self.ready.clear();
        self.graph.costs.clear();
        self.graph.costs.resize(stretch.len(), 0);
        self.order.reserve(stretch.len());
        self.ready.reserve(stretch.len());
        for index in 0..stretch.len() {
            if self.graph.after[index] == 0 {
                self.make_ready(stretch, index as u32);
            }
        }
        while let Some(best) = self.best().filter(|_| self.most < least) {
            self.f.watch.visit(1);
            let index = self.ready.remove(best) as usize;
            let data = self.f.insts[stretch[index]];
            self.place_ready(&data);
            self.order.push(stretch[index]);
            for value in data.srcs.iter().filter_map(|src| src.as_value()) {
                if let Some(def) = self.graph.def(value) {
                    self.release(stretch, def);
                }
            }
            for edge in self.graph.list(index) {
                self.release(stretch, self.graph.before[edge]);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::pressure::pressure;
    use crate::regalloc::tests::Generator;
    use crate::regalloc::{AllocateOptions, allocate};

    /// Positions of memory operations, in order, and of each value's definition.
    fn memory_order(f: &Function<'_>) -> Vec<Inst> {
        let insts = f.blocks_in_order().flat_map(|block| f.block(block).insts.clone());
        insts.filter(|inst| f.insts[*inst].order() != OrderClass::None).collect()
    }

    #[test]
    fn random_functions_need_fewer_registers_and_stay_valid() {
        let (mut before, mut after) = (0, 0);
        for seed in 0..200 {
            let bump = Bump::new();
            let mut f = Function::new(&bump, "random");
            Generator::build(&mut f, seed, 100, 10 + seed as usize % 30);
            let demand = |f: &Function<'_>| pressure(f, &liveness(f), &Bump::new()).max;
            let (old, ordered) = (demand(&f), memory_order(&f));
            let known = schedule_pressure(&mut f, ENOUGH_HALVES);
            let new = demand(&f);
            assert!(known.is_of(&f), "seed {seed}");
            assert!(new <= old, "seed {seed}: {old} {new}");
            assert_eq!(memory_order(&f), ordered, "seed {seed}");
            before += u32::from(old);
            after += u32::from(new);
            let options = AllocateOptions {
                limit_halves: 256,
                reserved_halves: 1,
                stack_bytes: 0,
                spill_everything: false,
                validate: true,
            };
            allocate(&mut f, &options, Some(known)).unwrap_or_else(|error| panic!("seed {seed}: {error}"));
        }
        assert!(after * 40 < before * 39, "{before} {after}");
    }

    /// Blocks that keep their order may need what lives at their heads only.
    #[test]
    fn demand_of_blocks_in_their_order_is_not_underestimated() {
        for seed in 0..100 {
            let bump = Bump::new();
            let mut f = Function::new(&bump, "random");
            Generator::build(&mut f, seed, 100, 10 + seed as usize % 30);
            let known = schedule_pressure(&mut f, ENOUGH_HALVES_ONCE);
            assert!(known.is_of(&f), "seed {seed}");
        }
    }

    /// The sum of three words of each of `count` texels, all of which are sampled first.
    fn sum_of_texels(count: u32) -> String {
        let mut text = "kernel @k(%0:32, %1:32) stage machine {\nb0:\n".to_owned();
        let value = |texel: u32, number: u32| 2 + 8 * texel + number;
        for texel in 0..count {
            let [offset, place, texels] = [0, 1, 2].map(|number| value(texel, number));
            text += &format!("    %{offset}:32 = ffma %0, u{}, %1\n", 32 + 2 * texel);
            text += &format!("    %{place}:32x2 = collect %{offset}, %1\n");
            text += &format!("    %{texels}:32x4 = smpf %{place}, _, #0:16, _, #0:16, _ mask=xyz\n");
            let words = [3, 4, 5, 6].map(|number| format!("%{}:32", value(texel, number)));
            text += &format!("    {} = split %{texels}\n", words.join(", "));
        }
        let sum = |texel: u32, word: u32| value(count + texel, word);
        for texel in 0..count {
            for word in 0..3 {
                let before = if texel == 0 { word % 2 } else { sum(texel - 1, word) };
                text +=
                    &format!("    %{}:32 = fadd %{before}, %{}\n", sum(texel, word), value(texel, 3 + word));
            }
        }
        let words = [0, 1, 2].map(|word| format!("%{}", sum(count - 1, word)));
        text + &format!("    keep {}\n}}\n", words.join(", "))
    }

    #[test]
    fn texels_are_sampled_next_to_their_uses_where_that_gives_threads() {
        let demand = |f: &Function<'_>| pressure(f, &liveness(f), &Bump::new()).max;
        let bump = Bump::new();
        let mut f = crate::ir::parse(&bump, &sum_of_texels(40)).unwrap().remove(0);
        f.compute_cfg();
        assert!(demand(&f) >= 240);
        schedule_pressure(&mut f, ENOUGH_HALVES);
        assert!(demand(&f) <= max_gpr_halves(MAX_THREADS), "{}", demand(&f));
    }
}
