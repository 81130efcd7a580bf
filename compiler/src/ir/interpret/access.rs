//! Memory operations of the IR and of the hardware, for one lane.
//!
//! Hardware addressing follows the reference machine (applegpu, Mesa 25.0 AGX compiler): the base is rounded
//! down to the element, the index is scaled by the element and the extra shift, memory positions follow the
//! component mask, and registers are filled contiguously. Packed and normalised formats are not interpreted.

use agx_isa::half::Half;
use agx_isa::inst::OperandFlags;
use agx_isa::table::Opcode;
use agx_isa::table::names::{Atomic, Format};
use arrayvec::ArrayVec;

use super::{Components, InterpretError, Lane, Space};
use crate::ir::entity::Inst;
use crate::ir::function::{Function, InstData};
use crate::ir::key;
use crate::ir::op::{IrOp, Op};
use crate::ir::src::{Src, SrcKind};

/// Largest index shift; 3 acts as 2.
const MAX_SHIFT: u32 = 2;

/// Maximum number of components of a hardware access.
const MAX_MASK: u32 = 4;

/// The kind of access.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    Load,
    Store,
    Atomic,
}

/// A memory operation, with the indices of its operands.
#[derive(Clone, Copy, Debug)]
pub(super) struct Access {
    kind: Kind,
    space: Space,
    data: Option<Src>,
    base: Option<Src>,
    index: Src,
    is_hw: bool,
}

/// The memory layout of elements.
#[derive(Clone, Copy, Debug)]
struct Elements {
    bytes: u8,
    is_float: bool,
    /// Memory position of each register, in elements.
    positions: [u64; 16],
}

impl Access {
    /// The access of `data`; `None` if it is not a memory operation, or malformed.
    pub(super) fn of(f: &Function<'_>, data: &InstData<'_>) -> Option<Access> {
        let (kind, space) = match data.op {
            Op::Ir(IrOp::LoadGlobal) | Op::Hw(Opcode::Load) => (Kind::Load, Space::Device),
            Op::Ir(IrOp::StoreGlobal) | Op::Hw(Opcode::Store) => (Kind::Store, Space::Device),
            Op::Ir(IrOp::AtomicGlobal) | Op::Hw(Opcode::Atomic) => (Kind::Atomic, Space::Device),
            Op::Ir(IrOp::LoadLocal) | Op::Hw(Opcode::Lload) => (Kind::Load, Space::Local),
            Op::Ir(IrOp::StoreLocal) | Op::Hw(Opcode::Lstore) => (Kind::Store, Space::Local),
            Op::Ir(IrOp::AtomicLocal) | Op::Hw(Opcode::Latomic) => (Kind::Atomic, Space::Local),
            Op::Ir(IrOp::LoadScratch) | Op::Hw(Opcode::StackLoad) => (Kind::Load, Space::Scratch),
            Op::Ir(IrOp::StoreScratch) | Op::Hw(Opcode::StackStore) => (Kind::Store, Space::Scratch),
            _ => return None,
        };
        let is_hw = matches!(data.op, Op::Hw(_));
        // Hardware atomics have the data operand first, IR atomics last.
        let (data_src, rest) = match (kind, is_hw) {
            (Kind::Load, _) => (None, data.srcs),
            (Kind::Atomic, false) => data.srcs.split_last().map(|(last, rest)| (Some(*last), rest))?,
            _ => data.srcs.split_first().map(|(first, rest)| (Some(*first), rest))?,
        };
        let (base, index) = match rest {
            [index] => (None, *index),
            [base, index] => (Some(*base), *index),
            _ => return None,
        };
        let has_result = data.dsts.iter().all(|dst| f.ty(*dst).comps as usize <= 16);
        has_result.then_some(Access { kind, space, data: data_src, base, index, is_hw })
    }
}

impl Lane<'_, '_> {
    /// Performs the access.
    pub(super) fn access(
        &mut self,
        inst: Inst,
        data: &InstData<'_>,
        access: Access,
    ) -> Result<(), InterpretError> {
        if access.kind == Kind::Atomic {
            return self.atomic(inst, data, access);
        }
        let bits = match (access.data, data.dst()) {
            (Some(src), _) => self.f.width(src),
            (None, Some(dst)) => self.f.ty(dst).bits,
            (None, None) => return Err(self.malformed(inst)),
        };
        let elements = self.elements(inst, data, bits, access.is_hw)?;
        let address = self.address(inst, data, access, u64::from(elements.bytes))?;
        let place =
            |register: usize| address.wrapping_add(elements.positions[register] * u64::from(elements.bytes));
        if access.data.is_some() && self.outcome.is_helper && access.space == Space::Device {
            // The hardware drops the stores of helpers, but not their atomics.
            return Ok(());
        }
        if let Some(src) = access.data {
            for (register, component) in self.read(inst, src)?.into_iter().enumerate() {
                self.write_element(
                    inst,
                    access.space,
                    place(register),
                    encode(component, bits, elements),
                    elements,
                )?;
            }
            return Ok(());
        }
        let Some(dst) = data.dst() else { return Err(self.malformed(inst)) };
        let mut components = Components::new();
        for register in 0..usize::from(self.f.ty(dst).comps).min(16) {
            let raw = self.read_element(inst, access.space, place(register), elements)?;
            components.push(decode(raw, bits, elements));
        }
        self.define(dst, &components);
        Ok(())
    }

    fn elements(
        &self,
        inst: Inst,
        data: &InstData<'_>,
        bits: u8,
        is_hw: bool,
    ) -> Result<Elements, InterpretError> {
        let mut positions = [0; 16];
        for (register, position) in positions.iter_mut().enumerate() {
            *position = register as u64;
        }
        if !is_hw {
            if bits < 8 {
                return Err(self.unsupported(inst));
            }
            return Ok(Elements { bytes: bits / 8, is_float: false, positions });
        }
        let mask = data.get(key::MASK);
        let components = (0..MAX_MASK).filter(|component| mask >> component & 1 != 0);
        for (position, component) in positions.iter_mut().zip(components) {
            *position = u64::from(component);
        }
        let (bytes, is_float) = match data.get(key::FORMAT) {
            Format::I8 => (1, false),
            Format::I16 => (2, false),
            Format::I32 => (4, false),
            Format::F16 => (2, true),
            _ => return Err(self.unsupported(inst)),
        };
        Ok(Elements { bytes, is_float, positions })
    }

    /// The address of the first element.
    fn address(
        &self,
        inst: Inst,
        data: &InstData<'_>,
        access: Access,
        element: u64,
    ) -> Result<u64, InterpretError> {
        let base = access.base.map_or(Ok(0), |base| self.read_scalar(inst, base))?;
        let is_signed = matches!(data.op, Op::Ir(IrOp::LoadGlobal | IrOp::StoreGlobal))
            && data.get(key::ACCESS).contains(crate::ir::Access::SIGNED);
        let index = self.index(inst, access.index, access.is_hw, is_signed)?;
        if !access.is_hw {
            return Ok(base.wrapping_add(index));
        }
        match (access.space, access.kind) {
            // Atomics scale by the word regardless of the shift.
            (Space::Device, Kind::Atomic) => Ok((base & !3).wrapping_add(index.wrapping_mul(4))),
            (Space::Device, _) => {
                let shift = data.get(key::SHIFT).min(MAX_SHIFT);
                Ok((base & !(element - 1)).wrapping_add((index << shift).wrapping_mul(element)))
            }
            (Space::Scratch, _) => Ok(index),
            // The meaning of a non-zero index of local memory is not established.
            (Space::Local, _) if index == 0 => Ok(base),
            (Space::Local, _) => Err(self.unsupported(inst)),
        }
    }

    /// The index, extended to 64 bits: in the IR as the access states; in the hardware by its modifiers.
    fn index(&self, inst: Inst, src: Src, is_hw: bool, is_signed: bool) -> Result<u64, InterpretError> {
        let bits = self.read_scalar(inst, src)?;
        let is_signed = match src.kind {
            _ if !is_hw => is_signed,
            SrcKind::Imm => !src.flags.contains(OperandFlags::ZX),
            _ => src.flags.contains(OperandFlags::SX),
        };
        let unused = 64 - u32::from(self.f.width(src).clamp(1, 64));
        Ok(if is_signed { ((bits << unused) as i64 >> unused) as u64 } else { bits })
    }

    fn read_element(
        &mut self,
        inst: Inst,
        space: Space,
        address: u64,
        elements: Elements,
    ) -> Result<u64, InterpretError> {
        let mut bytes = [0; 8];
        let result = self.memory.read(space, address, &mut bytes[..usize::from(elements.bytes.min(8))]);
        result.map_err(|fault| InterpretError::Memory { inst: self.text(inst), fault })?;
        Ok(u64::from_le_bytes(bytes))
    }

    fn write_element(
        &mut self,
        inst: Inst,
        space: Space,
        address: u64,
        raw: u64,
        elements: Elements,
    ) -> Result<(), InterpretError> {
        let bytes = raw.to_le_bytes();
        let result = self.memory.write(space, address, &bytes[..usize::from(elements.bytes.min(8))]);
        result.map_err(|fault| InterpretError::Memory { inst: self.text(inst), fault })
    }

    fn atomic(&mut self, inst: Inst, data: &InstData<'_>, access: Access) -> Result<(), InterpretError> {
        let elements = Elements { bytes: 4, is_float: false, positions: [0; 16] };
        let address = self.address(inst, data, access, 4)?;
        let operands: ArrayVec<u64, 16> =
            access.data.map_or(Ok(ArrayVec::new()), |src| self.read(inst, src))?;
        let operand = operands.first().copied().unwrap_or(0) as u32;
        let comparand = operands.get(1).copied().unwrap_or(0) as u32;
        let old = self.read_element(inst, access.space, address, elements)? as u32;
        let new = atomic_result(data.get(key::ATOMIC), old, operand, comparand);
        let new = new.ok_or_else(|| self.unsupported(inst))?;
        self.write_element(inst, access.space, address, u64::from(new), elements)?;
        if let Some(dst) = data.dst() {
            self.define(dst, &[u64::from(old)]);
        }
        Ok(())
    }
}

/// The memory contents after an atomic.
fn atomic_result(op: Atomic, old: u32, operand: u32, comparand: u32) -> Option<u32> {
    let signed = |pick: fn(i32, i32) -> i32| pick(old as i32, operand as i32) as u32;
    Some(match op {
        Atomic::ADD => old.wrapping_add(operand),
        Atomic::SUB => old.wrapping_sub(operand),
        Atomic::EXCHANGE => operand,
        Atomic::COMPARE_EXCHANGE => {
            if old == comparand {
                operand
            } else {
                old
            }
        }
        Atomic::UMIN => old.min(operand),
        Atomic::IMIN => signed(i32::min),
        Atomic::UMAX => old.max(operand),
        Atomic::IMAX => signed(i32::max),
        Atomic::AND => old & operand,
        Atomic::OR => old | operand,
        Atomic::XOR => old ^ operand,
        _ => return None,
    })
}

/// The register representation, in `bits` bits, of an element.
fn decode(raw: u64, bits: u8, elements: Elements) -> u64 {
    if elements.is_float && bits == 32 {
        u64::from(Half::from_bits(raw as u16).to_f32().to_bits())
    } else {
        raw
    }
}

/// The element for a register of `bits` bits.
fn encode(component: u64, bits: u8, elements: Elements) -> u64 {
    if elements.is_float && bits == 32 {
        u64::from(Half::from_f32(f32::from_bits(component as u32)).to_bits())
    } else {
        component
    }
}
