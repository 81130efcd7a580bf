//! Local (threadgroup) memory: loads, stores, atomics. They are synchronous and need no waits.
//!
//! The base is a 16-bit byte address. An index has an effect only if one of the three shift bits is set (measured on M1
//! Ultra); otherwise it is reported and ignored.

use agx_isa::inst::{Inst, Size};
use agx_isa::key::{self, Key};

use crate::core::Core;
use crate::exec::fields::Fields;
use crate::exec::memory::{AtomicData, Layout};
use crate::exec::plain::{Shape, Span, SpanMut, is_plain};
use crate::findings::{FindingKind, Observation};
use crate::group::{Group, PerLane};
use crate::registers::{Place, Src, lanes_of};

/// Base and index of a local access.
#[derive(Clone, Copy, Debug)]
struct Address {
    base: Src,
    index: Src,
    shift_bits: u32,
}

impl Address {
    fn new(inst: &Inst) -> Address {
        let fields = Fields::new(inst);
        Address {
            base: fields.source(key::BASE).sized(Size::B16),
            index: fields.source(key::INDEX).sized(Size::B16),
            // Atomics have no scale.
            shift_bits: fields.find(key::SCALE).map_or(0, |scale| scale.value),
        }
    }

    /// Byte address of component 0 in each lane.
    fn of_lanes(&self, group: &Group, core: &mut Core<'_>) -> PerLane<u64> {
        let mut addresses = group.gather(core.uniforms, &self.base);
        let indices = group.gather(core.uniforms, &self.index);
        if self.index.place == Place::Immediate(0) {
            return addresses;
        }
        if self.shift_bits == 0 {
            core.notes.push(FindingKind::LocalIndexUndefined.into());
            return addresses;
        }
        for (address, index) in addresses.iter_mut().zip(indices) {
            let slots = i64::from(index as u16 as i16) << self.shift_bits.trailing_zeros();
            *address = address.wrapping_add_signed(slots * 4) & 0xffff;
        }
        addresses
    }
}

/// A local load or store.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Threadgroup {
    address: Address,
    layout: Layout,
}

impl Threadgroup {
    /// Resolves a load (`data` is then `dst`) or a store.
    pub(crate) fn new(inst: &Inst, data: Key) -> Option<Threadgroup> {
        Some(Threadgroup { address: Address::new(inst), layout: Layout::new(inst, data)? })
    }

    /// The combined access of all lanes, if it has that form.
    fn shape(&self, addresses: &PerLane<u64>, group: &Group, core: &Core<'_>) -> Option<Shape> {
        let plain = core.races.is_none() && is_plain(&self.layout);
        let addresses = addresses.map(|address| address & !3);
        plain.then(|| Shape::new(&addresses, &self.layout, group.exec)).flatten()
    }

    /// Loads in the active lanes. Accesses outside the allocation give zero.
    pub(crate) fn load(&self, group: &mut Group, core: &mut Core<'_>) -> Result<(), Observation> {
        let addresses = self.address.of_lanes(group, core);
        if let Some(shape) = self.shape(&addresses, group, core)
            && let Some(bytes) =
                core.local.bytes().get(shape.start as usize..shape.start as usize + shape.len)
        {
            shape.load(&Span::Bytes(bytes), &self.layout, group);
            return Ok(());
        }
        let element = self.layout.format.bytes();
        for lane in lanes_of(group.exec) {
            let by = group.access(lane, false);
            self.layout.load(group, lane, |component, bytes| {
                let address = aligned(addresses[lane], element) + component * element;
                core.saw_local(address, bytes, by);
                Ok::<_, Observation>(core.local.read(address, bytes).unwrap_or_else(|kind| {
                    core.notes.push(kind.in_lane(lane));
                    0
                }))
            })?;
        }
        Ok(())
    }

    /// Stores from the active lanes. Accesses outside the allocation do nothing.
    pub(crate) fn store(&self, group: &Group, core: &mut Core<'_>) -> Result<(), Observation> {
        let addresses = self.address.of_lanes(group, core);
        if let Some(shape) = self.shape(&addresses, group, core)
            && let Some(bytes) =
                core.local.bytes_mut().get_mut(shape.start as usize..shape.start as usize + shape.len)
        {
            shape.store(SpanMut::Bytes(bytes), &self.layout, group, group.exec);
            return Ok(());
        }
        let element = self.layout.format.bytes();
        for lane in lanes_of(group.exec) {
            let by = group.access(lane, true);
            self.layout.store(group, lane, |component, bytes, value| {
                let address = aligned(addresses[lane], element) + component * element;
                core.saw_local(address, bytes, by);
                if let Err(kind) = core.local.write(address, bytes, value) {
                    core.notes.push(kind.in_lane(lane));
                }
                Ok::<_, Observation>(())
            })?;
        }
        Ok(())
    }
}

/// Addresses are rounded down to the element, as device addresses are (assumed).
fn aligned(address: u64, element: u32) -> u32 {
    address as u32 & !(element - 1)
}

/// A local atomic on 32-bit words.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LocalAtomic {
    address: Address,
    data: AtomicData,
}

impl LocalAtomic {
    /// Resolves a local atomic; `None` for unknown operations.
    pub(crate) fn new(inst: &Inst) -> Option<LocalAtomic> {
        Some(LocalAtomic { address: Address::new(inst), data: AtomicData::new(inst)? })
    }

    /// Executes the lanes in order.
    pub(crate) fn run(&self, group: &mut Group, core: &mut Core<'_>) {
        let addresses = self.address.of_lanes(group, core);
        for lane in lanes_of(group.exec) {
            let address = aligned(addresses[lane], 4);
            let old = core.local.read(address, 4);
            let new = self.data.update(group, lane, old.clone().unwrap_or(0));
            if let Err(kind) = old.and_then(|_| core.local.write(address, 4, new)) {
                core.notes.push(kind.in_lane(lane));
            }
        }
    }
}
