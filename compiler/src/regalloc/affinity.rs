//! Register preferences that make moves unnecessary.
//!
//! Values joined by phis form a web and prefer one register: the one assigned to its most recent member. The
//! values that lead to one of them prefer it too, each read last by the operation that computes the next. A
//! source of a `collect` prefers its position inside the vector; the first source to be placed determines the
//! vector's register, and the rest of that range is kept for the others as long as nothing else needs it.

use bumpalo::Bump;
use bumpalo::collections::Vec as ArenaVec;

use crate::ir::entity::{Block, Entity, Inst, Value};
use crate::ir::function::{Function, InstData};
use crate::ir::op::{IrOp, Op};
use crate::ir::table::ScratchSide;

use super::claims::Claims;
use super::file::{FILE_HALVES, HalfSet};

/// Register preferences of the values of a function, and the placements so far.
pub struct Affinity<'s> {
    /// Whether there are phis. Without them, each value is a separate web.
    has_webs: bool,
    /// Next value towards the representative of the web; `None` for representatives.
    web: ScratchSide<'s, Value, Option<Value>>,
    /// Register of the most recently placed member, for representatives.
    web_place: ScratchSide<'s, Value, Option<u16>>,
    /// The vector that collects a value, and the value's offset in it, in halves.
    vector: ScratchSide<'s, Value, Option<(Value, u16)>>,
    /// The first phi in program order that has the value as a source.
    phi: ScratchSide<'s, Value, Option<(Value, Block)>>,
    /// Phis of each block.
    phis: ScratchSide<'s, Block, &'s [Value]>,
    /// The value joined by phis that takes the place of a value, through operations that read the values in between
    /// last, and its offset in the place, in halves.
    heir: ScratchSide<'s, Value, Option<(Value, u16)>>,
    /// The intended register of a vector.
    vector_place: ScratchSide<'s, Value, Option<u16>>,
    /// Registers that are better left to values to come.
    pub claims: Claims<'s>,
    /// The register in which the next part of the program expects a value or the components of a vector.
    exported_to: ScratchSide<'s, Value, Option<u16>>,
    /// Exported registers, and the step at which the first value assigned to each is defined.
    exported: ArenaVec<'s, (HalfSet, u32)>,
    /// The step of the last read of each value, if anything is exported.
    last_read: ScratchSide<'s, Value, u32>,
}

/// Number of halves above the exported registers that other values may use to keep those free.
const HALVES_ABOVE_EXPORTS: u16 = 16;

impl<'s> Affinity<'s> {
    /// Collects the preferences in `scratch`.
    pub fn new_in(scratch: &'s Bump, f: &Function<'_>) -> Self {
        let count = f.values.len();
        let mut result = Affinity {
            has_webs: false,
            web: ScratchSide::later_in(scratch, count),
            web_place: ScratchSide::later_in(scratch, count),
            vector: ScratchSide::later_in(scratch, count),
            phi: ScratchSide::later_in(scratch, count),
            phis: ScratchSide::later_in(scratch, f.blocks.len()),
            heir: ScratchSide::later_in(scratch, count),
            vector_place: ScratchSide::later_in(scratch, count),
            claims: Claims::new_in(scratch, count),
            exported_to: exports(scratch, f),
            exported: ArenaVec::new_in(scratch),
            last_read: ScratchSide::later_in(scratch, count),
        };
        let has_exports = f.present.may_have_op(IrOp::Export);
        let (mut step, mut vectors) = (0, ArenaVec::new_in(scratch));
        for block in f.blocks_in_order() {
            let phis = &f.block(block).insts[..f.phi_count(block)];
            if !phis.is_empty() {
                let phis = phis.iter().filter_map(|phi| f.insts[*phi].dst());
                result.phis[block] = ArenaVec::from_iter_in(phis, scratch).into_bump_slice();
                result.has_webs = true;
            }
            for inst in &f.block(block).insts {
                let data = &f.insts[*inst];
                result.note_vector_or_web(f, block, data);
                if has_exports {
                    step += 1;
                    result.note_exported(f, data, step);
                    if let Op::Ir(IrOp::Split | IrOp::Collect) = data.op {
                        vectors.push(*inst);
                    }
                }
            }
        }
        if result.has_webs {
            result.find_heirs(scratch, f);
        }
        result.keep_parts(f, &vectors);
        result
    }

    /// Notes that a phi joins its sources, or the places of the sources of a `collect`.
    fn note_vector_or_web(&mut self, f: &Function<'_>, block: Block, data: &InstData<'_>) {
        match (data.op, data.dst()) {
            (Op::Ir(IrOp::Phi), Some(dst)) => {
                for value in data.srcs.iter().filter_map(|src| src.as_value()) {
                    // A value that several phis read cannot be where all of them are.
                    if self.phi[value].is_none() {
                        self.phi[value] = Some((dst, block));
                        self.join(dst, value);
                    }
                }
            }
            (Op::Ir(IrOp::Collect), Some(dst)) => {
                let mut offset = 0;
                for src in data.srcs {
                    if let Some(value) = src.as_value() {
                        self.vector[value].get_or_insert((dst, offset));
                        self.claims.add_vector(value);
                    }
                    offset += f.src_ty(*src).halves();
                }
            }
            _ => {}
        }
    }

    /// Finds the values whose place values joined by phis take.
    fn find_heirs(&mut self, scratch: &Bump, f: &Function<'_>) {
        let mut is_read: ScratchSide<'_, Value, bool> = ScratchSide::new_in(scratch, f.values.len());
        for inst in f.blocks_in_order().rev().flat_map(|block| f.block(block).insts.iter().rev()) {
            let data = &f.insts[*inst];
            let heir = self.heir_of(f, data);
            for value in data.srcs.iter().filter_map(|src| src.as_value()) {
                let is_last = !std::mem::replace(&mut is_read[value], true);
                if is_last && heir.is_some() && (data.op == Op::Ir(IrOp::Split) || fits(f, data, value)) {
                    self.heir[value] = heir;
                }
            }
        }
    }

    /// The value joined by phis in the place of what an operation reads last.
    fn heir_of(&self, f: &Function<'_>, data: &InstData<'_>) -> Option<(Value, u16)> {
        if !matches!(data.op, Op::Hw(_) | Op::Ir(IrOp::Split)) {
            return None;
        }
        let mut offset = 0;
        data.dsts.iter().find_map(|dst| {
            let own = self.phi[*dst].map(|_| (*dst, 0));
            let heir = own.or(self.heir[*dst]).map(|(heir, inner)| (heir, offset + inner));
            offset += f.ty(*dst).halves();
            heir
        })
    }

    /// Notes what the instruction of a step reads, and the exported registers in which it defines values. Steps are counted
    /// from the start of the function.
    fn note_exported(&mut self, f: &Function<'_>, data: &InstData<'_>, step: u32) {
        for value in data.srcs.iter().filter_map(|src| src.as_value()) {
            self.last_read[value] = step;
        }
        for dst in data.dsts {
            if let Some(half) = self.exported_to[*dst] {
                let place = HalfSet::range(half, f.ty(*dst).halves());
                if !self.exported.iter().any(|(earlier, _)| place.without(*earlier).is_empty()) {
                    self.exported.push((place, step));
                }
            }
        }
    }

    /// Parts of a vector stay in its register: it is read as long as they are. `vectors` are the instructions that divide or
    /// form one.
    fn keep_parts(&mut self, f: &Function<'_>, vectors: &[Inst]) {
        for data in vectors.iter().rev().map(|inst| &f.insts[*inst]) {
            let parts = data.dsts.iter().map(|dst| self.last_read[*dst]).max().unwrap_or(0);
            for value in data.srcs.iter().filter_map(|src| src.as_value()) {
                self.last_read[value] = self.last_read[value].max(parts);
            }
        }
    }

    fn representative(&self, mut value: Value) -> Value {
        while let Some(next) = self.web[value] {
            value = next;
        }
        value
    }

    /// The representative of `value`, with path compression.
    fn shorten(&mut self, mut value: Value) -> Value {
        while let Some(next) = self.web[value] {
            if let Some(after) = self.web[next] {
                self.web[value] = Some(after);
            }
            value = next;
        }
        value
    }

    fn join(&mut self, a: Value, b: Value) {
        let (a, b) = (self.shorten(a), self.shorten(b));
        if a != b {
            // The older value becomes the representative, so the result does not depend on the order of
            // joins.
            let (older, newer) = if a.index() < b.index() { (a, b) } else { (b, a) };
            self.web[newer] = Some(older);
        }
    }

    /// The half register to which `value` is exported.
    pub fn exported_to(&self, value: Value) -> Option<u16> {
        self.exported_to[value]
    }

    /// Whether anything is exported.
    pub fn has_exports(&self) -> bool {
        !self.exported.is_empty()
    }

    /// The registers of `free` to which nothing is exported before the last read of `value`, and which lie
    /// below or slightly above the exported ones; empty if `value` does not conflict with an export.
    pub fn beside_exports(&self, value: Value, free: HalfSet) -> HalfSet {
        let in_the_way = self.exported.iter().filter(|(_, made)| *made < self.last_read[value]);
        let taken = in_the_way.fold(HalfSet::EMPTY, |taken, (place, _)| taken.or(*place));
        match taken.last() {
            Some(last) => free.without(taken).and(HalfSet::range(0, last + 1 + HALVES_ABOVE_EXPORTS)),
            None => HalfSet::EMPTY,
        }
    }

    /// The register of the web of `value`.
    pub fn web_place(&self, value: Value) -> Option<u16> {
        if self.has_webs { self.web_place[self.representative(value)] } else { None }
    }

    /// The phi that `value` is a source of, and all phis of its block.
    pub fn phi_of(&self, value: Value) -> Option<(Value, &[Value])> {
        self.phi[value].map(|(phi, block)| (phi, self.phis[block]))
    }

    /// The register of the web of the value that takes the place of `value`.
    pub fn heir_place(&self, value: Value) -> Option<u16> {
        let (heir, offset) = self.heir[value]?;
        self.web_place(heir)?.checked_sub(offset)
    }

    /// Records that `value` was placed.
    pub fn placed(&mut self, value: Value, half: u16) {
        if self.has_webs {
            let web = self.shorten(value);
            self.web_place[web] = Some(half);
        }
        if let Some((vector, offset)) = self.vector[value]
            && self.vector_place[vector].is_none()
            && half >= offset
        {
            self.vector_place[vector] = Some(half - offset);
        }
    }

    /// The vector that collects `value`, and the offset in halves.
    pub fn vector_of(&self, value: Value) -> Option<(Value, u16)> {
        self.vector[value]
    }

    /// The intended register of the part at `offset` half registers of `vector`.
    pub fn part_place(&self, vector: Value, offset: u16) -> Option<u16> {
        self.vector_place[vector].map(|half| half + offset)
    }

    /// Chooses the register of `vector` and keeps it.
    pub fn choose_vector_place(&mut self, vector: Value, half: u16, halves: u16) {
        self.vector_place[vector] = Some(half);
        self.claims.keep(half, halves);
    }
}

/// Whether the result of an operation can be in the place of a value that it reads.
fn fits(f: &Function<'_>, data: &InstData<'_>, value: Value) -> bool {
    matches!(data.op, Op::Hw(_)) && data.dst().is_some_and(|dst| f.ty(dst) == f.ty(value))
}

/// The registers that values are exported to. The sources of an exported phi prefer the phi's register, and a
/// vector prefers the registers of its exported components, or of the exported values that read its components last.
fn exports<'s>(scratch: &'s Bump, f: &Function<'_>) -> ScratchSide<'s, Value, Option<u16>> {
    if !f.present.may_have_op(IrOp::Export) {
        return ScratchSide::later_in(scratch, 0);
    }
    let mut wishes = Exports {
        places: ScratchSide::new_in(scratch, f.values.len()),
        last: ScratchSide::new_in(scratch, f.values.len()),
        vectors: HalfSet::EMPTY,
        beside: ArenaVec::new_in(scratch),
    };
    for block in f.blocks_in_order().rev() {
        for inst in f.block(block).insts.iter().rev() {
            wishes.visit(f, &f.insts[*inst]);
        }
    }
    // The most half registers that a vector which wants to be at a register has.
    let mut widest = [0; FILE_HALVES as usize];
    let places = |vector: Value, half: u16| usize::from(half)..usize::from(half + f.ty(vector).halves());
    for (vector, half) in &wishes.beside {
        for widest in widest.get_mut(places(*vector, *half)).unwrap_or_default() {
            *widest = f.ty(*vector).halves().max(*widest);
        }
    }
    for (vector, half) in wishes.beside {
        let halves = f.ty(vector).halves();
        let is_widest =
            widest.get(places(vector, half)).is_some_and(|all| all.iter().all(|most| *most <= halves));
        if is_widest && HalfSet::range(half, halves).and(wishes.vectors).is_empty() {
            wishes.places[vector] = wishes.places[vector].or(Some(half));
        }
    }
    wishes.places
}

/// Where values are exported to, found from readers to what they read.
struct Exports<'s> {
    places: ScratchSide<'s, Value, Option<u16>>,
    /// Where the last reader of each value that was met goes.
    last: ScratchSide<'s, Value, Option<Option<u16>>>,
    /// Where vectors go whose components are exported.
    vectors: HalfSet,
    /// Vectors whose components are all read last by what is exported, and where they want to be for that.
    beside: ArenaVec<'s, (Value, u16)>,
}

impl Exports<'_> {
    fn visit(&mut self, f: &Function<'_>, data: &InstData<'_>) {
        let place = data.dst().and_then(|dst| self.places[dst]);
        let values = || data.srcs.iter().filter_map(|src| src.as_value());
        match (data.op, data.srcs) {
            (Op::Ir(IrOp::Export), [src]) => {
                if let Some(value) = src.as_value() {
                    self.places[value] = data.mods.first().map(|half| *half as u16);
                }
            }
            (Op::Ir(IrOp::Phi), _) => {
                for value in values() {
                    self.places[value] = self.places[value].or(place);
                }
            }
            (Op::Ir(IrOp::Split), [src]) => {
                if let Some(vector) = src.as_value() {
                    self.split(f, data, vector);
                }
            }
            _ => {}
        }
        for value in values() {
            self.last[value].get_or_insert(place.filter(|_| fits(f, data, value)));
        }
    }

    /// Notes where a vector goes: where its components are exported, or where their last readers go if these agree.
    fn split(&mut self, f: &Function<'_>, data: &InstData<'_>, vector: Value) {
        let mut offset = 0;
        let (mut exported, mut read, mut agree) = (None, None, true);
        for dst in data.dsts {
            exported = self.places[*dst].and_then(|half| half.checked_sub(offset)).or(exported);
            if let Some(place) = self.last[*dst] {
                let start = place.and_then(|half| half.checked_sub(offset));
                agree &= start.is_some() && read.is_none_or(|other| start == Some(other));
                read = start;
            }
            offset += f.ty(*dst).halves();
        }
        if let Some(half) = exported {
            self.vectors = self.vectors.or(HalfSet::range(half, f.ty(vector).halves()));
            self.places[vector] = exported;
        } else if let Some(half) = read.filter(|_| agree) {
            self.beside.push((vector, half));
        }
    }
}
