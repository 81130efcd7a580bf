//! Merges and narrows accesses to device, threadgroup and stack memory.
//!
//! Loads and stores of adjacent components in one block become one instruction of up to four components, for
//! loads with gaps of unused components; a load whose last components are unused is narrowed. The hardware
//! requires only the alignment of a component. A load moves up to the first one of its group, a store down to
//! the last one; a group ends where an instruction in between could observe the difference.
//!
//! Before: stage source. After: the same.

use agx_isa::table::Opcode;
use arrayvec::ArrayVec;
use bumpalo::Bump;
use bumpalo::collections::Vec as ArenaVec;

use crate::analysis::memory::{Location, MemoryAccess, Space, components, disturbs_memory, vector};
use crate::ir::families::ACCESSES;
use crate::ir::{
    Block, Build, Function, Inst, InstData, IrOp, Op, Rewrite, Rewriter, ScratchSide, Src, Type, Value,
};

/// Maximum number of components of an access.
const MAX_COMPONENTS: i64 = 4;
/// Maximum number of unused components between merged loads.
const MAX_LOAD_GAP: i64 = 1;
/// Maximum number of accesses considered together.
const MAX_GROUP: usize = 16;

/// Merges and narrows accesses.
pub fn opt_vectorize_memory(f: &mut Function<'_>) {
    f.with_scratch(|f, scratch| {
        let plan = plan(f, scratch);
        if !plan.groups.is_empty() {
            ACCESSES.map(f, |r, inst| plan.apply(r, inst));
        }
    });
}

/// Determines which accesses to merge.
fn plan<'s>(f: &Function<'_>, scratch: &'s Bump) -> Plan<'s> {
    let used = used_components(f, scratch);
    let of_inst = ScratchSide::later_in(scratch, f.insts.len());
    let mut planner = Planner {
        f,
        used: &used,
        plan: Plan { groups: ArenaVec::new_in(scratch), of_inst },
        loads: Members::new(),
        stores: Members::new(),
    };
    for block in f.blocks_in_order() {
        planner.block(block);
    }
    planner.plan
}

/// A member of a group: the instruction, its access, and the number of its components in use.
#[derive(Clone, Copy)]
struct Member {
    inst: Inst,
    /// Its position in the block.
    position: usize,
    access: MemoryAccess,
    wanted: i64,
}

/// Accesses considered together.
type Members = ArrayVec<Member, MAX_GROUP>;

impl Member {
    fn first(&self) -> i64 {
        self.access.range().0
    }

    fn end(&self) -> i64 {
        self.first() + self.wanted * self.access.stride()
    }

    /// Whether one load could serve both.
    fn is_alike(&self, other: &Member) -> bool {
        self.access.location.is_comparable(&other.access.location)
            && self.access.ty.bits == other.access.ty.bits
            && self.access.is_readonly() == other.access.is_readonly()
    }
}

#[derive(Clone, Copy, Default)]
enum Role {
    #[default]
    None,
    /// Replaced by the access of this group.
    Leader(usize),
    /// Removed.
    Member,
}

struct Plan<'s> {
    /// Accesses to merge, sorted by location.
    groups: ArenaVec<'s, Vec<Member>>,
    of_inst: ScratchSide<'s, Inst, Role>,
}

/// All components of a vector, however many it has.
const ALL_COMPONENTS: u8 = u8::MAX;

/// The number of leading components of each value that are read, or [`ALL_COMPONENTS`].
fn used_components<'s>(f: &Function<'_>, scratch: &'s Bump) -> ScratchSide<'s, Value, u8> {
    let mut used: ScratchSide<'_, Value, u8> = ScratchSide::new_in(scratch, f.values.len());
    let mut splits: ArenaVec<'_, &InstData<'_>> = ArenaVec::new_in(scratch);
    for block in f.blocks_in_order() {
        for inst in &f.block(block).insts {
            let data = &f.insts[*inst];
            if data.op == Op::Ir(IrOp::Split) {
                splits.push(data);
                continue;
            }
            for value in data.values() {
                used[value] = ALL_COMPONENTS;
            }
        }
    }
    // Results of splits are scalars, or vectors that the next iteration decomposes.
    for split in splits {
        let Some(value) = split.srcs[0].as_value() else { continue };
        let whole = f.ty(value).comps;
        let last = split
            .dsts
            .iter()
            .rposition(|dst| used[*dst] > 0 || f.ty(*dst).bits == 64 || f.ty(*dst).comps > 1);
        let by_component = split.dsts.len() == usize::from(whole) && whole > 1;
        let wanted = if by_component { last.map_or(0, |last| last as u8 + 1) } else { whole };
        used[value] = used[value].max(wanted);
    }
    used
}

/// Collects the groups of one block.
struct Planner<'p, 's, 'a> {
    f: &'p Function<'a>,
    used: &'p ScratchSide<'s, Value, u8>,
    plan: Plan<'s>,
    /// Loads that may still be merged.
    loads: Members,
    /// Stores that may still be merged; all with the same base and root.
    stores: Members,
}

impl Planner<'_, '_, '_> {
    fn block(&mut self, block: Block) {
        self.f.watch.visit(1 + self.f.block(block).insts.len() / 4);
        for (position, inst) in self.f.block(block).insts.iter().enumerate() {
            let data = &self.f.insts[*inst];
            if data.is_speculatable() {
                continue;
            }
            if matches!(data.op, Op::Ir(IrOp::LoadGlobal | IrOp::LoadLocal | IrOp::LoadScratch)) {
                self.load(*inst, position, data);
            } else if let Some(access) = MemoryAccess::of_store(self.f, data) {
                self.store(Member { inst: *inst, position, access, wanted: i64::from(access.ty.comps) });
            } else if disturbs_memory(data) {
                self.flush_loads(false);
                self.flush_stores();
            } else if data.writes_coverage() {
                // A lane stores nothing after a discard that makes it a helper.
                self.flush_stores();
            }
        }
        self.flush_loads(true);
        self.flush_stores();
    }

    fn load(&mut self, inst: Inst, position: usize, data: &InstData<'_>) {
        let access = MemoryAccess::of_load(self.f, data);
        if access.is_none_or(|access| !access.is_readonly()) {
            self.flush_stores();
        }
        let Some(access) = access else { return };
        let wanted = i64::from(self.used[data.dsts[0]].min(access.ty.comps));
        if wanted > 0 && wanted <= MAX_COMPONENTS && access.ty.bits <= 32 {
            if self.loads.len() == MAX_GROUP {
                self.flush_loads(true);
            }
            self.loads.push(Member { inst, position, access, wanted });
        }
    }

    fn store(&mut self, store: Member) {
        self.flush_loads(false);
        let bits = store.access.ty.bits;
        let joins = |other: &Member| {
            store.access.location.is_comparable(&other.access.location)
                && store.access.is_disjoint(&other.access)
                && bits == other.access.ty.bits
        };
        if bits > 32 || self.stores.len() == MAX_GROUP || !self.stores.iter().all(joins) {
            self.flush_stores();
        }
        if bits <= 32 {
            self.stores.push(store);
        }
    }

    /// Groups the open loads: all of them, or only those of memory that is written.
    fn flush_loads(&mut self, all: bool) {
        if self.loads.is_empty() {
            return;
        }
        let closes = |load: &Member| all || !load.access.is_readonly();
        let mut open: Members = self.loads.iter().filter(|load| closes(load)).copied().collect();
        self.loads.retain(|load| !closes(load));
        let mut same = Members::new();
        while let Some(first) = open.first().copied() {
            same.clear();
            same.extend(open.iter().filter(|other| first.is_alike(other)).copied());
            open.retain(|other| !first.is_alike(other));
            same.sort_by_key(|member| (member.first(), member.position));
            self.pack(&same, MAX_LOAD_GAP, false);
        }
    }

    fn flush_stores(&mut self) {
        if self.stores.is_empty() {
            return;
        }
        let mut same = self.stores.clone();
        self.stores.clear();
        same.sort_by_key(Member::first);
        self.pack(&same, 0, true);
    }

    /// Forms groups of neighbours, at most `gap` components apart, from members sorted by location.
    fn pack(&mut self, members: &[Member], gap: i64, leader_is_last: bool) {
        let mut rest = members;
        while let Some(first) = rest.first() {
            let stride = first.access.stride();
            let (mut count, mut end) = (1, first.end());
            for next in &rest[1..] {
                let fits = next.first() <= end + gap * stride
                    && (next.first() - first.first()) % stride == 0
                    && next.end().max(end) - first.first() <= MAX_COMPONENTS * stride;
                if !fits {
                    break;
                }
                end = end.max(next.end());
                count += 1;
            }
            let (group, others) = rest.split_at(count);
            rest = others;
            if count > 1 || first.wanted < i64::from(first.access.ty.comps) {
                self.add_group(group, leader_is_last);
            }
        }
    }

    fn add_group(&mut self, members: &[Member], leader_is_last: bool) {
        let by_position = members.iter().map(|member| (member.position, member.inst));
        let leader = if leader_is_last { by_position.max() } else { by_position.min() };
        for member in members {
            let leads = leader.is_some_and(|(_, leader)| leader == member.inst);
            self.plan.of_inst[member.inst] =
                if leads { Role::Leader(self.plan.groups.len()) } else { Role::Member };
        }
        self.plan.groups.push(members.to_vec());
    }
}

impl Plan<'_> {
    fn apply(&self, r: &mut Rewriter<'_, '_>, inst: Inst) -> Rewrite {
        match self.of_inst[inst] {
            Role::None => return Rewrite::Keep,
            Role::Member => {}
            Role::Leader(group) if r.f.insts[inst].dsts.is_empty() => store_group(r, &self.groups[group]),
            Role::Leader(group) => load_group(r, &self.groups[group]),
        }
        Rewrite::Remove
    }
}

/// The base and byte offset of the first component of a group.
fn address(r: &mut Rewriter<'_, '_>, Location { base, root, shift, offset, .. }: Location) -> [Src; 2] {
    let plus = |r: &mut Rewriter<'_, '_>, src: Src, constant: i32| match constant {
        0 => src,
        _ => r.op(Opcode::Iadd, 32, &[src, Src::imm32(constant as u32)]),
    };
    let offset = match root.map(|root| r.resolve(root)) {
        None => Src::imm32(offset as u32),
        Some(root) if shift == 0 => plus(r, root, offset),
        // In the original form, if the constant was also shifted.
        Some(root) => {
            let is_shifted = offset.trailing_zeros() >= shift;
            let (inner, outer) = if is_shifted { (offset >> shift, 0) } else { (0, offset) };
            let index = plus(r, root, inner);
            let shifted = r.alu(IrOp::Shl, 32, &[index, Src::imm32(shift)], &[]);
            plus(r, shifted, outer)
        }
    };
    [r.resolve(base), offset]
}

/// Loads all components and distributes them over the members.
fn load_group(r: &mut Rewriter<'_, '_>, group: &[Member]) {
    let access = group[0].access;
    let (first, stride) = (group[0].first(), access.stride());
    let end = group.iter().map(Member::end).max().unwrap_or(first);
    let [base, offset] = address(r, access.location);
    let flags = group.iter().fold(access.flags, |flags, member| flags & member.access.flags);
    let ty = Type::vector(access.ty.bits, ((end - first) / stride) as u8);
    let loaded = match access.location.space {
        Space::Device => r.value(IrOp::LoadGlobal, ty, &[base, offset], &[flags.bits(), access.align]),
        Space::Threadgroup => r.value(IrOp::LoadLocal, ty, &[offset], &[access.align]),
        Space::Stack => r.value(IrOp::LoadScratch, ty, &[offset], &[]),
    };
    let parts = components(r, loaded.into());
    for member in group {
        let dst = r.f.insts[member.inst].dsts[0];
        let at = ((member.first() - first) / stride) as usize;
        let unread = Src::imm(0, access.ty.bits);
        let own: Vec<Src> = (0..usize::from(member.access.ty.comps))
            .map(|index| if (index as i64) < member.wanted { parts[at + index] } else { unread })
            .collect();
        let own = vector(r, &own);
        r.forward(dst, own);
    }
}

/// Stores the components of all members.
fn store_group(r: &mut Rewriter<'_, '_>, group: &[Member]) {
    let access = group[0].access;
    let mut parts: Vec<Src> = Vec::new();
    for member in group {
        let data = r.resolve(r.f.insts[member.inst].srcs[0]);
        parts.extend(components(r, data));
    }
    let data = vector(r, &parts);
    let [base, offset] = address(r, access.location);
    match access.location.space {
        Space::Device => {
            r.push(IrOp::StoreGlobal, &[], &[data, base, offset], &[access.flags.bits(), access.align])
        }
        Space::Threadgroup => r.push(IrOp::StoreLocal, &[], &[data, offset], &[access.align]),
        Space::Stack => r.push(IrOp::StoreScratch, &[], &[data, offset], &[]),
    };
}
