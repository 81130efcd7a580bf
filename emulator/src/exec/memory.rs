//! Device memory: loads, stores, atomics.
//!
//! Addressing (applegpu, Mesa 25.0 AGX compiler): the base is rounded down to the element, the index is scaled by the
//! element and the extra shift, components are consecutive. Results are written to registers immediately; `flight.rs`
//! delays them until the `wait`.

use agx_isa::inst::{Inst, OperandFlags, Size};
use agx_isa::key::{self, Key};

use crate::core::Core;
use crate::exec::fields::Fields;
use crate::exec::plain::Shape;
use crate::findings::Observation;
use crate::formats::{Format, encode_rgb9e5};
use crate::group::{Group, LANES, PerLane};
use crate::order::Path;
use crate::registers::{Dst, Place, Src, lanes_of};

/// The components that are moved and their positions: registers are filled contiguously, memory positions follow the
/// mask.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Layout {
    pub(crate) format: Format,
    pub(crate) mask: u32,
    pub(crate) first: Dst,
}

impl Layout {
    /// Resolves `format`, `mask` and the data register; `None` if the format is unknown or there is no register.
    pub(crate) fn new(inst: &Inst, data: Key) -> Option<Layout> {
        let fields = Fields::new(inst);
        let format = Format::from_code(fields.number(key::FORMAT))?;
        let mask = match format.packed_components() {
            Some(count) => (1 << count) - 1,
            None => fields.number(key::MASK) & 0xf,
        };
        Some(Layout { format, mask, first: Dst::new(fields.get(data))? })
    }

    /// Component numbers and the registers that hold them.
    pub(crate) fn components(&self) -> impl Iterator<Item = (u32, Dst)> + use<> {
        let Layout { mask, first, .. } = *self;
        lanes_of(mask).enumerate().map(move |(at, component)| (component as u32, first.following(at as u32)))
    }

    fn wide(&self) -> bool {
        self.first.size != Size::B16
    }

    /// Reads an element through `read(component offset in elements, bytes)` into the lane's registers.
    pub(crate) fn load<E>(
        &self,
        group: &mut Group,
        lane: usize,
        mut read: impl FnMut(u32, u32) -> Result<u32, E>,
    ) -> Result<(), E> {
        let packed = match self.format.packed_components() {
            Some(_) => Some(read(0, 4)?),
            None => None,
        };
        for (component, register) in self.components() {
            let raw = match packed {
                Some(word) => word,
                None => read(component, self.format.bytes())?,
            };
            group.write(register, u64::from(self.format.decode(raw, component, self.wide())), lane);
        }
        Ok(())
    }

    /// Writes the lane's registers through `write(component offset in elements, bytes, value)`.
    pub(crate) fn store<E>(
        &self,
        group: &Group,
        lane: usize,
        mut write: impl FnMut(u32, u32, u32) -> Result<(), E>,
    ) -> Result<(), E> {
        if self.format.packed_components().is_some() {
            return write(0, 4, self.packed_word(group, lane));
        }
        for (component, register) in self.components() {
            let value = group.read(register.half, register.size, lane) as u32;
            let raw = self.format.encode(value, component, self.wide());
            write(component, self.format.bytes(), raw)?;
        }
        Ok(())
    }

    fn packed_word(&self, group: &Group, lane: usize) -> u32 {
        let value = |register: Dst| group.read(register.half, register.size, lane) as u32;
        if matches!(self.format, Format::Rgb9E5 | Format::Rgb9E5TowardZero) {
            let mut floats = [0.0; 3];
            for (component, register) in self.components() {
                // Encoding to the 32-bit element widens to 32 bits.
                let bits = value(register);
                floats[component as usize] = if self.wide() {
                    f32::from_bits(bits)
                } else {
                    half::f16::from_bits(bits as u16).to_f32()
                };
            }
            return encode_rgb9e5(floats, self.format == Format::Rgb9E5TowardZero);
        }
        self.components().fold(0, |word, (component, register)| {
            word | self.format.encode(value(register), component, self.wide())
        })
    }
}

/// Base, index and scale of a device access.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Address {
    base: Src,
    index: Src,
    /// Bytes of an element, to which the base is aligned.
    element: u32,
    shift: u32,
}

impl Address {
    /// Resolves `base`, `index` and `shift` (3 acts as 2).
    fn new(inst: &Inst, element: u32, shift: u32) -> Address {
        let fields = Fields::new(inst);
        let index = fields.source(key::INDEX).sized(Size::B32);
        Address { base: fields.source(key::BASE).sized(Size::B64), index, element, shift }
    }

    /// The address of component 0 in each lane.
    fn of_lanes(&self, group: &Group, core: &Core<'_>) -> PerLane<u64> {
        let bases = group.gather(core.uniforms, &self.base);
        let indices = group.gather(core.uniforms, &self.index);
        // A 32-bit register is sign- or zero-extended; an immediate is already extended.
        let immediate = matches!(self.index.place, Place::Immediate(_));
        let signed = immediate || self.index.flags.contains(OperandFlags::SX);
        let mut addresses = [0; LANES];
        // Elements are powers of two.
        let scale = self.shift + self.element.trailing_zeros();
        let aligned = !(u64::from(self.element) - 1);
        for (address, (base, index)) in addresses.iter_mut().zip(bases.iter().zip(&indices)) {
            let index = if signed { *index as u32 as i32 as i64 as u64 } else { *index };
            *address = (base & aligned).wrapping_add(index << scale);
        }
        addresses
    }
}

/// A device load or store.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Device {
    address: Address,
    layout: Layout,
    wait_group: u8,
}

impl Device {
    /// Resolves a load (`data` is then `dst`) or a store; `None` for unknown formats.
    pub(crate) fn new(inst: &Inst, data: Key) -> Option<Device> {
        let layout = Layout::new(inst, data)?;
        let shift = if layout.format.packed_components().is_some() {
            0
        } else {
            Fields::new(inst).number(key::SHIFT)
        };
        let address = Address::new(inst, layout.format.bytes(), shift.min(2));
        let wait_group = inst.wait_group().map_or(0, |group| group as u8 & 1);
        Some(Device { address, layout, wait_group })
    }

    /// Loads in the active lanes.
    pub(crate) fn load(&self, group: &mut Group, core: &mut Core<'_>) -> Result<(), Observation> {
        let addresses = self.address.of_lanes(group, core);
        self.count_lines(&addresses, group.exec, core);
        if core.is_plain(&self.layout)
            && let Some(shape) = Shape::new(&addresses, &self.layout, group.exec)
            && let Some(span) = core.memory.readable_span(shape.start, shape.len)
        {
            shape.load(&span, &self.layout, group);
            return Ok(());
        }
        let element = u64::from(self.address.element);
        for lane in lanes_of(group.exec) {
            let by = group.access(lane, false);
            self.layout.load(group, lane, |component, bytes| {
                let address = addresses[lane].wrapping_add(u64::from(component) * element);
                core.saw_device(address, bytes, by);
                core.load(Path::Device, address, bytes, lane)
            })?;
        }
        Ok(())
    }

    /// Stores from the active lanes that are not helpers, in lane order.
    pub(crate) fn store(&self, group: &Group, core: &mut Core<'_>) -> Result<(), Observation> {
        let addresses = self.address.of_lanes(group, core);
        let lanes = group.storing();
        self.count_lines(&addresses, lanes, core);
        if core.is_plain(&self.layout)
            && let Some(shape) = Shape::new(&addresses, &self.layout, lanes)
            && let Some(span) = core.memory.writable_span(shape.start, shape.len)
        {
            shape.store(span, &self.layout, group, lanes);
            return Ok(());
        }
        let element = u64::from(self.address.element);
        for lane in lanes_of(lanes) {
            let by = group.access(lane, true);
            self.layout.store(group, lane, |component, bytes, value| {
                let address = addresses[lane].wrapping_add(u64::from(component) * element);
                core.saw_device(address, bytes, by);
                core.store((Path::Device, Some(self.wait_group)), address, bytes, value, lane)
            })?;
        }
        Ok(())
    }

    /// Counts the distinct 128-byte lines that the instruction accesses, by comparing neighbouring lanes.
    fn count_lines(&self, addresses: &PerLane<u64>, exec: u32, core: &mut Core<'_>) {
        let mut previous = u64::MAX;
        for lane in lanes_of(exec) {
            let line = addresses[lane] / 128;
            core.traffic.lines += u64::from(previous != line);
            previous = line;
        }
    }
}

/// Atomic operations, by their four-bit code.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum AtomicOp {
    Add,
    Sub,
    Exchange,
    CompareExchange,
    UnsignedMin,
    SignedMin,
    UnsignedMax,
    SignedMax,
    And,
    Or,
    Xor,
}

/// In the order of their codes.
const ATOMIC_OPS: [AtomicOp; 11] = {
    use AtomicOp::*;
    [Add, Sub, Exchange, CompareExchange, UnsignedMin, SignedMin, UnsignedMax, SignedMax, And, Or, Xor]
};

impl AtomicOp {
    /// The operation of a code.
    pub(crate) fn from_code(code: u32) -> Option<AtomicOp> {
        ATOMIC_OPS.get(code as usize).copied()
    }

    /// The new contents of memory.
    pub(crate) fn apply(self, old: u32, operand: u32, expected: u32) -> u32 {
        match self {
            AtomicOp::Add => old.wrapping_add(operand),
            AtomicOp::Sub => old.wrapping_sub(operand),
            AtomicOp::Exchange => operand,
            AtomicOp::CompareExchange if old == expected => operand,
            AtomicOp::CompareExchange => old,
            AtomicOp::UnsignedMin => old.min(operand),
            AtomicOp::UnsignedMax => old.max(operand),
            AtomicOp::SignedMin => (old as i32).min(operand as i32) as u32,
            AtomicOp::SignedMax => (old as i32).max(operand as i32) as u32,
            AtomicOp::And => old & operand,
            AtomicOp::Or => old | operand,
            AtomicOp::Xor => old ^ operand,
        }
    }
}

/// The registers of an atomic. `dst` receives the old value; a compare-exchange has the new value in the first data
/// register and the expected one in the second (Mesa 25.0 AGX compiler).
#[derive(Clone, Copy, Debug)]
pub(crate) struct AtomicData {
    op: AtomicOp,
    dst: Option<Dst>,
    data: Dst,
}

impl AtomicData {
    /// Resolves `op`, `dst` and `data`.
    pub(crate) fn new(inst: &Inst) -> Option<AtomicData> {
        let fields = Fields::new(inst);
        let data = Dst { size: Size::B32, ..Dst::new(fields.get(key::DATA))? };
        Some(AtomicData {
            op: AtomicOp::from_code(fields.number(key::OP))?,
            dst: Dst::new(fields.get(key::DST)),
            data,
        })
    }

    /// Computes the new value of a word from `old`, and writes `old` to `dst`.
    pub(crate) fn update(&self, group: &mut Group, lane: usize, old: u32) -> u32 {
        let operand = group.read(self.data.half, Size::B32, lane) as u32;
        let second = self.data.following(1);
        let expected = group.read(second.half, Size::B32, lane) as u32;
        if let Some(dst) = self.dst {
            group.write(dst, u64::from(old), lane);
        }
        self.op.apply(old, operand, expected)
    }
}

/// A device atomic.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Atomic {
    address: Address,
    data: AtomicData,
}

impl Atomic {
    /// Resolves a device atomic; `None` for unknown operations.
    pub(crate) fn new(inst: &Inst) -> Option<Atomic> {
        Some(Atomic { address: Address::new(inst, 4, 0), data: AtomicData::new(inst)? })
    }

    /// Executes the lanes in order.
    pub(crate) fn run(&self, group: &mut Group, core: &mut Core<'_>) -> Result<(), Observation> {
        let addresses = self.address.of_lanes(group, core);
        for lane in lanes_of(group.exec) {
            core.exchange(addresses[lane], lane, |old| self.data.update(group, lane, old))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn atomic_operations_by_code() {
        // (code, old, operand, expected, new)
        let cases = [
            (0, 5, 7, 0, 12),
            (0, u32::MAX, 2, 0, 1),
            (1, 5, 7, 0, u32::MAX - 1),
            (2, 5, 7, 0, 7),
            (3, 5, 7, 5, 7),
            (3, 5, 7, 6, 5),
            (4, 5, u32::MAX, 0, 5),
            (5, 5, u32::MAX, 0, u32::MAX),
            (6, 5, u32::MAX, 0, u32::MAX),
            (7, 5, u32::MAX, 0, 5),
            (8, 6, 3, 0, 2),
            (9, 6, 3, 0, 7),
            (10, 6, 3, 0, 5),
        ];
        for (code, old, operand, expected, new) in cases {
            let op = AtomicOp::from_code(code).expect("known");
            assert_eq!(op.apply(old, operand, expected), new, "{op:?} {old} {operand}");
        }
        assert_eq!(AtomicOp::from_code(11), None);
    }
}
