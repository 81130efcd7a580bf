//! Where values would like to be, so that moves become unnecessary.
//!
//! Values joined by phis form a web and want one register: the one its latest member got. A source of a `collect`
//! wants its place inside the vector; the first source to be placed chooses where the vector will be, and the rest of
//! that place is kept for the others as long as nothing else needs it.

use bumpalo::Bump;

use crate::ir::entity::{Block, Entity, Value};
use crate::ir::function::Function;
use crate::ir::op::{IrOp, Op};
use crate::ir::table::{ScratchSide, Side};

use super::file::HalfSet;

/// Wishes of the values of a function, and what has become of them so far.
pub struct Affinity<'s> {
    /// There are phis. Without them each value is a web of its own.
    has_webs: bool,
    /// Next value towards the representative of the web, `None` for representatives.
    web: ScratchSide<'s, Value, Option<Value>>,
    /// Register of the latest placed member, for representatives.
    web_place: ScratchSide<'s, Value, Option<u16>>,
    /// The vector a value is collected into, and where in it, in halves.
    vector: ScratchSide<'s, Value, Option<(Value, u16)>>,
    /// The phi a value is a source of, the first in program order.
    phi: ScratchSide<'s, Value, Option<(Value, Block)>>,
    /// Phis of each block.
    phis: Side<Block, Vec<Value>>,
    /// Where a vector is to be.
    vector_place: ScratchSide<'s, Value, Option<u16>>,
    /// Kept for vectors to come.
    kept: HalfSet,
    /// Where the next part of the program finds a value, or the components of a vector.
    exported_to: ScratchSide<'s, Value, Option<u16>>,
    /// Registers that are exported, and when the first value that goes there is made.
    exported: Vec<(HalfSet, u32)>,
    /// When each value is read last, where anything is exported.
    last_read: ScratchSide<'s, Value, u32>,
}

/// How many halves above the exported registers other values may take to leave those free.
const HALVES_ABOVE_EXPORTS: u16 = 16;

impl<'s> Affinity<'s> {
    /// Collects the wishes, in `scratch`.
    pub fn new_in(scratch: &'s Bump, f: &Function<'_>) -> Self {
        let count = f.values.len();
        let mut result = Affinity {
            has_webs: f.present.may_have_op(IrOp::Phi),
            web: ScratchSide::later_in(scratch, count),
            web_place: ScratchSide::later_in(scratch, count),
            vector: ScratchSide::later_in(scratch, count),
            phi: ScratchSide::later_in(scratch, count),
            phis: Side::default(),
            vector_place: ScratchSide::later_in(scratch, count),
            kept: HalfSet::EMPTY,
            exported_to: exports(scratch, f),
            exported: Vec::new(),
            last_read: ScratchSide::later_in(scratch, count),
        };
        for block in f.blocks_in_order() {
            for inst in &f.block(block).insts {
                let data = &f.insts[*inst];
                match (data.op, data.dst()) {
                    (Op::Ir(IrOp::Phi), Some(dst)) => {
                        result.phis[block].push(dst);
                        for value in data.srcs.iter().filter_map(|src| src.as_value()) {
                            result.join(dst, value);
                            if result.phi[value].is_none() {
                                result.phi[value] = Some((dst, block));
                            }
                        }
                    }
                    (Op::Ir(IrOp::Collect), Some(dst)) => {
                        let mut offset = 0;
                        for src in data.srcs {
                            if let Some(value) = src.as_value()
                                && result.vector[value].is_none()
                            {
                                result.vector[value] = Some((dst, offset));
                            }
                            offset += f.src_ty(*src).halves();
                        }
                    }
                    _ => {}
                }
            }
        }
        if f.present.may_have_op(IrOp::Export) {
            result.find_exported(f);
        }
        result
    }

    /// Finds what is exported when, in steps from the start of the function.
    fn find_exported(&mut self, f: &Function<'_>) {
        let mut now = 0;
        for inst in f.blocks_in_order().flat_map(|block| &f.block(block).insts) {
            let data = &f.insts[*inst];
            now += 1;
            for value in data.srcs.iter().filter_map(|src| src.as_value()) {
                self.last_read[value] = now;
            }
            for dst in data.dsts {
                if let Some(half) = self.exported_to[*dst] {
                    let place = HalfSet::range(half, f.ty(*dst).halves());
                    if !self.exported.iter().any(|(earlier, _)| place.without(*earlier).is_empty()) {
                        self.exported.push((place, now));
                    }
                }
            }
        }
        // Parts of a vector stay where it is.
        for inst in f.blocks_in_order().rev().flat_map(|block| f.block(block).insts.iter().rev()) {
            let data = &f.insts[*inst];
            if let Op::Ir(IrOp::Split | IrOp::Collect) = data.op {
                let parts = data.dsts.iter().map(|dst| self.last_read[*dst]).max().unwrap_or(0);
                for value in data.srcs.iter().filter_map(|src| src.as_value()) {
                    self.last_read[value] = self.last_read[value].max(parts);
                }
            }
        }
    }

    fn representative(&self, mut value: Value) -> Value {
        while let Some(next) = self.web[value] {
            value = next;
        }
        value
    }

    /// The same, shortening the way for later.
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
            // The older value represents: the result does not depend on the order of joins.
            let (older, newer) = if a.index() < b.index() { (a, b) } else { (b, a) };
            self.web[newer] = Some(older);
        }
    }

    /// The half register that `value` is exported to.
    pub fn exported_to(&self, value: Value) -> Option<u16> {
        self.exported_to[value]
    }

    /// Whether anything is exported.
    pub fn has_exports(&self) -> bool {
        !self.exported.is_empty()
    }

    /// Those registers of `free` that nothing is exported to before the last read of `value`, and that lie below or little
    /// above those that are exported; none where `value` is in nobody's way.
    pub fn beside_exports(&self, value: Value, free: HalfSet) -> HalfSet {
        let in_the_way = self.exported.iter().filter(|(_, made)| *made < self.last_read[value]);
        let taken = in_the_way.fold(HalfSet::EMPTY, |taken, (place, _)| taken.or(*place));
        match taken.last() {
            Some(last) => free.without(taken).and(HalfSet::range(0, last + 1 + HALVES_ABOVE_EXPORTS)),
            None => HalfSet::EMPTY,
        }
    }

    /// Where the web of `value` is.
    pub fn web_place(&self, value: Value) -> Option<u16> {
        if self.has_webs { self.web_place[self.representative(value)] } else { None }
    }

    /// The phi that `value` is a source of, and all phis of its block.
    pub fn phi_of(&self, value: Value) -> Option<(Value, &[Value])> {
        self.phi[value].map(|(phi, block)| (phi, &*self.phis[block]))
    }

    /// Notes that `value` was placed.
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

    /// The vector `value` goes into and its offset in halves.
    pub fn vector_of(&self, value: Value) -> Option<(Value, u16)> {
        self.vector[value]
    }

    /// Where `vector` is to be.
    pub fn vector_place(&self, vector: Value) -> Option<u16> {
        self.vector_place[vector]
    }

    /// Chooses where `vector` is to be and keeps the place.
    pub fn choose_vector_place(&mut self, vector: Value, half: u16, halves: u16) {
        self.vector_place[vector] = Some(half);
        self.kept = self.kept.or(HalfSet::range(half, halves));
    }

    /// The vector at `half` exists now: nothing needs to be kept for it.
    pub fn vector_done(&mut self, half: u16, halves: u16) {
        self.kept = self.kept.without(HalfSet::range(half, halves));
    }

    /// Half registers kept for vectors.
    pub fn kept(&self) -> HalfSet {
        self.kept
    }

    /// Forgets what is kept: a new block begins.
    pub fn keep_nothing(&mut self) {
        self.kept = HalfSet::EMPTY;
    }
}

/// Where values are exported to; what a phi joins goes where the phi is exported to, and vectors whose components are
/// exported where these want to be.
fn exports<'s>(scratch: &'s Bump, f: &Function<'_>) -> ScratchSide<'s, Value, Option<u16>> {
    if !f.present.may_have_op(IrOp::Export) {
        return ScratchSide::later_in(scratch, 0);
    }
    let mut places: ScratchSide<'s, Value, Option<u16>> = ScratchSide::new_in(scratch, f.values.len());
    for block in f.blocks_in_order().rev() {
        for inst in f.block(block).insts.iter().rev() {
            let data = &f.insts[*inst];
            match (data.op, data.srcs) {
                (Op::Ir(IrOp::Export), [src]) => {
                    if let Some(value) = src.as_value() {
                        places[value] = data.mods.first().map(|half| *half as u16);
                    }
                }
                (Op::Ir(IrOp::Phi), srcs) => {
                    let place = data.dst().and_then(|dst| places[dst]);
                    for value in srcs.iter().filter_map(|src| src.as_value()) {
                        places[value] = places[value].or(place);
                    }
                }
                (Op::Ir(IrOp::Split), [src]) => {
                    let mut offset = 0;
                    for dst in data.dsts {
                        let place = places[*dst].and_then(|half| half.checked_sub(offset));
                        if let (Some(vector), Some(half)) = (src.as_value(), place) {
                            places[vector] = Some(half);
                        }
                        offset += f.ty(*dst).halves();
                    }
                }
                _ => {}
            }
        }
    }
    places
}
