//! Random functions are allocated and checked; mutations show that the checker finds faults.

use std::time::{Duration, Instant};

use agx_isa::inst::OperandFlags;
use agx_isa::table::Opcode;
use agx_random::Random;
use bumpalo::Bump;
use rustc_hash::FxBuildHasher;

use super::check::{Snapshot, check};
use super::*;
use crate::ir::builder::{Builder, LoopBlocks};
use crate::ir::entity::{Block, Inst};
use crate::ir::function::InstData;
use crate::ir::op::{IrOp, Op, mods};
use crate::ir::types::Type;
use crate::ir::{Build, key};

type Map<K, V> = hashbrown::HashMap<K, V, FxBuildHasher>;

/// Builds structured functions from all constructs that the allocator distinguishes.
pub(crate) struct Generator<'f, 'a> {
    b: Builder<'f, 'a>,
    random: Random,
    /// Values that may be read in the current block.
    known: Vec<Value>,
    /// Values that may be read at the end of each completed block.
    ends: Map<Block, Vec<Value>>,
    loops: Vec<LoopBlocks>,
    /// Maximum distance from definition to use: small for short live ranges, large for pressure.
    reach: usize,
    budget: usize,
    /// Whether vectors are also collected from wider components than their own.
    mixes: bool,
}

const TYPES: [Type; 6] =
    [Type::B32, Type::B32, Type::B16, Type::B64, Type::vector(32, 4), Type::vector(16, 3)];

impl<'f, 'a> Generator<'f, 'a> {
    pub(crate) fn build(f: &'f mut Function<'a>, seed: u64, budget: usize, reach: usize) {
        Generator::build_from(f, seed, budget, reach, false);
    }

    fn build_from(f: &'f mut Function<'a>, seed: u64, budget: usize, reach: usize, mixes: bool) {
        let b = Builder::start(f);
        let mut generator = Generator {
            b,
            random: Random::new(seed),
            known: Vec::new(),
            ends: Map::default(),
            loops: Vec::new(),
            reach,
            budget,
            mixes,
        };
        for reg in [10, 12, 1] {
            let ty = if reg == 1 { Type::B16 } else { Type::B32 };
            let value = generator.b.value(IrOp::Preload, ty, &[], &[reg]);
            generator.known.push(value);
        }
        while generator.budget > 0 {
            generator.statements(0);
        }
        for index in 0..generator.known.len().min(reach) {
            let value = generator.known[generator.known.len() - 1 - index];
            generator.consume(value);
        }
        let Generator { b, ends, mut random, .. } = generator;
        b.finish();
        finish_phis(f, &ends, &mut random);
        f.stage = Stage::Machine;
    }

    fn value(&mut self, op: impl Into<Op>, ty: Type, srcs: &[Src], mods: &[u32]) {
        let value = self.b.value(op, ty, srcs, mods);
        self.known.push(value);
    }

    /// A value of type `ty`, or a constant.
    fn operand(&mut self, ty: Type) -> Src {
        let start = self.known.len().saturating_sub(self.reach);
        for _ in 0..12 {
            let value = self.known[start + self.random.below(self.known.len() - start)];
            if self.b.f.ty(value) == ty {
                return value.into();
            }
        }
        match ty {
            Type::B32 if self.random.below(2) == 0 => Src::uniform(2 * self.random.below(50) as u16, 32),
            _ if ty.comps == 1 => Src::imm(self.random.below(200) as u64, ty.bits),
            _ => {
                let part = Type::scalar(ty.bits);
                let parts: Vec<Src> = (0..ty.comps).map(|_| self.operand(part)).collect();
                self.value(IrOp::Collect, ty, &parts, &[]);
                self.known[self.known.len() - 1].into()
            }
        }
    }

    fn consume(&mut self, value: Value) {
        let ty = self.b.f.ty(value);
        let mask = (1 << ty.comps.min(4)) - 1;
        let format = if ty.bits == 16 { 1 } else { 2 };
        let mods = mods(Opcode::Store)
            .with(key::MASK, mask)
            .with(key::FORMAT, agx_isa::table::names::Format::new(format));
        let base = Src::uniform(8, 64);
        self.b.effect(Opcode::Store, &[value.into(), base, Src::imm(3, 16)], &mods);
    }

    fn statements(&mut self, depth: usize) {
        for _ in 0..2 + self.random.below(12) {
            if self.budget == 0 || self.b.is_terminated() {
                break;
            }
            self.budget -= 1;
            match self.random.below(if depth < 5 { 24 } else { 18 }) {
                0..10 => self.arithmetic(),
                10 | 11 => self.load(),
                12 | 13 => self.split(),
                14 | 15 => self.collect(),
                16 | 17 => {
                    let ty = TYPES[self.random.below(TYPES.len())];
                    let src = self.operand(ty);
                    if let Some(value) = src.as_value() {
                        self.consume(value);
                    }
                }
                18 | 19 => self.conditional(depth),
                20 | 21 => self.rematerialisable(depth),
                22 => self.scoped(depth),
                _ => self.statements(depth + 1),
            }
        }
    }

    fn arithmetic(&mut self) {
        let ty = TYPES[self.random.below(4)];
        let srcs = [self.operand(ty), self.operand(ty)];
        self.value(Opcode::Iadd, ty, &srcs, &mods(Opcode::Iadd));
    }

    fn load(&mut self) {
        let (bits, format) = if self.random.below(3) == 0 { (16, 1) } else { (32, 2) };
        let comps = 1 + self.random.below(4) as u8;
        let mods = mods(Opcode::Load)
            .with(key::MASK, (1 << comps) - 1)
            .with(key::FORMAT, agx_isa::table::names::Format::new(format));
        let (base, index) = (self.operand(Type::B64), self.operand(Type::B32));
        let base = if base.as_value().is_some() { base } else { Src::uniform(4, 64) };
        let index = if index.as_value().is_some() { index } else { Src::imm(0, 16) };
        self.value(Opcode::Load, Type::vector(bits, comps), &[base, index], &mods);
    }

    fn split(&mut self) {
        let (ty, part, count) = match self.random.below(3) {
            0 => (Type::vector(32, 4), Type::B32, 4),
            1 => (Type::B64, Type::B32, 2),
            _ => (Type::vector(16, 3), Type::B16, 3),
        };
        let src = self.operand(ty);
        let parts = self.b.split(src, part, count);
        self.known.extend(parts.iter().filter_map(|part| part.as_value()));
    }

    fn collect(&mut self) {
        let (ty, part) = match self.random.below(if self.mixes { 5 } else { 3 }) {
            0 => (Type::B64, Type::B32),
            1 => (Type::vector(32, 3), Type::B32),
            2 => (Type::vector(16, 4), Type::B16),
            3 => (Type::vector(16, 4), Type::B32),
            _ => (Type::vector(32, 4), Type::B64),
        };
        let count = ty.halves() / part.halves();
        let parts: Vec<Src> = (0..count).map(|_| self.operand(part)).collect();
        self.value(IrOp::Collect, ty, &parts, &[]);
    }

    /// Phis at the head of the current block; their sources are chosen when all predecessors are known.
    fn phis(&mut self) {
        for _ in 0..self.random.below(4) {
            // Values known here are known in every predecessor; there are no vector constants as a fallback.
            let ty = TYPES[self.random.below(TYPES.len())];
            if ty.comps == 1 || self.known.iter().any(|value| self.b.f.ty(*value) == ty) {
                self.value(IrOp::Phi, ty, &[], &[]);
            }
        }
    }

    fn leave_block(&mut self) {
        let known = self.known.clone();
        self.ends.insert(self.b.block(), known);
    }

    fn conditional(&mut self, depth: usize) {
        let cond = self.operand(Type::B16);
        self.leave_block();
        let outside = self.known.len();
        self.b.begin_if(cond);
        self.arm(depth);
        self.known.truncate(outside);
        self.b.begin_else();
        if self.random.below(2) == 0 {
            self.arm(depth);
        }
        self.leave_block();
        self.known.truncate(outside);
        self.b.end_if();
        self.phis();
    }

    fn arm(&mut self, depth: usize) {
        self.statements(depth + 1);
        self.leave_block();
        if let (Some(blocks), 0..2) = (self.loops.last().copied(), self.random.below(6)) {
            self.b.jump(if self.random.below(2) == 0 { blocks.header } else { blocks.after });
        }
    }

    fn rematerialisable(&mut self, depth: usize) {
        self.leave_block();
        let blocks = self.b.begin_loop();
        self.loops.push(blocks);
        self.phis();
        let in_header = self.known.len();
        self.conditional(depth + 1);
        self.statements(depth + 1);
        self.leave_block();
        self.loops.pop();
        if self.random.below(2) == 0 {
            self.b.jump(blocks.after);
        }
        self.known.truncate(in_header);
        self.b.end_loop();
        self.phis();
    }

    fn scoped(&mut self, depth: usize) {
        self.leave_block();
        let outside = self.known.len();
        let after = self.b.begin_scope();
        let cond = self.operand(Type::B16);
        self.leave_block();
        let inside = self.known.len();
        self.b.begin_if(cond);
        self.statements(depth + 1);
        self.leave_block();
        self.b.jump(after);
        self.known.truncate(inside);
        self.b.begin_else();
        self.leave_block();
        self.b.end_if();
        self.statements(depth + 1);
        self.leave_block();
        self.known.truncate(outside);
        self.b.end_scope();
        self.phis();
    }
}

/// Sets the sources of phis and the hardware form of ifs.
fn finish_phis(f: &mut Function<'_>, ends: &Map<Block, Vec<Value>>, random: &mut Random) {
    for block in f.blocks_in_order() {
        for index in 0..f.block(block).insts.len() {
            let inst = f.block(block).insts[index];
            let data = f.insts[inst];
            if data.op == Op::Ir(IrOp::If) {
                let srcs = f.alloc(&[data.srcs[0], Src::imm(0, 16)]);
                let mods = f.alloc(&mods(Opcode::IfIcmp).with(key::INV, true).with(key::NEST, 1));
                f.set_inst(inst, InstData { op: Opcode::IfIcmp.into(), srcs, mods, ..data });
            }
            let Some(dst) = data.dst().filter(|_| data.op == Op::Ir(IrOp::Phi)) else { continue };
            let ty = f.ty(dst);
            let preds = f.block(block).preds.clone();
            let choose = |pred: &Block| {
                let known = ends.get(pred).map_or(&[][..], |known| known);
                let fitting: Vec<Value> = known.iter().copied().filter(|value| f.ty(*value) == ty).collect();
                match fitting.len() {
                    0 => Src::imm(5, ty.bits),
                    count => fitting[count - 1 - random.below(count.min(6))].into(),
                }
            };
            let srcs: Vec<Src> = preds.iter().map(choose).collect();
            let mods: Vec<u32> = preds.iter().map(|pred| pred.0).collect();
            f.insts[inst].srcs = f.alloc(&srcs);
            f.insts[inst].mods = f.alloc(&mods);
        }
    }
}

fn demand(f: &Function<'_>) -> u16 {
    pressure(f, &liveness(f), &Bump::new()).max
}

/// The minimum number of half-registers without spilling.
fn least_limit(f: &Function<'_>) -> u16 {
    let shapes = Shapes::new(f);
    demand(f) + shapes.lost_to(1) + shapes.waste()
}

fn options(limit_halves: u16) -> AllocateOptions {
    AllocateOptions {
        limit_halves,
        reserved_halves: 1,
        stack_bytes: 0,
        spill_everything: false,
        validate: true,
    }
}

#[test]
fn random_functions_are_allocated_within_their_demand() {
    let (mut tried, mut moved) = (0, 0);
    for seed in 0..900 {
        let bump = Bump::new();
        let mut f = Function::new(&bump, "random");
        Generator::build_from(&mut f, seed, 120, 6 + seed as usize % 40, seed % 3 == 0);
        let limit = least_limit(&f).max(14);
        if limit > FILE_HALVES {
            continue;
        }
        tried += 1;
        let allocation =
            allocate(&mut f, &options(limit), None).unwrap_or_else(|error| panic!("seed {seed}: {error}"));
        assert!(allocation.halves_used <= limit);
        moved += usize::from(f.insts.keys().any(|inst| f.insts[inst].op == Op::Ir(IrOp::Copy)));
    }
    assert!(tried > 400 && moved > 100, "{tried} functions, {moved} with copies");
}

#[test]
fn random_functions_are_spilled_to_any_limit() {
    let (mut spills, mut memory_phis, mut tried, mut refused) = (0, 0, 0, 0);
    for seed in 0..400 {
        let bump = Bump::new();
        let mut f = Function::new(&bump, "random");
        Generator::build_from(&mut f, seed, 120, 6 + seed as usize % 60, seed % 3 == 0);
        // One vector of four as source and one as result, the reserved ones, and a few more.
        let limit = 28 + seed as u16 % 20;
        if demand(&f) < limit {
            continue;
        }
        let options = AllocateOptions { stack_bytes: 12, ..options(limit) };
        let allocation = match allocate(&mut f, &options, None) {
            Ok(allocation) => allocation,
            Err(error) if error.kind() == ErrorKind::Limit => {
                refused += 1;
                continue;
            }
            Err(error) => panic!("seed {seed}: {error}"),
        };
        tried += 1;
        assert!(allocation.halves_used <= limit);
        spills += allocation.spills;
        memory_phis += allocation.memory_phis.len();
    }
    assert!(tried > 250 && spills > 1000 && memory_phis > 5, "{tried} {spills} {memory_phis}");
    assert!(refused == 0, "{refused}");
}

#[test]
fn everything_can_be_spilled() {
    let (mut spills, mut loads, mut memory_phis) = (0, 0, 0);
    for seed in 0..100 {
        let bump = Bump::new();
        let mut f = Function::new(&bump, "random");
        Generator::build(&mut f, seed, 120, 6 + seed as usize % 60);
        let options = AllocateOptions { spill_everything: true, ..options(64) };
        let allocation =
            allocate(&mut f, &options, None).unwrap_or_else(|error| panic!("seed {seed}: {error}"));
        let mut f = Function::new(&bump, "random");
        Generator::build(&mut f, seed, 120, 6 + seed as usize % 60);
        let scratch = Bump::new();
        let tree = dominance(&f, &scratch);
        clear_unreachable(&mut f, &tree);
        let live = liveness(&f);
        spill::keep_on_stack(&mut f, &live, &tree, Which::All, 0).unwrap();
        assert_eq!(liveness(&f).crossing(), 0, "seed {seed}: a value crosses a border of blocks");
        (spills, loads) = (spills + allocation.spills, loads + allocation.fills);
        memory_phis += allocation.memory_phis.len();
    }
    assert!(spills > 6_000 && loads > 6_000 && memory_phis > 500, "{spills} {loads} {memory_phis}");
}

#[test]
fn values_with_long_live_ranges_are_spilled_first() {
    let mut moved = 0;
    for seed in 0..8 {
        let bump = Bump::new();
        let mut f = Function::new(&bump, "random");
        Generator::build(&mut f, seed, 1500, 1000);
        let scratch = Bump::new();
        let tree = dominance(&f, &scratch);
        clear_unreachable(&mut f, &tree);
        let (before, live) = (Snapshot::of(&f), liveness(&f));
        let Some(report) = spill::keep_on_stack(&mut f, &live, &tree, Which::Long { pairs: 1 }, 0).unwrap()
        else {
            continue;
        };
        assert!(liveness(&f).pairs() < live.pairs() / 2, "seed {seed}");
        moved += report.stores;
        let options = AllocateOptions { validate: false, stack_bytes: report.stack_bytes, ..options(96) };
        let mut allocation =
            allocate(&mut f, &options, None).unwrap_or_else(|error| panic!("seed {seed}: {error}"));
        allocation.memory_phis.extend(report.memory_phis);
        check(&f, &allocation, &before, &AllocateOptions { stack_bytes: 0, ..options })
            .unwrap_or_else(|error| panic!("seed {seed}: {error}"));
    }
    assert!(moved > 100, "{moved}");
}

#[test]
fn a_small_limit_is_enough_for_small_instructions() {
    let text = "kernel @k() stage machine {\nb0:\n%0:32 = ldimm32 #1\n%1:32 = ldimm32 #2\n%2:32 = ldimm32 #3\n\
        %3:32 = load u0_u1, #0:16\n%4:32 = load u0_u1, #1:16\n%5:32 = load u0_u1, #2:16\n\
        %6:32 = iadd %3, %4\n%7:32 = iadd %6, %5\n%8:32 = iadd %7, %0\n%9:32 = iadd %8, %1\n\
        %10:32 = iadd %9, %2\n%11:32 = iadd %10, %3\nstore %11, u0_u1, #0:16\nhalt\n}\n";
    let allocated = |limit_halves: u16| {
        let bump = Bump::new();
        let mut f = crate::ir::parse(&bump, text).unwrap().remove(0);
        let options = AllocateOptions { reserved_halves: 0, ..options(limit_halves) };
        allocate(&mut f, &options, None).map(|allocation| (allocation.halves_used, allocation.fills))
    };
    assert_eq!(allocated(16).map(|(halves, fills)| (halves <= 16, fills)), Ok((true, 0)));
    assert_eq!(allocated(4).map(|(halves, fills)| (halves, fills > 0)), Ok((4, true)));
    let refusal = allocated(3).unwrap_err();
    assert_eq!(refusal.kind(), ErrorKind::Limit);
    let wanted =
        "one instruction needs 4 half-registers, but only 3 are available (limit 3, 0 of them reserved";
    assert!(refusal.to_string().contains(wanted), "{refusal}");
}

/// The shortest of three measurements of the time to allocate a function of about `size` instructions within
/// `limit`.
fn cost(size: usize, limit: u16) -> Duration {
    let run = |_| {
        let bump = Bump::new();
        let mut f = Function::new(&bump, "random");
        Generator::build(&mut f, 3, size, 40);
        let options = AllocateOptions { validate: false, ..options(limit) };
        let start = Instant::now();
        allocate(&mut f, &options, None).unwrap();
        start.elapsed()
    };
    (0..3).map(run).min().unwrap()
}

#[test]
fn cost_is_near_linear() {
    for limit in [FILE_HALVES, 60] {
        let (small, large) = (cost(500, limit), cost(10_000, limit));
        assert!(large < small * 120, "20 times the size takes {small:?} and {large:?} within {limit}");
    }
}

/// Allocates a random function, damages it, and returns whether the checker reports it; `None` if there is no
/// place for the damage.
fn sees(
    seed: u64,
    damage: fn(&mut Function<'_>, &mut Allocation, &mut Random) -> Option<()>,
) -> Option<bool> {
    let bump = Bump::new();
    let mut f = Function::new(&bump, "random");
    Generator::build(&mut f, seed, 60, 10);
    let scratch = Bump::new();
    let tree = dominance(&f, &scratch);
    clear_unreachable(&mut f, &tree);
    let options = options(least_limit(&f).clamp(14, FILE_HALVES));
    let before = Snapshot::of(&f);
    let mut allocation = allocate(&mut f, &options, None).ok()?;
    let mut random = Random::new(seed);
    damage(&mut f, &mut allocation, &mut random)?;
    Some(check(&f, &allocation, &before, &options).is_err())
}

fn sees_all(damage: fn(&mut Function<'_>, &mut Allocation, &mut Random) -> Option<()>) {
    let results: Vec<(u64, bool)> = (0..200).filter_map(|seed| Some((seed, sees(seed, damage)?))).collect();
    let missed: Vec<u64> = results.iter().filter(|(_, seen)| !seen).map(|(seed, _)| *seed).collect();
    assert!(results.len() > 50 && missed.is_empty(), "missed {missed:?} of {}", results.len());
}

/// Positions of instructions in reachable blocks for which `wanted` is true.
fn positions(f: &Function<'_>, wanted: impl Fn(&InstData<'_>) -> bool) -> Vec<(Block, usize)> {
    let scratch = Bump::new();
    let tree = dominance(f, &scratch);
    let blocks = f.blocks_in_order().filter(|block| tree.is_reachable(*block));
    let all = blocks.flat_map(|block| (0..f.block(block).insts.len()).map(move |index| (block, index)));
    all.filter(|(block, index)| wanted(&f.insts[f.block(*block).insts[*index]])).collect()
}

/// Whether an `iadd` or `store` of the same block reads the result of the move at `index` before it is
/// overwritten.
fn is_read(f: &Function<'_>, allocation: &Allocation, (block, index): (Block, usize)) -> bool {
    let halves = |value: Value| {
        let start = allocation.half(value).unwrap_or(0);
        HalfSet::range(start, f.ty(value).halves())
    };
    let insts = &f.block(block).insts;
    let own = f.insts[insts[index]];
    let Some(moved) = own.dst().map(halves) else { return false };
    // If an earlier block has the same move, or moves one value to both registers, it may already be at the destination.
    let before = f.blocks_in_order().take_while(|before| *before != block);
    let moves: Vec<_> = before.flat_map(|before| &f.block(before).insts).map(|inst| f.insts[*inst]).collect();
    let from = own.srcs.first().and_then(|src| src.as_value());
    let is_twin = |twin: &InstData<'_>| from.is_some_and(|from| twin.dsts == [from]);
    let made_equal = |other: &InstData<'_>| {
        other.dsts == own.dsts && moves.iter().any(|twin| is_twin(twin) && twin.srcs == other.srcs)
    };
    if moves.iter().any(|other| (other.dsts, other.srcs) == (own.dsts, own.srcs) || made_equal(other)) {
        return false;
    }
    // A value is moved away and back: its move back may be lost without harm.
    let sources = insts[..index].iter().flat_map(|inst| f.insts[*inst].srcs).filter_map(|src| src.as_value());
    if sources.into_iter().any(|value| !halves(value).and(moved).is_empty()) {
        return false;
    }
    for data in insts[index + 1..].iter().map(|inst| f.insts[*inst]) {
        let read = data
            .srcs
            .iter()
            .filter_map(|src| src.as_value())
            .any(|value| !halves(value).and(moved).is_empty());
        if read || data.dsts.iter().any(|dst| !halves(*dst).and(moved).is_empty()) {
            return read && matches!(data.op, Op::Hw(Opcode::Iadd | Opcode::Store));
        }
    }
    false
}

#[test]
fn checker_finds_lost_moves() {
    sees_all(|f, allocation, random| {
        let moves = positions(f, |data| matches!(data.op, Op::Hw(Opcode::Bitop | Opcode::Ldimm32)));
        let moves: Vec<_> = moves.into_iter().filter(|place| is_read(f, allocation, *place)).collect();
        let (block, index) = *moves.get(random.below(moves.len().max(1)))?;
        f.block_mut(block).insts.remove(index);
        Some(())
    });
}

#[test]
fn checker_finds_lost_and_reordered_instructions() {
    sees_all(|f, _, random| {
        let adds = positions(f, |data| data.op == Op::Hw(Opcode::Iadd));
        let (block, index) = *adds.get(random.below(adds.len().max(1)))?;
        f.block_mut(block).insts.remove(index);
        Some(())
    });
    sees_all(|f, _, random| {
        let neighbours: Vec<(Block, usize)> = positions(f, |data| data.op == Op::Hw(Opcode::Iadd))
            .windows(2)
            .filter(|pair| pair[0].0 == pair[1].0 && pair[0].1 + 1 == pair[1].1)
            .map(|pair| pair[0])
            .collect();
        let (block, index) = *neighbours.get(random.below(neighbours.len().max(1)))?;
        f.block_mut(block).insts.swap(index, index + 1);
        Some(())
    });
}

#[test]
fn checker_finds_exchanged_stack_slots() {
    let mut seen = 0;
    for seed in 0..120 {
        let bump = Bump::new();
        let mut f = Function::new(&bump, "random");
        Generator::build(&mut f, seed, 120, 60);
        let scratch = Bump::new();
        let tree = dominance(&f, &scratch);
        clear_unreachable(&mut f, &tree);
        let options = options(48);
        let before = Snapshot::of(&f);
        let Ok(allocation) = allocate(&mut f, &options, None) else { continue };
        // Slots of spilled values with their contents.
        let slots: Vec<(u64, &[u64])> = positions(&f, |data| data.op == Op::Hw(Opcode::StackStore))
            .into_iter()
            .map(|(block, index)| f.insts[f.block(block).insts[index]].srcs)
            .filter_map(|srcs| Some((srcs[1].as_imm()?, before.tokens(srcs[0].as_value()?))))
            .filter(|(_, tokens)| tokens.len() == 2)
            .collect();
        let loads = positions(&f, |data| data.op == Op::Hw(Opcode::StackLoad));
        let damage =
            loads.into_iter().filter(|place| is_read(&f, &allocation, *place)).find_map(|(block, index)| {
                let load = f.block(block).insts[index];
                let offset = f.insts[load].srcs[0].payload;
                let (_, contents) = slots.iter().find(|(slot, _)| *slot == offset)?;
                let (other, _) = slots.iter().find(|(_, other)| other != contents)?;
                Some((load, *other))
            });
        let Some((load, other)) = damage else { continue };
        f.insts[load].srcs = f.alloc(&[Src::imm(other, 16)]);
        assert!(check(&f, &allocation, &before, &options).is_err(), "seed {seed}");
        seen += 1;
    }
    assert!(seen > 40, "{seen}");
}

/// An instruction that reads two different scalars of one width that are not part of vectors.
fn two_sources(f: &Function<'_>, random: &mut Random) -> Option<(Inst, Value, Value)> {
    let own = |value: Value| f.def(value.into()).is_some_and(|data| data.op == Op::Hw(Opcode::Iadd));
    let pairs: Vec<(Inst, Value, Value)> = positions(f, |_| true)
        .into_iter()
        .filter_map(|(block, index)| {
            let inst = f.block(block).insts[index];
            let data = f.insts[inst];
            let [a, b] = [data.srcs.first()?.as_value()?, data.srcs.get(1)?.as_value()?];
            (a != b && f.ty(a) == f.ty(b) && own(a) && own(b)).then_some((inst, a, b))
        })
        .collect();
    pairs.get(random.below(pairs.len().max(1))).copied()
}

#[test]
fn checker_finds_a_register_assigned_twice() {
    sees_all(|f, allocation, random| {
        let (_, a, b) = two_sources(f, random)?;
        allocation.reg[a] = allocation.reg[b];
        Some(())
    });
}

#[test]
fn checker_finds_a_replaced_operand() {
    sees_all(|f, _, random| {
        let (inst, a, b) = two_sources(f, random)?;
        let mut srcs = f.insts[inst].srcs.to_vec();
        (srcs[0], srcs[1]) = (b.into(), a.into());
        f.insts[inst].srcs = f.alloc(&srcs);
        Some(())
    });
}

/// Allocates random functions within `limit` half-registers, damages each, and checks that the checker
/// reports it.
fn sees_spilled(
    limit: u16,
    damage: impl Fn(&mut Function<'_>, &mut Allocation, &Snapshot<'_>, &mut Random) -> Option<()>,
) {
    let mut seen = 0;
    for seed in 0..120 {
        let bump = Bump::new();
        let mut f = Function::new(&bump, "random");
        Generator::build(&mut f, seed, 120, 40);
        let scratch = Bump::new();
        let tree = dominance(&f, &scratch);
        clear_unreachable(&mut f, &tree);
        let options = options(limit);
        let before = Snapshot::of(&f);
        let Ok(mut allocation) = allocate(&mut f, &options, None) else { continue };
        check(&f, &allocation, &before, &options).unwrap_or_else(|error| panic!("seed {seed}: {error}"));
        if damage(&mut f, &mut allocation, &before, &mut Random::new(seed)).is_none() {
            continue;
        }
        assert!(check(&f, &allocation, &before, &options).is_err(), "seed {seed}");
        seen += 1;
    }
    assert!(seen > 30, "{seen}");
}

#[test]
fn checker_finds_a_lost_store() {
    sees_spilled(48, |f, allocation, _, random| {
        let slot = |f: &Function<'_>, (block, index): (Block, usize), operand: usize| {
            f.insts[f.block(block).insts[index]].srcs[operand].as_imm()
        };
        let loads = positions(f, |data| data.op == Op::Hw(Opcode::StackLoad));
        let read = loads.into_iter().filter(|place| is_read(f, allocation, *place));
        let read: Vec<u64> = read.filter_map(|place| slot(f, place, 0)).collect();
        let stores = positions(f, |data| data.op == Op::Hw(Opcode::StackStore));
        let slots: Vec<Option<u64>> = stores.iter().map(|place| slot(f, *place, 1)).collect();
        // A phi may find its previous value in its slot: the only store to a slot is needed.
        let wanted = |slot: Option<u64>| {
            slots.iter().filter(|other| **other == slot).count() == 1
                && slot.is_some_and(|slot| read.contains(&slot))
        };
        let stores: Vec<_> = stores.iter().filter(|place| wanted(slot(f, **place, 1))).collect();
        let (block, index) = **stores.get(random.below(stores.len().max(1)))?;
        f.block_mut(block).insts.remove(index);
        Some(())
    });
}

#[test]
fn checker_finds_a_slot_shared_too_soon() {
    sees_spilled(32, |f, _, before, random| {
        let (store, load) = (Op::Hw(Opcode::StackStore), Op::Hw(Opcode::StackLoad));
        let offset = |f: &Function<'_>, inst: Inst| f.insts[inst].srcs.last().and_then(|src| src.as_imm());
        let stored = |f: &Function<'_>, inst: Inst| {
            let value = f.insts[inst].srcs[0].as_value().filter(|_| f.insts[inst].op == store);
            value.map(|value| (offset(f, inst), before.tokens(value)))
        };
        let inst_at = |f: &Function<'_>, (block, index): (Block, usize)| f.block(block).insts[index];
        let stores: Vec<_> = positions(f, |data| data.op == store)
            .into_iter()
            .filter_map(|place| stored(f, inst_at(f, place)))
            .collect();
        let mut pairs: Vec<(u64, u64)> = Vec::new();
        for (block, index) in positions(f, |data| data.op == load) {
            let insts = &f.block(block).insts;
            let (slot, name) = (offset(f, insts[index]), f.insts[insts[index]].dst().map(Src::value));
            let reads = |inst: &Inst| {
                matches!(f.insts[*inst].op, Op::Hw(Opcode::Iadd | Opcode::Store))
                    && f.insts[*inst].srcs.iter().any(|src| Some(*src) == name)
            };
            // The block's last store to another slot, while this slot still has a value to be read.
            let last = insts[..index].iter().rev().find_map(|inst| stored(f, *inst));
            let Some((other, contents)) = last.filter(|_| insts[index..].iter().any(reads)) else { continue };
            let is_held = stores.iter().any(|(known, tokens)| *known == slot && *tokens == contents);
            if let (Some(slot), Some(other)) = (slot, other)
                && slot != other
                && contents.len() == 2
                && !is_held
            {
                pairs.push((slot, other));
            }
        }
        let (slot, other) = *pairs.get(random.below(pairs.len().max(1)))?;
        let accesses = positions(f, |data| data.op == load || data.op == store);
        for (block, index) in accesses {
            let inst = f.block(block).insts[index];
            if offset(f, inst) == Some(other) {
                let mut srcs = f.insts[inst].srcs.to_vec();
                srcs.pop();
                srcs.push(Src::imm(slot, 16));
                f.insts[inst].srcs = f.alloc(&srcs);
            }
        }
        Some(())
    });
}

#[test]
fn checker_finds_a_value_recomputed_from_others() {
    sees_spilled(32, |f, allocation, before, random| {
        let mut others: Vec<(Inst, Src, Src)> = Vec::new();
        for inst in allocation.rematerialised.iter().map(|(inst, _)| *inst) {
            let [a, b] = [f.insts[inst].srcs[0], f.insts[inst].srcs[1]];
            let (old, other) = (before.tokens_of(f, a), before.tokens_of(f, b));
            // The names of spilled values have no tokens.
            if !old.is_empty() && !other.is_empty() && old != other {
                others.push((inst, a, b));
            }
        }
        let (inst, a, b) = *others.get(random.below(others.len().max(1)))?;
        let put = if random.below(2) == 0 { [b, a] } else { [b, b] };
        f.insts[inst].srcs = f.alloc(&put);
        Some(())
    });
    sees_spilled(32, |f, allocation, _, random| {
        let inst = allocation.rematerialised.get(random.below(allocation.rematerialised.len().max(1)))?.0;
        f.insts[inst].op = Opcode::Isub.into();
        Some(())
    });
    sees_spilled(32, |_, allocation, _, random| {
        let place = random.below(allocation.rematerialised.len().max(1));
        let other = allocation.rematerialised.first()?.1;
        let value = &mut allocation.rematerialised.get_mut(place)?.1;
        (std::mem::replace(value, other) != other).then_some(())
    });
}

#[test]
fn slots_are_shared_and_moves_between_them_removed() {
    let (mut bytes, mut stores, mut values) = (0, 0, 0);
    for seed in 0..60 {
        let bump = Bump::new();
        let mut f = Function::new(&bump, "random");
        Generator::build(&mut f, seed, 120, 6 + seed as usize % 60);
        let options = AllocateOptions { spill_everything: true, ..options(64) };
        let allocation =
            allocate(&mut f, &options, None).unwrap_or_else(|error| panic!("seed {seed}: {error}"));
        bytes += allocation.stack_bytes;
        stores += allocation.spills;
        values += allocation.memory_phis.len() as u32;
    }
    assert!(bytes < 3 * stores && values > 200, "{bytes} bytes for {stores} stores, {values} phis");
}

#[test]
fn checker_finds_a_wrong_recomputed_constant() {
    sees_all(|f, allocation, random| {
        let constants = positions(f, |data| matches!(data.op, Op::Hw(Opcode::Ldimm16 | Opcode::Ldimm32)));
        let constants: Vec<_> =
            constants.into_iter().filter(|place| is_read(f, allocation, *place)).collect();
        let (block, index) = *constants.get(random.below(constants.len().max(1)))?;
        let inst = f.block(block).insts[index];
        let src = f.insts[inst].srcs[0];
        f.insts[inst].srcs = f.alloc(&[Src::imm(src.payload ^ 0x0001_0001 << random.below(16), src.bits)]);
        Some(())
    });
}

#[test]
fn checker_finds_a_value_overwritten_by_a_vector() {
    sees_spilled(FILE_HALVES, |f, allocation, _, _| {
        let adds = positions(f, |data| data.op == Op::Hw(Opcode::Iadd));
        for (block, index) in adds {
            let insts = f.block(block).insts.clone();
            let value = f.insts[insts[index]].dsts[0];
            let Some(half) = allocation.reg[value].filter(|reg| f.ty(value).bits == 32 && reg.half < 240)
            else {
                continue;
            };
            let reads = |data: &InstData<'_>| data.srcs.iter().any(|src| src.as_value() == Some(value));
            let Some(read) = insts.iter().rposition(|inst| reads(&f.insts[*inst])) else { continue };
            if !matches!(f.insts[insts[read]].op, Op::Hw(Opcode::Iadd | Opcode::Store)) || read < index {
                continue;
            }
            let between = insts[index + 1..read].iter().map(|inst| f.insts[*inst]);
            let vector = between.filter(|data| data.op == Op::Hw(Opcode::Load)).find_map(|data| data.dst());
            if let Some(vector) = vector.filter(|vector| f.ty(*vector).comps > 1) {
                allocation.reg[vector] = Some(half);
                return Some(());
            }
        }
        None
    });
}

#[test]
fn checker_finds_exchanged_phis() {
    sees_spilled(FILE_HALVES, |f, allocation, before, random| {
        let scratch = Bump::new();
        let tree = dominance(f, &scratch);
        let mut pairs: Vec<(Value, Value)> = Vec::new();
        for block in f.blocks_in_order().filter(|block| tree.is_reachable(*block)) {
            let phis: Vec<InstData<'_>> = before.phis(block).collect();
            for (index, a) in phis.iter().enumerate() {
                for b in &phis[..index] {
                    let (x, y) = (a.dsts[0], b.dsts[0]);
                    let in_registers = allocation.half(x).is_some() && allocation.half(y).is_some();
                    let differ = a.phi_inputs().zip(b.phi_inputs()).any(|((pred, a), (_, b))| {
                        tree.is_reachable(pred) && before.tokens_of(f, a) != before.tokens_of(f, b)
                    });
                    if in_registers && f.ty(x) == f.ty(y) && differ {
                        pairs.push((x, y));
                    }
                }
            }
        }
        let (a, b) = *pairs.get(random.below(pairs.len().max(1)))?;
        (allocation.reg[a], allocation.reg[b]) = (allocation.reg[b], allocation.reg[a]);
        Some(())
    });
}

#[test]
fn checker_finds_other_operations_and_modifiers() {
    sees_all(|f, _, random| {
        let adds = positions(f, |data| data.op == Op::Hw(Opcode::Iadd));
        let (block, index) = *adds.get(random.below(adds.len().max(1)))?;
        let inst = f.block(block).insts[index];
        if random.below(2) == 0 {
            f.insts[inst].op = Opcode::Isub.into();
        } else {
            let mods: Vec<u32> = f.insts[inst].mods.iter().map(|modifier| modifier ^ 1).collect();
            f.insts[inst].mods = f.alloc(&mods);
        }
        Some(())
    });
}

#[test]
fn checker_finds_other_modifiers_and_flags_of_a_recomputed_value() {
    sees_spilled(32, |f, allocation, _, random| {
        let inst = allocation.rematerialised.get(random.below(allocation.rematerialised.len().max(1)))?.0;
        let mods: Vec<u32> = f.insts[inst].mods.iter().map(|modifier| modifier ^ 1).collect();
        f.insts[inst].mods = f.alloc(&mods);
        (!mods.is_empty()).then_some(())
    });
    sees_spilled(32, |f, allocation, _, random| {
        let inst = allocation.rematerialised.get(random.below(allocation.rematerialised.len().max(1)))?.0;
        let mut srcs = f.insts[inst].srcs.to_vec();
        srcs.first_mut()?.flags ^= OperandFlags::NEG;
        f.insts[inst].srcs = f.alloc(&srcs);
        Some(())
    });
}

#[test]
fn checker_finds_results_in_reserved_registers() {
    let mut seen = 0;
    for seed in 0..40 {
        let bump = Bump::new();
        let mut f = Function::new(&bump, "random");
        Generator::build(&mut f, seed, 60, 10);
        let scratch = Bump::new();
        let tree = dominance(&f, &scratch);
        clear_unreachable(&mut f, &tree);
        let given = options(least_limit(&f).clamp(14, FILE_HALVES));
        let before = Snapshot::of(&f);
        let Ok(allocation) = allocate(&mut f, &given, None) else { continue };
        let wanted = AllocateOptions { reserved_halves: 8, ..given };
        if let Err(error) = check(&f, &allocation, &before, &wanted) {
            assert!(error.message().contains("reserved register"), "seed {seed}: {error}");
            seen += 1;
        }
    }
    assert!(seen > 20, "{seen}");
}

#[test]
fn inputs_that_are_not_read_take_no_registers() {
    let text =
        "kernel @k() stage machine {\nb0:\n%0:32 = preload reg=4\n%1:32 = preload reg=20\nkeep %0\n}\n";
    let bump = Bump::new();
    let mut f = crate::ir::parse(&bump, text).unwrap().remove(0);
    let allocation = allocate(&mut f, &options(32), None).expect("an input fits");
    assert_eq!(allocation.halves_used, 6);
}

#[test]
fn image_stores_have_all_registers_that_they_read() {
    let text = "kernel @k() stage machine {\nb0:\n%0:32 = mfsr sr=80\n%1:32 = mfsr sr=81\n%2:32x2 = collect %0, %1\n\
                imgw %2, %2, #0:16, #0:16, _\nhalt\n}\n";
    let bump = Bump::new();
    let mut f = crate::ir::parse(&bump, text).unwrap().remove(0);
    let allocation = allocate(&mut f, &options(32), None).expect("few registers");
    let half = allocation.half(Value(2)).expect("the vector has a register");
    assert_eq!(allocation.halves_used, half + 8);
}

#[test]
fn checker_excepts_preloaded_values_from_the_reservation() {
    let bump = Bump::new();
    let mut f = Function::new(&bump, "preload");
    let mut builder = Builder::start(&mut f);
    let preloaded = builder.value(IrOp::Preload, Type::B32, &[], &[0]);
    let far = builder.op(Opcode::Iadd, 32, &[Src::value(preloaded), Src::imm(2, 32)]);
    builder.effect(IrOp::Keep, &[far], &[]);
    builder.finish();
    f.stage = Stage::Machine;
    let before = Snapshot::of(&f);
    let given = AllocateOptions { reserved_halves: 4, ..options(32) };
    let mut allocation = allocate(&mut f, &given, None).expect("two values fit");
    check(&f, &allocation, &before, &given).expect("the sum is above the reservation");
    let sum = far.as_value().expect("a value");
    allocation.reg[sum] = allocation.reg[preloaded];
    let error = check(&f, &allocation, &before, &given).expect_err("the sum is below it");
    assert!(error.message().contains("reserved register"), "{error}");
}

#[test]
fn checker_finds_results_that_overlap() {
    let bump = Bump::new();
    let mut f = Function::new(&bump, "two results");
    // No hardware operation has two results yet: the row of an addition is used instead.
    let [a, b] = [f.add_value(Type::B32), f.add_value(Type::B32)];
    let mut builder = Builder::start(&mut f);
    let sources = [Src::imm(1, 32), Src::imm(2, 32)];
    builder.push(Opcode::Iadd, &[a, b], &sources, &mods(Opcode::Iadd));
    builder.finish();
    f.stage = Stage::Machine;
    let before = Snapshot::of(&f);
    let mut allocation = allocate(&mut f, &options(32), None).expect("two results fit");
    check(&f, &allocation, &before, &options(32)).expect("they are apart");
    allocation.reg[b] = allocation.reg[a];
    let error = check(&f, &allocation, &before, &options(32)).expect_err("one register for both");
    assert!(error.message().contains("overlaps another result"), "{error}");
}
