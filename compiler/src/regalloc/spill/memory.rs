//! Stack slots, stores and loads of spilled values.

use agx_isa::table::Opcode;
use agx_isa::table::names::Format;

use super::slots::{Access, Move, Places, Slot, Slots, place_slots};
use super::{SpillReport, is_repeatable};
use crate::error::CompileError;
use crate::ir::entity::{Block, Inst, Value};
use crate::ir::function::{Function, InstData, InstList};
use crate::ir::key;
use crate::ir::op::{IrOp, Op, mods};
use crate::ir::src::Src;
use crate::ir::table::Side;
use crate::ir::types::Type;

/// Maximum number of components of one stack access.
const MAX_COMPONENTS: u8 = 4;
/// Memory formats of 16-bit and 32-bit integers.
const FORMATS: [Format; 2] = [Format::I16, Format::I32];

/// A phi of stack slots.
#[derive(Clone, Copy, Debug)]
struct MemoryPhi {
    phi: Value,
    block: Block,
    /// The slot that predecessors store to.
    incoming: u32,
}

/// The contents of stack memory. Until [`Memory::finish`], stack accesses have offset 0.
pub(super) struct Memory {
    slot: Side<Value, Option<u32>>,
    /// Values to store at their definitions, in the order of their first loads.
    stored: Vec<Value>,
    /// The block of a memory phi.
    home: Side<Value, Option<Block>>,
    /// The slot that predecessors store to for a memory phi.
    incoming: Side<Value, u32>,
    phis: Vec<MemoryPhi>,
    /// The value denoted by a name.
    original: Side<Value, Option<Value>>,
    /// Instructions that rematerialise values from others, with those values.
    rematerialised: Vec<(Inst, Value)>,
    slots: Slots,
    /// Stores to phis, with the value they store; if that value has a slot itself, they are moves between
    /// slots.
    phi_stores: Vec<(Value, Move)>,
    /// The first instruction added by spilling.
    first_added: Inst,
    bytes: u32,
    loads: u32,
    stores: u32,
}

/// The type in which stack memory holds values of `ty`: 16-bit or 32-bit components.
fn stored_type(ty: Type) -> Type {
    match ty.bits {
        0..=16 => Type::vector(16, ty.comps),
        17..=32 => ty,
        _ => Type::vector(32, 2 * ty.comps),
    }
}

/// Whether a value cannot be stored in one access without conversion.
pub(super) fn is_stored_in_parts(ty: Type) -> bool {
    ty.bits > 32 || ty.comps > MAX_COMPONENTS
}

fn stack_mods(op: Opcode, ty: Type) -> crate::ir::op::Mods {
    mods(op).with(key::FORMAT, FORMATS[usize::from(ty.bits == 32)]).with(key::MASK, (1 << ty.comps) - 1)
}

/// Appends an instruction that is not yet in a block to `out`.
fn push<'a>(f: &mut Function<'a>, out: &mut InstList<'_>, data: InstData<'a>) {
    let inst = f.add_inst(data);
    out.push(inst);
}

impl Memory {
    pub(super) fn new(f: &Function<'_>, bytes: u32) -> Self {
        // Spilling adds about as many names and instructions as there are.
        let (count, insts) = (2 * f.values.len(), 2 * f.insts.len());
        Memory {
            slot: Side::new(count),
            stored: Vec::new(),
            home: Side::new(count),
            incoming: Side::default(),
            phis: Vec::new(),
            original: Side::new(count),
            rematerialised: Vec::new(),
            slots: Slots { accesses: Side::later(insts), ..Slots::default() },
            phi_stores: Vec::new(),
            first_added: Inst(f.insts.len() as u32),
            bytes: bytes.next_multiple_of(4),
            loads: 0,
            stores: 0,
        }
    }

    pub(super) fn is_memory_phi(&self, value: Value) -> bool {
        self.home[value].is_some()
    }

    fn new_slot(&mut self, ty: Type, phi: Option<Block>) -> u32 {
        self.slots.all.push(Slot { words: u32::from(ty.halves()).div_ceil(2), phi });
        self.slots.all.len() as u32 - 1
    }

    fn slot_of(&mut self, f: &Function<'_>, value: Value) -> u32 {
        if let Some(slot) = self.slot[value] {
            return slot;
        }
        let slot = self.new_slot(f.ty(value), None);
        self.slot[value] = Some(slot);
        self.stored.push(value);
        slot
    }

    /// Converts the phis of `block` whose results are `chosen` to phis of stack slots. If other phis of the
    /// block read such a phi, the stores of predecessors must not be visible before the block begins: they go
    /// to another slot.
    pub(super) fn add_phis(&mut self, f: &Function<'_>, block: Block, phis: &[Inst], chosen: &[Value]) {
        for phi in chosen {
            self.home[*phi] = Some(block);
        }
        let mut is_read: Vec<Value> = Vec::new();
        for data in phis.iter().map(|phi| f.insts[*phi]) {
            let values = data.srcs.iter().filter_map(|src| src.as_value());
            is_read.extend(
                values.filter(|value| data.dst() != Some(*value) && self.home[*value] == Some(block)),
            );
        }
        is_read.sort_unstable();
        for phi in chosen {
            let incoming = self.new_slot(f.ty(*phi), Some(block));
            let is_read = is_read.binary_search(phi).is_ok();
            self.slot[*phi] = Some(if is_read { self.new_slot(f.ty(*phi), None) } else { incoming });
            self.incoming[*phi] = incoming;
            self.phis.push(MemoryPhi { phi: *phi, block, incoming });
        }
    }

    /// Records that `name` holds `value` from now on.
    pub(super) fn rename(&mut self, value: Value, name: Value) {
        self.original[name] = Some(value);
    }

    /// Appends to `out` the instructions that bring `value` into a register, and returns its name there.
    /// `held` gives the names under which values are in registers.
    pub(super) fn reload(
        &mut self,
        f: &mut Function<'_>,
        value: Value,
        held: impl Fn(Value) -> Option<Value>,
        out: &mut InstList<'_>,
        line: u32,
    ) -> Value {
        let name = self.repeat(f, value, held, out, line).unwrap_or_else(|| {
            let slot = self.slot_of(f, value);
            self.loads += 1;
            self.load(f, f.ty(value), slot, out, line)
        });
        self.rename(value, name);
        name
    }

    /// Appends to `out` the instruction that defines `value` if it is arithmetic whose sources are in
    /// registers.
    fn repeat(
        &mut self,
        f: &mut Function<'_>,
        value: Value,
        held: impl Fn(Value) -> Option<Value>,
        out: &mut InstList<'_>,
        line: u32,
    ) -> Option<Value> {
        let data = f.values[value].def.map(|def| f.insts[def]).filter(is_repeatable)?;
        let mut srcs = data.srcs;
        let reads_values = srcs.iter().any(|src| src.as_value().is_some());
        if reads_values {
            let name = |src: &Src| match src.as_value() {
                Some(source) => {
                    let name = held(self.original[source].unwrap_or(source))?;
                    Some(Src { payload: Src::value(name).payload, ..*src })
                }
                None => Some(*src),
            };
            let names: Option<Vec<Src>> = srcs.iter().map(name).collect();
            srcs = f.alloc(&names?);
        }
        let name = f.add_value(f.ty(value));
        let dsts = f.alloc(&[name]);
        push(f, out, InstData { dsts, srcs, line, ..data });
        if reads_values {
            self.rematerialised.extend(out.last().map(|inst| (*inst, value)));
        }
        Some(name)
    }

    /// Appends to `out` an access to a part of a slot.
    fn access<'a>(
        &mut self,
        f: &mut Function<'a>,
        access: Access,
        data: InstData<'a>,
        piece: Type,
        out: &mut InstList<'_>,
    ) {
        let Op::Hw(opcode) = data.op else { return };
        let mods = f.alloc(&stack_mods(opcode, piece));
        let inst = f.add_inst(InstData { mods, ..data });
        self.slots.accesses[inst] = Some(access);
        out.push(inst);
    }

    fn load(
        &mut self,
        f: &mut Function<'_>,
        ty: Type,
        slot: u32,
        out: &mut InstList<'_>,
        line: u32,
    ) -> Value {
        let stored = stored_type(ty);
        let part_bytes = u32::from(stored.bits) / 8;
        let mut parts: Vec<Src> = Vec::new();
        for first in (0..stored.comps).step_by(usize::from(MAX_COMPONENTS)) {
            let piece = Type::vector(stored.bits, (stored.comps - first).min(MAX_COMPONENTS));
            let value = f.add_value(if piece == stored && ty.bits <= 32 { ty } else { piece });
            let (dsts, srcs) = (f.alloc(&[value]), f.alloc(&[Src::imm(0, 16)]));
            let data = InstData { op: Opcode::StackLoad.into(), dsts, srcs, mods: &[], line };
            self.access(f, Access { slot, offset: u32::from(first) * part_bytes }, data, piece, out);
            if f.ty(value) == ty {
                return value;
            }
            parts.push(value.into());
        }
        let value = f.add_value(ty);
        let (dsts, srcs) = (f.alloc(&[value]), f.alloc(&parts));
        push(f, out, InstData { op: Op::Ir(IrOp::Collect), dsts, srcs, mods: &[], line });
        value
    }

    /// Appends to `out` the store of a value, named `name`, to `slot`.
    fn store(&mut self, f: &mut Function<'_>, name: Value, slot: u32, out: &mut InstList<'_>, line: u32) {
        self.stores += 1;
        let stored = stored_type(f.ty(name));
        let mut units: Vec<Value> = Vec::new();
        if is_stored_in_parts(f.ty(name)) {
            units = (0..stored.comps).map(|_| f.add_value(Type::scalar(stored.bits))).collect();
            let (dsts, srcs) = (f.alloc(&units), f.alloc(&[name.into()]));
            push(f, out, InstData { op: Op::Ir(IrOp::Split), dsts, srcs, mods: &[], line });
        }
        let part_bytes = u32::from(stored.bits) / 8;
        for first in (0..stored.comps).step_by(usize::from(MAX_COMPONENTS)) {
            let piece = Type::vector(stored.bits, (stored.comps - first).min(MAX_COMPONENTS));
            let data = match units.get(usize::from(first)..usize::from(first + piece.comps)) {
                Some([]) | None => name,
                Some(parts) => {
                    let value = f.add_value(piece);
                    let parts: Vec<Src> = parts.iter().map(|part| Src::value(*part)).collect();
                    let (dsts, srcs) = (f.alloc(&[value]), f.alloc(&parts));
                    push(f, out, InstData { op: Op::Ir(IrOp::Collect), dsts, srcs, mods: &[], line });
                    value
                }
            };
            let srcs = f.alloc(&[data.into(), Src::imm(0, 16)]);
            let data = InstData { op: Opcode::StackStore.into(), dsts: &[], srcs, mods: &[], line };
            self.access(f, Access { slot, offset: u32::from(first) * part_bytes }, data, piece, out);
        }
    }

    /// Records that the memory phi `phi` keeps its own value when control comes from `pred`.
    pub(super) fn keep(&mut self, phi: Value, pred: Block) {
        self.slots.kept[pred].push(self.incoming[phi]);
    }

    /// Appends to `out` the store of a source of the memory phi `phi`, at the end of a predecessor. `value`
    /// is the phi's source from there, `name` its current name.
    pub(super) fn store_to_phi(
        &mut self,
        f: &mut Function<'_>,
        phi: Value,
        (value, name): (Option<Value>, Src),
        (block, line): (Block, u32),
        out: &mut InstList<'_>,
    ) {
        let to = self.incoming[phi];
        let name = match name.as_value() {
            Some(name) => name,
            None => {
                let value = f.add_value(f.ty(phi));
                let (dsts, srcs) = (f.alloc(&[value]), f.alloc(&[name]));
                push(f, out, InstData { op: Op::Ir(IrOp::Collect), dsts, srcs, mods: &[], line });
                value
            }
        };
        let first = Inst(f.insts.len() as u32);
        self.store(f, name, to, out, line);
        if let Some(value) = value {
            let end = Inst(f.insts.len() as u32);
            let depth = f.block(block).loop_depth;
            self.phi_stores.push((value, Move { from: to, to, first, end, depth }));
        }
    }

    /// Inserts the stores at definitions and the moves of memory phis at the heads of their blocks, and
    /// assigns stack offsets to slots.
    pub(super) fn finish(mut self, f: &mut Function<'_>) -> Result<SpillReport, CompileError> {
        let after = StoredAfter::of(f, &std::mem::take(&mut self.stored))?;
        let mut at_head: Side<Block, Vec<MemoryPhi>> = Side::new(f.blocks.len());
        for phi in &self.phis {
            if self.slot[phi.phi] != Some(phi.incoming) {
                at_head[phi.block].push(*phi);
            }
        }
        for block in f.blocks_in_order() {
            let untouched = f.block(block).insts.iter().all(|inst| after.values(*inst).next().is_none());
            if !untouched || !at_head[block].is_empty() {
                self.finish_block(f, block, &after, &at_head[block]);
            }
        }
        for (value, one) in std::mem::take(&mut self.phi_stores) {
            self.slots.moves.extend(self.slot[value].map(|from| Move { from, ..one }));
        }
        let places = place_slots(f, &self.slots, self.bytes)?;
        self.write_places(f, &places);
        self.remove_void_moves(f, &places);
        let phis = self.phis.iter();
        Ok(SpillReport {
            stack_bytes: places.bytes,
            stores: self.stores,
            loads: self.loads,
            rematerialised: self.rematerialised,
            memory_phis: phis.map(|phi| (phi.phi, places.offset[phi.incoming as usize])).collect(),
        })
    }

    /// Writes the offsets of stack accesses.
    fn write_places(&self, f: &mut Function<'_>, places: &Places) {
        for inst in (self.first_added.0..f.insts.len() as u32).map(Inst) {
            let Some(access) = self.slots.accesses[inst] else { continue };
            let offset = Src::imm((places.offset[access.slot as usize] + access.offset).into(), 16);
            let srcs = match f.insts[inst].srcs {
                [data, _] => f.alloc(&[*data, offset]),
                _ => f.alloc(&[offset]),
            };
            f.insts[inst].srcs = srcs;
        }
    }

    /// Removes the stores of moves within one slot, and the instructions added only for them.
    fn remove_void_moves(&mut self, f: &mut Function<'_>, places: &Places) {
        let mut is_void: Side<Inst, bool> = Side::default();
        for (one, _) in self.slots.moves.iter().zip(&places.is_void).filter(|(_, is_void)| **is_void) {
            self.stores -= 1;
            for inst in (one.first.0..one.end.0).map(Inst) {
                is_void[inst] = self.slots.accesses[inst].is_some();
            }
        }
        if is_void == Side::default() {
            return;
        }
        let mut reads: Side<Value, u32> = Side::new(f.values.len());
        let insts = f.blocks_in_order().flat_map(|block| &f.block(block).insts);
        for inst in insts.filter(|inst| !is_void[**inst]) {
            for value in f.insts[*inst].srcs.iter().filter_map(|src| src.as_value()) {
                reads[value] += 1;
            }
        }
        for block in f.blocks_in_order().rev() {
            let mut insts = f.take_insts(block);
            for inst in insts.iter().rev().copied().filter(|inst| inst.0 >= self.first_added.0) {
                let data = f.insts[inst];
                let is_unread = data.dsts.iter().all(|dst| reads[*dst] == 0) && !data.dsts.is_empty();
                if is_void[inst] || !is_unread || data.op == Op::Ir(IrOp::Phi) {
                    continue;
                }
                is_void[inst] = true;
                self.loads -= u32::from(self.slots.accesses[inst].is_some_and(|access| access.offset == 0));
                for value in data.srcs.iter().filter_map(|src| src.as_value()) {
                    reads[value] -= 1;
                }
            }
            insts.retain(|inst| !is_void[*inst]);
            f.block_mut(block).insts = insts;
        }
    }

    fn finish_block(&mut self, f: &mut Function<'_>, block: Block, after: &StoredAfter, phis: &[MemoryPhi]) {
        let insts = f.take_insts(block);
        let first = |inst: &Inst| matches!(f.insts[*inst].op, Op::Ir(IrOp::Phi | IrOp::Preload));
        let head = insts.iter().take_while(|inst| first(inst)).count();
        let mut out = f.inst_list();
        out.extend_from_slice_copy(&insts[..head]);
        for MemoryPhi { phi, incoming, .. } in phis {
            let name = self.load(f, f.ty(*phi), *incoming, &mut out, 0);
            let Some(to) = self.slot[*phi] else { continue };
            let first = Inst(f.insts.len() as u32);
            self.store(f, name, to, &mut out, 0);
            let (end, depth) = (Inst(f.insts.len() as u32), f.block(block).loop_depth);
            self.slots.moves.push(Move { from: *incoming, to, first, end, depth });
        }
        let early = insts[..head].iter().copied().map(|inst| (inst, false));
        let late = insts[head..].iter().copied().map(|inst| (inst, true));
        for (inst, place) in early.chain(late) {
            f.watch.visit(1);
            if place {
                out.push(inst);
            }
            for value in after.values(inst) {
                if let Some(slot) = self.slot[value] {
                    let line = f.insts[inst].line;
                    self.store(f, value, slot, &mut out, line);
                }
            }
        }
        f.block_mut(block).insts = out;
    }
}

/// The values that are stored after each instruction: a linked list per instruction.
struct StoredAfter {
    /// Index of the first entry plus one; 0 for none.
    first: Side<Inst, u32>,
    /// A value, and the index of the next entry plus one.
    entries: Vec<(Value, u32)>,
}

impl StoredAfter {
    /// Lists `stored` by their definitions.
    fn of(f: &Function<'_>, stored: &[Value]) -> Result<StoredAfter, CompileError> {
        let mut after =
            StoredAfter { first: Side::new(f.insts.len()), entries: Vec::with_capacity(stored.len()) };
        for value in stored.iter().rev() {
            let def = f.values[*value].def;
            let def =
                def.ok_or_else(|| CompileError::internal(format!("{value} is spilled but never defined")))?;
            after.entries.push((*value, after.first[def]));
            after.first[def] = after.entries.len() as u32;
        }
        Ok(after)
    }

    fn values(&self, inst: Inst) -> impl Iterator<Item = Value> + '_ {
        let mut next = self.first[inst];
        std::iter::from_fn(move || {
            let (value, after) = *self.entries.get((next as usize).checked_sub(1)?)?;
            next = after;
            Some(value)
        })
    }
}
