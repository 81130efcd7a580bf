//! Assigns a register to every value in one walk over the function in program order.
//!
//! In SSA form, liveness alone determines the values live at a point, and a walk in program order visits
//! definitions before uses, so each instruction needs only the set of currently free registers. A value keeps
//! its register until another one needs the space: then its live range is split. A `copy` moves it, and from
//! there on it has a new *name*, a new [`Value`] with the same content in another register. Each block begins
//! with the names that its predecessors ended with; where they differ, `copy`s at the ends of the
//! predecessors reconcile them. There are no critical edges: a predecessor of a block with several
//! predecessors has no other successor.
//!
//! After this pass a name may be defined in several places (at the end of each predecessor), always with the
//! same content. Phis are gone: they have become part of the same `copy`s. `collect` and `split` remain.

use agx_abi::occupancy::{MAX_THREADS, max_gpr_halves};
use agx_isa::table::Opcode;
use arrayvec::ArrayVec;
use bumpalo::Bump;
use bumpalo::collections::Vec as ArenaVec;

use crate::analysis::dominance::Dominance;
use crate::analysis::liveness::{LastUses, Liveness};
use crate::analysis::pressure::{apart_sources, dead_result_needs_register, ending_sources};
use crate::error::CompileError;
use crate::ir::entity::{Block, Entity, Inst, Value};
use crate::ir::function::{Function, InstData, InstList};
use crate::ir::op::{IrOp, Op};
use crate::ir::src::Src;
use crate::ir::table::ScratchSide;
use crate::ir::types::Type;

use super::affinity::Affinity;
use super::exports::is_export;
use super::file::{CHEAP_HALVES, HalfSet, RegisterFile, lowest_place};
use super::flight::Flight;
use super::shapes::{Shape, Shapes};
use super::{Allocation, Reg};

/// Registers that an image store reads.
const TEXEL_COMPONENTS: u16 = 4;

/// A part in the register of its vector ([`super::shared_parts`]).
#[derive(Clone, Copy, Debug)]
pub(super) struct SharedPart {
    /// The value that was split.
    pub(super) vector: Value,
    /// The part.
    pub(super) part: Value,
    /// The position of the part in the vector, in halves.
    pub(super) offset: u16,
}

/// The current names of values that were moved.
pub(super) struct Names<'s> {
    current: ScratchSide<'s, Value, Option<Value>>,
    moved: Vec<Value>,
}

impl Names<'_> {
    pub(super) fn get(&self, value: Value) -> Value {
        self.current[value].unwrap_or(value)
    }

    /// Whether no value was moved.
    pub(super) fn is_empty(&self) -> bool {
        self.moved.is_empty()
    }

    pub(super) fn set(&mut self, value: Value, name: Value) {
        if self.current[value].is_none() {
            self.moved.push(value);
        }
        self.current[value] = Some(name);
    }

    pub(super) fn clear(&mut self) {
        for value in self.moved.drain(..) {
            self.current[value] = None;
        }
    }

    /// Values that were moved, with their names, by id of value.
    pub(super) fn sorted<'s>(&self, scratch: &'s Bump) -> &'s [(Value, Value)] {
        if self.is_empty() {
            return &[];
        }
        let list = scratch.alloc_slice_fill_iter(self.moved.iter().map(|value| (*value, self.get(*value))));
        list.sort_unstable_by_key(|(value, _)| value.index());
        list
    }
}

/// The name of `value` in a list made by [`Names::sorted`].
pub(super) fn name_in(list: &[(Value, Value)], value: Value) -> Value {
    match list.binary_search_by_key(&value.index(), |(moved, _)| moved.index()) {
        Ok(found) => list[found].1,
        Err(_) => value,
    }
}

/// The state at the boundaries of a block that has been walked.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Border<'s> {
    /// Whether the block has been walked.
    pub(super) done: bool,
    /// Names at its head of the values that were moved.
    pub(super) head: &'s [(Value, Value)],
    /// Names at its end of the values that were moved.
    pub(super) end: &'s [(Value, Value)],
}

/// The state of the walk.
pub(super) struct Assigner<'f, 'a> {
    pub(super) f: &'f mut Function<'a>,
    pub(super) live: &'f Liveness,
    pub(super) last: LastUses<'f>,
    pub(super) shapes: &'f Shapes,
    pub(super) affinity: Affinity<'f>,
    pub(super) allocation: Allocation,
    /// The value denoted by a name; `None` for values themselves.
    pub(super) origin: ScratchSide<'f, Value, Option<Value>>,
    pub(super) names: Names<'f>,
    pub(super) file: RegisterFile,
    pub(super) borders: ScratchSide<'f, Block, Border<'f>>,
    /// Allocatable half-registers.
    pub(super) usable: HalfSet,
    /// Names that end at the current instruction; they occupy their registers until it reads them, or has written its results.
    pub(super) ending: ArenaVec<'f, Value>,
    /// Parts in the registers of vectors that own them.
    pub(super) shared: Vec<SharedPart>,
    /// Results of the current instruction that have been placed.
    pub(super) placed: ArenaVec<'f, Value>,
    /// Registers that outstanding loads will write.
    pub(super) flight: Flight,
    /// Moves before the current instruction: new name, old name.
    pub(super) moves: Vec<(Value, Value)>,
    out: InstList<'a>,
}

/// Assigns registers out of `usable`; those below `at_no_cost` may be used to keep results apart from
/// outstanding loads. Unreachable blocks must contain only terminators. Temporary tables are in `scratch`.
///
/// # Errors
/// The values needed at once do not fit.
pub fn assign<'f>(
    f: &'f mut Function<'_>,
    live: &'f Liveness,
    reachable: &Dominance<'_>,
    shapes: &'f Shapes,
    usable: HalfSet,
    at_no_cost: u16,
    scratch: &'f Bump,
) -> Result<Allocation, CompileError> {
    let count = f.values.len();
    let mut assigner = Assigner {
        last: LastUses::new_in(scratch, f),
        affinity: Affinity::new_in(scratch, f),
        allocation: Allocation::new(count),
        origin: ScratchSide::later_in(scratch, 0),
        names: Names { current: ScratchSide::later_in(scratch, 0), moved: Vec::new() },
        file: RegisterFile::new(),
        borders: ScratchSide::new_in(scratch, f.blocks.len()),
        live,
        shapes,
        usable,
        flight: Flight::new(at_no_cost),
        ending: ArenaVec::new_in(scratch),
        placed: ArenaVec::new_in(scratch),
        shared: Vec::new(),
        moves: Vec::new(),
        out: f.inst_list(),
        f,
    };
    let mut previous = None;
    for block in assigner.f.blocks_in_order().filter(|block| reachable.is_reachable(*block)) {
        assigner.walk(block, previous.replace(block))?;
    }
    for block in assigner.f.blocks_in_order() {
        let phis = assigner.f.phi_count(block);
        assigner.f.block_mut(block).insts.drain(..phis);
    }
    Ok(assigner.allocation)
}

impl<'a> Assigner<'_, 'a> {
    /// Walks through `block` after `previous`.
    fn walk(&mut self, block: Block, previous: Option<Block>) -> Result<(), CompileError> {
        let start = self.last.enter(self.f, block);
        self.enter(block, previous).map_err(|error| match self.f.block(block).insts.first() {
            Some(inst) => self.f.locate(*inst, error),
            None => error,
        })?;
        let insts = self.f.take_insts(block);
        let end = insts.iter().position(|inst| is_export(self.f, *inst)).unwrap_or(insts.len());
        let (before, exports) = insts.split_at(end);
        self.out.reserve(insts.len() + 1);
        for (position, inst) in (start..).zip(before) {
            self.f.watch.visit(1);
            if self.f.insts[*inst].op != Op::Ir(IrOp::Phi) {
                self.visit(*inst, position).map_err(|error| self.f.locate(*inst, error))?;
            }
            self.out.push(*inst);
        }
        if !exports.is_empty() {
            let copy = self.place_exports(exports);
            self.out.push(copy);
            self.out.extend_from_slice(exports);
        }
        self.f.block_mut(block).insts = std::mem::replace(&mut self.out, insts);
        self.out.clear();
        let border = &mut self.borders[block];
        border.done = true;
        border.end = self.names.sorted(self.ending.bump());
        self.leave(block);
        Ok(())
    }

    fn visit(&mut self, inst: Inst, position: u32) -> Result<(), CompileError> {
        let data = self.f.insts[inst];
        self.ending.clear();
        let apart = apart_sources(&data);
        let mut outlasting: ArrayVec<Value, 2> = ArrayVec::new();
        for value in ending_sources(&data, &self.last, self.live, position) {
            match apart.iter().any(|src| src.as_value() == Some(value)) {
                true => outlasting.push(value),
                false => self.ending.push(self.names.get(value)),
            }
        }
        self.release_ending();
        self.wait_for_sources(&data);
        self.place_results(&data)?;
        if !outlasting.is_empty() {
            self.ending.clear();
            self.ending.extend(outlasting.into_iter().map(|value| self.names.get(value)));
            self.release_ending();
        }
        self.end_shared_parts(position);
        if data.op == Op::Ir(IrOp::Collect) {
            let claims = &mut self.affinity.claims;
            data.srcs.iter().filter_map(|src| src.as_value()).for_each(|value| claims.end_vector(value));
        }
        self.launch_results(&data);
        if data.op == Op::Hw(Opcode::Imgw) {
            reserve_texel(self, &data);
        }
        self.emit_moves(data.line);
        let is_moved = |src: &Src| src.as_value().is_some_and(|value| self.names.get(value) != value);
        if !self.names.is_empty() && data.srcs.iter().any(is_moved) {
            let srcs = data.srcs.iter().map(|src| self.renamed(*src));
            self.f.insts[inst].srcs = self.f.bump.alloc_slice_fill_iter(srcs);
        }
        for dst in data.dsts {
            if self.last.is_dead(self.live, *dst) && self.allocation.reg[*dst].is_some() {
                let (half, halves) = self.place_of(*dst);
                self.file.release(half, halves);
            }
        }
        Ok(())
    }

    /// Records the wait for outstanding results that `data` reads.
    fn wait_for_sources(&mut self, data: &InstData<'a>) {
        if self.flight.is_empty() || !matches!(data.op, Op::Hw(_)) {
            return;
        }
        for value in data.srcs.iter().filter_map(|src| src.as_value()) {
            let (half, halves) = self.place_of(self.names.get(value));
            self.flight.read(half, halves);
        }
    }

    /// Records the results of an asynchronous operation as outstanding.
    fn launch_results(&mut self, data: &InstData<'a>) {
        if super::finishes_later(data) {
            for index in 0..self.placed.len() {
                let (half, halves) = self.place_of(self.placed[index]);
                self.flight.launch(half, halves);
            }
        }
    }

    /// `src` under its current name.
    pub(super) fn renamed(&self, src: Src) -> Src {
        match src.as_value() {
            Some(value) => Src { payload: Src::value(self.names.get(value)).payload, ..src },
            None => src,
        }
    }

    fn place_results(&mut self, data: &InstData<'a>) -> Result<(), CompileError> {
        self.placed.clear();
        for (index, dst) in data.dsts.iter().enumerate() {
            if !self.needs_register(data, *dst) || self.placed.contains(dst) {
                continue;
            }
            let shape = self.shape(*dst);
            let hint = match data.op {
                Op::Ir(IrOp::Preload) => {
                    self.put_preload(data, *dst, shape)?;
                    continue;
                }
                Op::Ir(IrOp::Split) if self.shared_vector(data, index).is_some() => continue,
                Op::Ir(IrOp::Split) => self.place_in_vector(data, index),
                Op::Ir(IrOp::Collect) if self.collect_around(data) => continue,
                _ => None,
            };
            let hint = hint.filter(|half| self.fits(*half, shape));
            let preferred = hint.or_else(|| self.preferred_place(*dst, shape));
            match preferred.or_else(|| self.free_place(*dst, shape)) {
                Some(half) => self.put_result(*dst, half),
                None => self.make_room(data, index)?,
            }
        }
        if data.op == Op::Ir(IrOp::Split) {
            self.share_registers(data);
        }
        Ok(())
    }

    /// Whether a result needs a register: it is read, or its operation writes it in any case.
    pub(super) fn needs_register(&self, data: &InstData<'a>, result: Value) -> bool {
        dead_result_needs_register(data.op) || !self.last.is_dead(self.live, result)
    }

    /// Assigns a register to a result of the current instruction.
    pub(super) fn put_result(&mut self, result: Value, half: u16) {
        self.put(result, half);
        self.placed.push(result);
    }

    /// Places a preload in the register that the program's environment determines, reserved or not.
    fn put_preload(&mut self, data: &InstData<'a>, dst: Value, shape: Shape) -> Result<(), CompileError> {
        let half = data.mods.first().map_or(0, |half| *half as u16);
        if !half.is_multiple_of(shape.align) || !self.file.is_free(half, shape.halves) {
            return Err(CompileError::internal(format!("{dst} cannot be preloaded at half-register {half}")));
        }
        if self.last.is_dead(self.live, dst) {
            // The program needs no room for a register that it never reads.
            self.allocation.reg[dst] = Some(Reg { half: half as u8 });
        } else {
            self.put_result(dst, half);
        }
        Ok(())
    }

    /// The register for result `index` of a `split` that avoids a move: its position in the vector.
    fn place_in_vector(&self, data: &InstData<'a>, index: usize) -> Option<u16> {
        let half = self.allocation.half(self.names.get(data.srcs[0].as_value()?))?;
        let before: u16 = data.dsts[..index].iter().map(|dst| self.f.ty(*dst).halves()).sum();
        Some(half + before)
    }

    /// The free register of `value` that avoids later moves, if there is one.
    #[inline(never)]
    fn preferred_place(&mut self, value: Value, shape: Shape) -> Option<u16> {
        if let Some(half) = self.affinity.exported_to(value).filter(|half| self.fits(*half, shape)) {
            return Some(half);
        }
        if let Some((vector, offset)) = self.affinity.vector_of(value) {
            let known = self.affinity.part_place(vector, offset).filter(|half| self.fits(*half, shape));
            if let Some(half) = known.or_else(|| self.beside_parts(vector, offset, shape)) {
                return Some(half);
            }
            let whole = self.shape(vector);
            let free = self.file.free().and(self.usable).without(self.affinity.claims.kept());
            let beside = lowest_place(self.affinity.beside_exports(vector, free), whole);
            if let Some(half) = beside.or_else(|| lowest_place(free, whole)) {
                self.affinity.choose_vector_place(vector, half, whole.halves);
            }
            let chosen = self.affinity.part_place(vector, offset);
            if let Some(half) = chosen.filter(|half| self.fits(*half, shape)) {
                return Some(half);
            }
        }
        let fits = |half: &u16| self.fits(*half, shape);
        let phi = self.affinity.phi_of(value);
        let own = phi.and_then(|(phi, _)| self.allocation.half(phi)).filter(fits);
        let stays = |half: &u16| phi.is_none_or(|(phi, phis)| !is_exchanged(self, *half, shape, (phi, phis)));
        let web = own.or_else(|| self.affinity.web_place(value).filter(fits).filter(stays));
        web.or_else(|| self.affinity.heir_place(value).filter(fits))
    }

    /// The lowest free register for `value` that others do not need.
    fn free_place(&mut self, value: Value, shape: Shape) -> Option<u16> {
        let free = self.file.free().and(self.usable);
        let unreserved = free.without(self.affinity.claims.kept());
        let conflict_free = match self.affinity.phi_of(value) {
            Some((phi, phis)) => unreserved.without(next_iteration(self, phi, phis)),
            None => unreserved,
        };
        let beside = |free| match self.affinity.has_exports() {
            true => lowest_place(self.affinity.beside_exports(value, free), shape),
            false => None,
        };
        let place = |free| beside(free).or_else(|| lowest_place(free, shape));
        let mut used = self.allocation.halves_used;
        if self.flight.has_loaded() && is_loaded(self.f, value) {
            if let Some(half) = place(self.flight.untouched(conflict_free, used)) {
                return Some(half);
            }
            self.flight.start_over();
            // In a register of an outstanding load it would wait; others are free as long as they cost no threads.
            used = used.max(max_gpr_halves(MAX_THREADS));
        }
        let claimed = self.affinity.claims.preferred_by_others();
        if !claimed.is_empty() {
            let cheap = HalfSet::range(0, used.max(CHEAP_HALVES));
            let others = conflict_free.without(claimed).and(cheap);
            let others = if self.flight.is_empty() { others } else { self.flight.undisturbed(others, used) };
            if let Some(half) = place(others) {
                return Some(half);
            }
        }
        let undisturbed = self.flight.undisturbed(conflict_free, used);
        let first = if undisturbed.is_empty() { None } else { place(undisturbed) };
        first
            .or_else(|| place(conflict_free))
            .or_else(|| lowest_place(unreserved, shape))
            .or_else(|| lowest_place(free, shape))
    }

    /// Whether a value of `shape` can be placed at `half`.
    pub(super) fn fits(&self, half: u16, shape: Shape) -> bool {
        let is_usable = self.usable.has_all(&(half..half + shape.halves));
        half.is_multiple_of(shape.align) && self.file.is_free(half, shape.halves) && is_usable
    }

    /// The shape of a value, or of the value that a name denotes. The parts in a vector's register are aligned too.
    #[inline(always)]
    pub(super) fn shape(&self, value: Value) -> Shape {
        let value = self.origin[value].unwrap_or(value);
        let own = self.shapes.of(self.f, value);
        if self.shared.is_empty() { own } else { shape_with_parts(self, value, own) }
    }

    /// The first half-register of a name, and how many it has.
    #[inline]
    pub(super) fn place_of(&self, name: Value) -> (u16, u16) {
        let half = self.allocation.half(name).expect("invariant: live names have registers");
        (half, self.f.ty(name).halves())
    }

    /// Assigns a register to a name.
    pub(super) fn put(&mut self, name: Value, half: u16) {
        let halves = self.f.ty(name).halves();
        self.file.take(name, half, halves);
        self.allocation.record(name, half, halves);
        self.affinity.placed(name, half);
        let is_vector = |def: Inst| self.f.insts[def].op == Op::Ir(IrOp::Collect);
        if !self.affinity.claims.kept().is_empty() && self.f.values[name].def.is_some_and(is_vector) {
            self.affinity.claims.release(half, halves);
        }
    }

    /// Records the register of a name without marking it as used.
    pub(super) fn record(&mut self, name: Value, half: u16) {
        self.allocation.record(name, half, self.f.ty(name).halves());
    }

    /// A new name, in `half`, for the value that `name` denotes.
    pub(super) fn new_name(&mut self, name: Value, half: u16) -> Value {
        let value = self.origin[name].unwrap_or(name);
        let new = self.f.add_value(self.f.ty(name));
        self.origin[new] = Some(value);
        self.record(new, half);
        new
    }

    fn emit_moves(&mut self, line: u32) {
        if self.moves.is_empty() {
            return;
        }
        let moves = std::mem::take(&mut self.moves);
        let copy = self.copy(moves.iter().map(|(new, old)| (*new, Src::value(*old))), line);
        self.out.push(copy);
        self.moves = moves;
        self.moves.clear();
    }

    /// A parallel copy that is not yet in a block.
    pub(super) fn copy(
        &mut self,
        moves: impl ExactSizeIterator<Item = (Value, Src)> + Clone,
        line: u32,
    ) -> Inst {
        let bump = self.f.bump;
        let dsts = bump.alloc_slice_fill_iter(moves.clone().map(|(dst, _)| dst));
        let srcs = bump.alloc_slice_fill_iter(moves.map(|(_, src)| src));
        // Bypasses `add_inst`: the recorded definition of a value that a copy redefines must not change.
        self.f.insts.push(InstData { op: Op::Ir(IrOp::Copy), dsts, srcs, mods: &[], line })
    }
}

/// The program has all registers that an image store reads, though it may use fewer.
fn reserve_texel(assigner: &mut Assigner<'_, '_>, data: &InstData<'_>) {
    if let Some(value) = data.srcs[0].as_value() {
        let half = assigner.place_of(assigner.names.get(value)).0;
        let component = Type::scalar(assigner.f.ty(value).bits);
        assigner.allocation.reserve(half, component.halves() * TEXEL_COMPONENTS);
    }
}

/// Whether a source of `phi`, one of the phis of a loop header, would be in the register of another one.
fn is_exchanged(
    assigner: &Assigner<'_, '_>,
    half: u16,
    shape: Shape,
    (phi, phis): (Value, &[Value]),
) -> bool {
    let is_header = assigner.allocation.reg[phi].is_some();
    is_header && !HalfSet::range(half, shape.halves).and(next_iteration(assigner, phi, phis)).is_empty()
}

/// Registers of the phis of a loop header, in which other values arrive at the end of the iteration: a
/// value in the register of a phi other than its own would have to be swapped.
fn next_iteration(assigner: &Assigner<'_, '_>, phi: Value, phis: &[Value]) -> HalfSet {
    let is_header = assigner.allocation.reg[phi].is_some();
    let place = |phi: &Value| {
        let half = match is_header {
            true => assigner.allocation.half(*phi)?,
            false => assigner.affinity.web_place(*phi)?,
        };
        Some(HalfSet::range(half, assigner.shape(*phi).halves))
    };
    phis.iter().filter_map(place).fold(HalfSet::EMPTY, HalfSet::or)
}

/// The shape of `value`, which is `own` but for the parts in its register.
fn shape_with_parts(assigner: &Assigner<'_, '_>, value: Value, own: Shape) -> Shape {
    let parts = assigner.shared.iter().filter(|shared| shared.vector == value);
    let align =
        parts.map(|shared| assigner.shapes.of(assigner.f, shared.part).align).fold(own.align, u16::max);
    Shape { align, ..own }
}

/// Whether a value is the result of an asynchronous operation.
fn is_loaded(f: &Function<'_>, value: Value) -> bool {
    f.values[value].def.is_some_and(|def| super::finishes_later(&f.insts[def]))
}
