//! Chooses the scoreboard group of each asynchronous instruction and inserts `wait`s.
//!
//! Loads, stores, atomics and texture accesses complete asynchronously. Each belongs to one of two groups;
//! `wait` blocks until a whole group has completed. A wait is needed before anything reads or writes a
//! register that an outstanding instruction writes, before a ninth instruction enters a group (more than
//! eight give wrong results: Mesa 25.0 AGX compiler), and before barriers. Overwriting the source of an
//! outstanding store is safe, and so is ending the program (both as in Mesa 25.0).
//!
//! Outstanding instructions are tracked along the *physical* paths: the SIMD-group runs through the code in
//! layout order, both arms of an `if` included, and leaves it only by jumps. A load of the then-arm is still
//! outstanding while the else-arm runs. The states at the heads of blocks grow until the state at the end of
//! every path is contained in the state at its target; the waits that the last walk found are inserted.
//!
//! Groups: results with nearby first uses share a group, so that one wait serves all of them; stores, which
//! rarely need a wait, are kept apart from loads.
//!
//! Before: stage final. After: the same.

use agx_isa::desc::{Effects, WaitBehaviour};
use agx_isa::table::Opcode;
use bumpalo::Bump;
use bumpalo::collections::Vec as ArenaVec;

use crate::emit::End;
use crate::ir::entity::{Block, Inst, Value};
use crate::ir::function::{Function, InstData};
use crate::ir::key;
use crate::ir::op::{Op, mods};
use crate::ir::table::ScratchSide;
use crate::regalloc::file::HalfSet;
use crate::regalloc::{Allocation, finishes_later};

/// Scoreboard groups.
const GROUPS: usize = 2;
/// Instructions that a group can track.
const SLOTS: u8 = 8;
/// Loads whose first uses are within this number of instructions share a group: waiting for the earlier load
/// delays the later one little, and saves a separate wait.
const SAME_TIME: usize = 12;
/// Distance up to which the first use of a result is searched; more distant uses count as none.
const LOOK_AHEAD: usize = 64;
/// Maximum number of operations without results that a main part leaves outstanding in a group for its
/// epilog. The epilog assumes that many at its beginning.
const HANDED_OVER: u8 = 4;
/// Group of stores when both groups are in use.
const STORES: usize = 1;

/// A typical number of instructions for each wait.
const INSTS_PER_WAIT: usize = 8;

/// The instructions that may be outstanding in a group.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
struct Group {
    /// Half registers still to be written.
    writes: HalfSet,
    /// Maximum number of instructions outstanding.
    count: u8,
    /// Position in the block of the first use of a result; a result used in a later block counts from its load.
    used_at: Option<usize>,
}

/// The instructions that may be outstanding at a program point.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
struct Pending([Group; GROUPS]);

impl Pending {
    /// Merges the state of another path; returns whether this state grew.
    fn merge(&mut self, other: &Pending) -> bool {
        let before = *self;
        for (group, more) in self.0.iter_mut().zip(&other.0) {
            group.writes = group.writes.or(more.writes);
            group.count = group.count.max(more.count);
        }
        *self != before
    }

    /// Half registers that any group will write.
    fn writes(&self) -> HalfSet {
        self.0.iter().fold(HalfSet::EMPTY, |all, group| all.or(group.writes))
    }

    /// The state that the code before the first instruction may leave.
    fn at_entry(end: End) -> Pending {
        let count = if end == End::Epilog { HANDED_OVER } else { 0 };
        Pending([Group { count, ..Group::default() }; GROUPS])
    }

    /// The same state at the head of the next block, where positions of this block are meaningless.
    fn at_head(mut self) -> Pending {
        for group in &mut self.0 {
            group.used_at = None;
        }
        self
    }
}

/// Inserts waits and sets the `group` modifiers. If another part of the program follows, no register write is
/// outstanding at the end, because that part cannot tell which registers are affected. A main part may leave
/// a few stores outstanding, a prolog nothing; the code after an epilog touches no register and starts no
/// asynchronous instruction.
pub fn insert_waits(f: &mut Function<'_>, allocation: &Allocation, end: End) {
    let asynchronous = |inst: &Inst| is_asynchronous(f.insts[*inst].op);
    if f.blocks_in_order().any(|block| f.block(block).insts.iter().any(asynchronous)) {
        f.with_scratch(|f, scratch| {
            let waits = find_waits(f, allocation, end, scratch);
            insert(f, waits);
        });
    }
}

/// Finds the waits to be inserted, in program order, and sets the `group` modifiers.
fn find_waits<'s>(f: &mut Function<'_>, allocation: &Allocation, end: End, scratch: &'s Bump) -> &'s [Wait] {
    let mut heads = ScratchSide::new_in(scratch, f.blocks.len());
    heads[f.entry()] = Some(Pending::at_entry(end));
    let mut rank = ScratchSide::new_in(scratch, f.blocks.len());
    for (index, block) in (0..).zip(f.blocks_in_order()) {
        rank[block] = index;
    }
    let waits = ArenaVec::with_capacity_in(f.insts.len() / INSTS_PER_WAIT, scratch);
    let first_uses = find_first_uses(f, allocation, scratch);
    let mut walk = Walk { f, allocation, heads, rank, end, grew: true, waits, first_uses: first_uses.iter() };
    while walk.grew {
        walk.grew = false;
        walk.waits.clear();
        walk.first_uses = first_uses.iter();
        walk.through();
    }
    walk.waits.into_bump_slice()
}

/// Inserts `waits`, which are in program order.
fn insert(f: &mut Function<'_>, waits: &[Wait]) {
    let mut out = f.inst_list();
    for waits in waits.chunk_by(|a, b| a.block == b.block) {
        let block = waits[0].block;
        let mut insts = f.take_insts(block);
        out.reserve(insts.len() + waits.len());
        let mut from = 0;
        for wait in waits {
            out.extend_from_slice_copy(&insts[from..wait.position]);
            from = wait.position;
            let mods = f.alloc(&mods(Opcode::Wait).with(key::GROUP, wait.group as u32));
            let data = InstData { op: Opcode::Wait.into(), dsts: &[], srcs: &[], mods, line: wait.line };
            out.push(f.add_inst(data));
        }
        out.extend_from_slice_copy(&insts[from..]);
        // The next block reuses the memory.
        insts.clear();
        f.block_mut(block).insts = std::mem::replace(&mut out, insts);
    }
}

fn is_asynchronous(op: Op) -> bool {
    matches!(op, Op::Hw(opcode) if opcode.desc().wait == WaitBehaviour::Async)
}

struct Walk<'w, 's, 'a> {
    f: &'w mut Function<'a>,
    allocation: &'w Allocation,
    /// The state at the head of each block that control may have reached.
    heads: ScratchSide<'s, Block, Option<Pending>>,
    /// Position of each block in the layout.
    rank: ScratchSide<'s, Block, u32>,
    /// What follows the last block.
    end: End,
    /// The state at the head of a block grew after this walk had passed it.
    grew: bool,
    /// The waits that this walk found necessary, in program order.
    waits: ArenaVec<'s, Wait>,
    /// Those of the rest of the walk: see [`find_first_uses`].
    first_uses: std::slice::Iter<'s, usize>,
}

/// A wait to be inserted.
struct Wait {
    block: Block,
    /// Index of the instruction after it; the length of the block if it is the last one.
    position: usize,
    group: usize,
    /// Source line.
    line: u32,
}

impl Walk<'_, '_, '_> {
    fn through(&mut self) {
        let mut blocks = self.f.blocks_in_order().peekable();
        while let Some(block) = blocks.next() {
            let mut pending = self.heads[block].unwrap_or_default();
            self.block(block, &mut pending);
            match blocks.peek() {
                Some(next) => self.arrive(block, *next, &pending),
                None => self.leave(block, &pending),
            }
        }
    }

    fn arrive(&mut self, from: Block, to: Block, pending: &Pending) {
        let grew = match &mut self.heads[to] {
            Some(head) => head.merge(&pending.at_head()),
            head => {
                *head = Some(pending.at_head());
                true
            }
        };
        self.grew |= grew && self.rank[to] <= self.rank[from];
    }

    /// Finds the waits of a block; `pending` is the state at its head and becomes that at its end.
    fn block(&mut self, block: Block, pending: &mut Pending) {
        let insts = self.f.take_insts(block);
        // Those of either group; few instructions touch them.
        let mut writes = pending.writes();
        for (position, inst) in insts.iter().enumerate() {
            self.f.watch.visit(1);
            let data = self.f.insts[*inst];
            let wait = |group| Wait { block, position, group, line: data.line };
            if pending.0.iter().any(|group| group.count > 0) {
                let barrier = data.effects().contains(Effects::BARRIER);
                if barrier || touches(self.f, self.allocation, &data, &writes) {
                    for group in 0..GROUPS {
                        let early =
                            barrier || touches(self.f, self.allocation, &data, &pending.0[group].writes);
                        if early && pending.0[group].count > 0 {
                            pending.0[group] = Group::default();
                            self.waits.push(wait(group));
                        }
                    }
                    writes = pending.writes();
                }
            }
            if is_asynchronous(data.op) {
                let first_use = if data.dsts.is_empty() { None } else { self.first_uses.next().copied() };
                let (group, is_full) = self.start(*inst, first_use.unwrap_or(insts.len()), pending);
                if is_full {
                    self.waits.push(wait(group));
                }
                writes = pending.writes();
            }
            if data.effects().contains(Effects::JUMP) {
                let target = data.op.mod_index("target").and_then(|index| data.mods.get(index));
                if let Some(target) = target {
                    self.arrive(block, Block(*target), pending);
                }
            }
        }
        self.f.block_mut(block).insts = insts;
    }

    /// Finds the waits at the end of the last block.
    fn leave(&mut self, block: Block, pending: &Pending) {
        for group in 0..GROUPS {
            if self.ends_with_wait(&pending.0[group]) {
                let position = self.f.block(block).insts.len();
                self.waits.push(Wait { block, position, group, line: 0 });
            }
        }
    }

    /// Whether a group must be waited for before the code after the last block.
    fn ends_with_wait(&self, group: &Group) -> bool {
        match self.end {
            End::Stop | End::Preamble | End::Epilog => false,
            End::Prolog => group.count > 0,
            End::Main => !group.writes.is_empty() || group.count > HANDED_OVER,
        }
    }

    /// Adds an asynchronous instruction to a group; its results are first touched at position `first_use`. Returns the
    /// group, and whether that was full, so that it must be waited for before.
    fn start(&mut self, inst: Inst, first_use: usize, pending: &mut Pending) -> (usize, bool) {
        let data = self.f.insts[inst];
        let writes = written(self.f, self.allocation, &data);
        let used_at = (!writes.is_empty()).then_some(first_use);
        let group = choose_group(pending, used_at);
        let state = &mut pending.0[group];
        let is_full = state.count >= SLOTS;
        if is_full {
            *state = Group::default();
        }
        state.count += 1;
        state.writes = state.writes.or(writes);
        state.used_at = match (state.used_at, used_at) {
            (Some(known), Some(new)) => Some(known.min(new)),
            (known, new) => known.or(new),
        };
        if data.get(key::GROUP) != group as u32
            && let Some(index) = data.op.mod_index("group")
        {
            let mods = self.f.bump.alloc_slice_copy(data.mods);
            mods[index] = group as u32;
            self.f.insts[inst].mods = mods;
        }
        (group, is_full)
    }
}

/// Half registers that an instruction writes.
fn written(f: &Function<'_>, allocation: &Allocation, data: &InstData<'_>) -> HalfSet {
    data.dsts.iter().fold(HalfSet::EMPTY, |set, dst| {
        let halves = f.ty(*dst).halves();
        allocation.half(*dst).map_or(set, |half| set.or(HalfSet::range(half, halves)))
    })
}

/// Whether an instruction reads or writes one of the half registers in `set`.
#[inline]
fn touches(f: &Function<'_>, allocation: &Allocation, data: &InstData<'_>, set: &HalfSet) -> bool {
    !set.is_empty() && touches_one(f, allocation, data, set)
}

/// Like [`touches`], for a set that is not empty.
#[inline(never)]
fn touches_one(f: &Function<'_>, allocation: &Allocation, data: &InstData<'_>, set: &HalfSet) -> bool {
    let is_in = |value: Value| {
        let halves = f.ty(value).halves();
        allocation.half(value).is_some_and(|half| set.has_any(&(half..half + halves)))
    };
    data.dsts.iter().any(|dst| is_in(*dst)) || data.srcs.iter().any(|src| src.as_value().is_some_and(is_in))
}

/// Finds, for each asynchronous instruction with results, in program order, the position in its block of the first later
/// instruction that touches them, within the search distance.
fn find_first_uses<'s>(f: &Function<'_>, allocation: &Allocation, scratch: &'s Bump) -> &'s [usize] {
    let mut first_uses = ArenaVec::new_in(scratch);
    // Those whose results nothing has touched yet: their numbers, with their results.
    let mut open: ArenaVec<'_, (usize, HalfSet)> = ArenaVec::new_in(scratch);
    for block in f.blocks_in_order() {
        let insts = &f.block(block).insts;
        f.watch.visit(1 + insts.len() / 4);
        open.clear();
        let mut results = HalfSet::EMPTY;
        for (position, inst) in insts.iter().enumerate() {
            let data = &f.insts[*inst];
            if touches(f, allocation, data, &results) {
                open.retain(|(number, own)| {
                    let first: &mut usize = &mut first_uses[*number];
                    let is_touched = touches(f, allocation, data, own);
                    if is_touched {
                        *first = position.min(*first);
                    }
                    !is_touched && position < *first
                });
                results = open.iter().fold(HalfSet::EMPTY, |all, (_, own)| all.or(*own));
            }
            if finishes_later(data) {
                let own = written(f, allocation, data);
                open.push((first_uses.len(), own));
                results.join(&own);
                first_uses.push(insts.len().min(position + LOOK_AHEAD));
            }
        }
    }
    first_uses.into_bump_slice()
}

/// The group for an instruction whose result, if any, is first used at `used_at`.
fn choose_group(pending: &Pending, used_at: Option<usize>) -> usize {
    let groups = &pending.0;
    let has_room = |group: &usize| groups[*group].count < SLOTS;
    let Some(used_at) = used_at else {
        let without_results = |group: &usize| has_room(group) && groups[*group].writes.is_empty();
        return [STORES, 1 - STORES].into_iter().find(without_results).unwrap_or(STORES);
    };
    let company = |group: &usize| {
        has_room(group) && groups[*group].used_at.is_some_and(|other| other.abs_diff(used_at) <= SAME_TIME)
    };
    let quiet = |group: &usize| has_room(group) && groups[*group].writes.is_empty();
    let order = [1 - STORES, STORES];
    order.into_iter().find(company).or_else(|| order.into_iter().find(quiet)).unwrap_or(1 - STORES)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::function::Seam;
    use crate::ir::parse_with_registers;
    use crate::regalloc::tests::Generator;
    use crate::regalloc::{AllocateOptions, Reg, allocate};
    use agx_random::Random;
    use bumpalo::Bump;

    /// The instructions of `body` after the pass, by name, with the group of those that have one.
    fn waits(body: &str) -> Vec<String> {
        waits_until(body, End::Stop)
    }

    fn waits_until(body: &str, end: End) -> Vec<String> {
        let bump = Bump::new();
        let text = format!("kernel @test() stage final {{\nb0:\n{body}\n}}\n");
        let (mut f, registers) = parse_with_registers(&bump, &text).unwrap().remove(0);
        let mut allocation = Allocation::default();
        for value in f.values.keys() {
            allocation.reg[value] = registers[value].map(|half| Reg { half: half as u8 });
        }
        insert_waits(&mut f, &allocation, end);
        let insts = f.blocks_in_order().flat_map(|block| f.block(block).insts.clone()).collect::<Vec<_>>();
        let name = |inst: &Inst| {
            let data = f.insts[*inst];
            let group = data.op.mod_index("group").map(|index| data.mods[index].to_string());
            format!("{}{}", data.op.name(), group.unwrap_or_default())
        };
        insts.iter().map(name).collect()
    }

    #[test]
    fn one_wait_serves_loads_used_together() {
        let body = "%0:32@r1 = load u4_u5, #0:16\n%1:32@r2 = load u4_u5, #1:16\n%2:32@r3 = iadd %0, %1\n%3:32@r4 = iadd %1, %1";
        assert_eq!(waits(body), ["load0", "load0", "wait0", "iadd", "iadd"]);
    }

    #[test]
    fn overwriting_a_pending_result_waits_but_overwriting_the_source_of_a_store_does_not() {
        let body = "%0:32@r1 = load u4_u5, #0:16\n%1:32@r1 = ldimm32 #1";
        assert_eq!(waits(body), ["load0", "wait0", "ldimm32"]);
        let body = "%0:32@r1 = ldimm32 #1\nstore %0, u4_u5, #0:16\n%1:32@r1 = ldimm32 #2";
        assert_eq!(waits(body), ["ldimm32", "store1", "ldimm32"]);
    }

    #[test]
    fn the_ninth_store_and_barriers_wait() {
        let body = "%0:32@r1 = ldimm32 #1\n".to_owned() + &"store %0, u4_u5, #0:16\n".repeat(17) + "barrier";
        let names = waits(&body);
        assert_eq!(names.iter().filter(|name| name.starts_with("wait")).count(), 3);
        assert!(names[names.len() - 2].starts_with("wait") && names.ends_with(&["barrier".to_owned()]));
    }

    #[test]
    fn loads_of_the_then_arm_are_pending_in_the_else_arm() {
        let body = "if_icmp #0:16, #0:16 nest=1 {\nb1:\n%0:32@r1 = load u4_u5, #0:16\n} else {\nb2:\n%1:32@r1 = ldimm32 #1\n}\nb3:\n%2:32@r2 = iadd %0, %0";
        assert_eq!(waits(body), ["if_icmp", "load0", "wait0", "ldimm32", "iadd"]);
    }

    #[test]
    fn no_register_is_outstanding_before_another_part() {
        let body = "%0:32@r1 = load u4_u5, #0:16\nstore %0, u4_u5, #1:16";
        for end in [End::Stop, End::Main, End::Epilog] {
            assert_eq!(waits_until(body, end), ["load0", "wait0", "store1"], "{end:?}");
        }
        assert_eq!(waits_until(body, End::Prolog), ["load0", "wait0", "store1", "wait1"]);
        let body = "%0:32@r1 = load u4_u5, #0:16";
        for end in [End::Prolog, End::Main] {
            assert_eq!(waits_until(body, end), ["load0", "wait0"], "{end:?}");
        }
    }

    #[test]
    fn an_epilog_has_room_for_the_stores_of_the_main_part() {
        let stores =
            |count: usize| "%0:32@r1 = ldimm32 #1\n".to_owned() + &"store %0, u4_u5, #0:16\n".repeat(count);
        let is_wait = |name: &String| name.starts_with("wait");
        for (count, end, expected) in [
            (8, End::Main, 1),
            (4, End::Main, 0),
            (5, End::Main, 1),
            (8, End::Epilog, 0),
            (9, End::Epilog, 1),
        ] {
            let names = waits_until(&stores(count), end);
            assert_eq!(
                names.iter().filter(|name| is_wait(name)).count(),
                expected,
                "{count} {end:?} {names:?}"
            );
        }
    }

    /// Simulates a random physical path and returns an instruction that touches a register too early.
    fn hazard(f: &Function<'_>, allocation: &Allocation, random: &mut Random) -> Option<Inst> {
        let order: Vec<Block> = f.blocks_in_order().collect();
        let halves = |value: &Value| {
            allocation.half(*value).map_or(HalfSet::EMPTY, |half| HalfSet::range(half, f.ty(*value).halves()))
        };
        let (mut groups, mut at, mut steps) = ([(HalfSet::EMPTY, 0u32); GROUPS], 0, 0);
        'blocks: while at < order.len() && steps < 400 {
            for inst in &f.block(order[at]).insts {
                let data = f.insts[*inst];
                steps += 1;
                let sources: Vec<_> = data.srcs.iter().filter_map(|src| src.as_value()).collect();
                let touched =
                    data.dsts.iter().chain(&sources).fold(HalfSet::EMPTY, |set, value| set.or(halves(value)));
                if groups.iter().any(|(writes, count)| !writes.and(touched).is_empty() || *count > 8) {
                    return Some(*inst);
                }
                let group = data.op.mod_index("group").map_or(0, |index| data.mods[index] as usize);
                if data.op == Op::Hw(Opcode::Wait) {
                    groups[group] = (HalfSet::EMPTY, 0);
                } else if is_asynchronous(data.op) {
                    let writes = data.dsts.iter().fold(HalfSet::EMPTY, |set, value| set.or(halves(value)));
                    groups[group] = (groups[group].0.or(writes), groups[group].1 + 1);
                }
                if data.op == Op::Hw(Opcode::JmpAny) && random.below(3) > 0 {
                    let target = Block(data.mods[0]);
                    at = order.iter().position(|block| *block == target).unwrap();
                    continue 'blocks;
                }
            }
            at += 1;
        }
        None
    }

    #[test]
    fn no_path_of_random_functions_has_a_hazard() {
        let mut waits = 0;
        for seed in 0..200 {
            let bump = Bump::new();
            let mut f = Function::new(&bump, "random");
            Generator::build(&mut f, seed, 80, 8);
            let options = AllocateOptions {
                limit_halves: 256,
                reserved_halves: 1,
                stack_bytes: 0,
                spill_everything: false,
                validate: false,
            };
            let Ok(allocation) = allocate(&mut f, &options, None) else { continue };
            // Back edges become jumps; other constructs do not alter the path.
            let mut headers = Vec::new();
            for index in 0..f.layout.len() {
                let block = f.layout[index].block;
                if f.terminator(block)
                    .is_some_and(|inst| f.insts[inst].op == Op::Ir(crate::ir::op::IrOp::Jump))
                {
                    f.block_mut(block).insts.pop();
                }
                match f.layout[index].seam {
                    Seam::Loop => headers.push(f.layout[index + 1].block),
                    Seam::EndLoop => {
                        let mods = f.alloc(&[headers.pop().unwrap().0]);
                        let jump = f.add_inst(InstData {
                            op: Opcode::JmpAny.into(),
                            dsts: &[],
                            srcs: &[],
                            mods,
                            line: 0,
                        });
                        f.block_mut(block).insts.push(jump);
                    }
                    _ => {}
                }
            }
            insert_waits(&mut f, &allocation, End::Stop);
            let mut random = Random::new(seed);
            for _ in 0..20 {
                assert_eq!(hazard(&f, &allocation, &mut random), None, "seed {seed}");
            }
            let is_wait = |inst: &Inst| f.insts[*inst].op == Op::Hw(Opcode::Wait);
            waits += f
                .blocks_in_order()
                .map(|block| f.block(block).insts.iter().filter(|i| is_wait(i)).count())
                .sum::<usize>();
        }
        assert!(waits > 300, "{waits} waits");
    }
}
