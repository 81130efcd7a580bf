//! Stack slots, stores and loads of spilled values.

use agx_isa::table::Opcode;

use super::{SpillReport, is_rematerialised};
use crate::error::CompileError;
use crate::ir::entity::{Block, Inst, Value};
use crate::ir::function::{Function, InstData};
use crate::ir::op::{IrOp, Op, mods_with};
use crate::ir::src::Src;
use crate::ir::table::Side;
use crate::ir::types::Type;

/// Bytes an immediate stack offset reaches.
const REACH_BYTES: u32 = 1 << 15;
/// Most components of one stack access.
const MAX_COMPONENTS: u8 = 4;
/// Memory formats of 16-bit and 32-bit integers.
const FORMATS: [u32; 2] = [1, 2];

/// A phi of stack slots.
#[derive(Clone, Copy, Debug)]
struct MemoryPhi {
    phi: Value,
    block: Block,
    /// Where predecessors store to.
    incoming: u32,
}

/// What lives in stack memory.
pub(super) struct Memory {
    slot: Side<Value, Option<u32>>,
    /// Values to be stored where they are defined, in the order in which they were first loaded.
    stored: Vec<Value>,
    /// The block of a memory phi.
    home: Side<Value, Option<Block>>,
    /// Where predecessors store to for a memory phi.
    incoming: Side<Value, u32>,
    phis: Vec<MemoryPhi>,
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

/// Whether a value cannot be stored as it is.
pub(super) fn is_stored_in_parts(ty: Type) -> bool {
    ty.bits > 32 || ty.comps > MAX_COMPONENTS
}

fn stack_mods(op: Opcode, ty: Type) -> crate::ir::op::Mods {
    mods_with(op, &[("format", FORMATS[usize::from(ty.bits == 32)]), ("mask", (1 << ty.comps) - 1)])
}

/// Appends an instruction that is not yet in a block to `out`.
fn push<'a>(f: &mut Function<'a>, out: &mut Vec<Inst>, data: InstData<'a>) {
    let inst = f.add_inst(data);
    out.push(inst);
}

impl Memory {
    pub(super) fn new(f: &Function<'_>, bytes: u32) -> Self {
        let count = f.values.len();
        Memory {
            slot: Side::new(count),
            stored: Vec::new(),
            home: Side::new(count),
            incoming: Side::default(),
            phis: Vec::new(),
            bytes: bytes.next_multiple_of(4),
            loads: 0,
            stores: 0,
        }
    }

    pub(super) fn is_memory_phi(&self, value: Value) -> bool {
        self.home[value].is_some()
    }

    fn new_slot(&mut self, ty: Type) -> Result<u32, CompileError> {
        let slot = self.bytes;
        self.bytes += u32::from(ty.halves()).next_multiple_of(2) * 2;
        if self.bytes > REACH_BYTES {
            return Err(CompileError::limit(
                "spilled values need more stack than an immediate offset reaches",
            ));
        }
        Ok(slot)
    }

    fn slot_of(&mut self, f: &Function<'_>, value: Value) -> Result<u32, CompileError> {
        if let Some(slot) = self.slot[value] {
            return Ok(slot);
        }
        let slot = self.new_slot(f.ty(value))?;
        self.slot[value] = Some(slot);
        if self.home[value].is_none() {
            self.stored.push(value);
        }
        Ok(slot)
    }

    /// Makes those of the phis of `block` whose results are `chosen` phis of stack slots. Where predecessors may read
    /// slots of other phis of the block, what they store must not be visible before the block begins: they store to
    /// slots of their own.
    pub(super) fn add_phis(
        &mut self,
        f: &Function<'_>,
        block: Block,
        phis: &[Inst],
        chosen: &[Value],
    ) -> Result<(), CompileError> {
        for phi in chosen {
            self.home[*phi] = Some(block);
        }
        let is_own = |value: Value| self.home[value] == Some(block);
        let twice = phis.iter().map(|phi| f.insts[*phi]).any(|data| {
            let mut values = data.srcs.iter().filter_map(|src| src.as_value());
            values.any(|value| data.dst() != Some(value) && is_own(value))
        });
        for phi in chosen {
            let slot = self.slot_of(f, *phi)?;
            let incoming = if twice { self.new_slot(f.ty(*phi))? } else { slot };
            self.incoming[*phi] = incoming;
            self.phis.push(MemoryPhi { phi: *phi, block, incoming });
        }
        Ok(())
    }

    /// Appends to `out` what brings `value` into a register, and returns its name there.
    pub(super) fn reload<'a>(
        &mut self,
        f: &mut Function<'a>,
        value: Value,
        out: &mut Vec<Inst>,
        line: u32,
    ) -> Result<Value, CompileError> {
        let def = f.values[value].def.map(|def| f.insts[def]);
        if let Some(data) = def.filter(is_rematerialised) {
            let name = f.add_value(f.ty(value));
            let dsts = f.alloc(&[name]);
            push(f, out, InstData { dsts, line, ..data });
            return Ok(name);
        }
        let slot = self.slot_of(f, value)?;
        self.loads += 1;
        Ok(self.load(f, f.ty(value), slot, out, line))
    }

    fn load(&self, f: &mut Function<'_>, ty: Type, slot: u32, out: &mut Vec<Inst>, line: u32) -> Value {
        let stored = stored_type(ty);
        let part_bytes = u32::from(stored.bits) / 8;
        let mut parts: Vec<Src> = Vec::new();
        for first in (0..stored.comps).step_by(usize::from(MAX_COMPONENTS)) {
            let piece = Type::vector(stored.bits, (stored.comps - first).min(MAX_COMPONENTS));
            let value = f.add_value(if piece == stored && ty.bits <= 32 { ty } else { piece });
            let offset = slot + u32::from(first) * part_bytes;
            let (dsts, srcs) = (f.alloc(&[value]), f.alloc(&[Src::imm(offset.into(), 16)]));
            let mods = f.alloc(&stack_mods(Opcode::StackLoad, piece));
            push(f, out, InstData { op: Opcode::StackLoad.into(), dsts, srcs, mods, line });
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
    fn store(&mut self, f: &mut Function<'_>, name: Value, slot: u32, out: &mut Vec<Inst>, line: u32) {
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
            let offset = slot + u32::from(first) * part_bytes;
            let srcs = f.alloc(&[data.into(), Src::imm(offset.into(), 16)]);
            let mods = f.alloc(&stack_mods(Opcode::StackStore, piece));
            push(f, out, InstData { op: Opcode::StackStore.into(), dsts: &[], srcs, mods, line });
        }
    }

    /// Appends to `out` the store of a source of the memory phi `phi`, at the end of a predecessor.
    pub(super) fn store_to_phi(
        &mut self,
        f: &mut Function<'_>,
        phi: Value,
        src: Src,
        out: &mut Vec<Inst>,
        line: u32,
    ) {
        let incoming = self.incoming[phi];
        let name = match src.as_value() {
            Some(name) => name,
            None => {
                let name = f.add_value(f.ty(phi));
                let (dsts, srcs) = (f.alloc(&[name]), f.alloc(&[src]));
                push(f, out, InstData { op: Op::Ir(IrOp::Collect), dsts, srcs, mods: &[], line });
                name
            }
        };
        self.store(f, name, incoming, out, line);
    }

    /// Inserts the stores at definitions and what memory phis need at the heads of their blocks.
    pub(super) fn finish(mut self, f: &mut Function<'_>) -> Result<SpillReport, CompileError> {
        let mut after: Side<Inst, Vec<Value>> = Side::new(f.insts.len());
        for value in std::mem::take(&mut self.stored) {
            let def = f.values[value].def;
            let def =
                def.ok_or_else(|| CompileError::internal(format!("{value} is spilled but never defined")))?;
            after[def].push(value);
        }
        let mut at_head: Side<Block, Vec<MemoryPhi>> = Side::new(f.blocks.len());
        for phi in &self.phis {
            if self.slot[phi.phi] != Some(phi.incoming) {
                at_head[phi.block].push(*phi);
            }
        }
        for block in f.blocks_in_order() {
            let untouched = f.block(block).insts.iter().all(|inst| after[*inst].is_empty());
            if !untouched || !at_head[block].is_empty() {
                self.finish_block(f, block, &after, &at_head[block]);
            }
        }
        Ok(SpillReport {
            stack_bytes: self.bytes,
            stores: self.stores,
            loads: self.loads,
            memory_phis: self.phis.iter().map(|phi| (phi.phi, phi.incoming)).collect(),
        })
    }

    fn finish_block(
        &mut self,
        f: &mut Function<'_>,
        block: Block,
        after: &Side<Inst, Vec<Value>>,
        phis: &[MemoryPhi],
    ) {
        let insts = std::mem::take(&mut f.block_mut(block).insts);
        let first = |inst: &Inst| matches!(f.insts[*inst].op, Op::Ir(IrOp::Phi | IrOp::Preload));
        let head = insts.iter().take_while(|inst| first(inst)).count();
        let mut out: Vec<Inst> = insts[..head].to_vec();
        for MemoryPhi { phi, incoming, .. } in phis {
            let value = self.load(f, f.ty(*phi), *incoming, &mut out, 0);
            if let Some(slot) = self.slot[*phi] {
                self.store(f, value, slot, &mut out, 0);
            }
        }
        let early = insts[..head].iter().copied().map(|inst| (inst, false));
        let late = insts[head..].iter().copied().map(|inst| (inst, true));
        for (inst, place) in early.chain(late) {
            if place {
                out.push(inst);
            }
            for value in &after[inst] {
                if let Some(slot) = self.slot[*value] {
                    let line = f.insts[inst].line;
                    self.store(f, *value, slot, &mut out, line);
                }
            }
        }
        f.block_mut(block).insts = out;
    }
}
