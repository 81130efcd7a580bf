//! Accesses to buffers outside of what is bound, for keys that ask for robust ones.
//!
//! An access that starts outside moves to the buffer's first byte, where the driver has 16 bytes readable whatever the buffer's
//! size. That is all that `robustBufferAccess` of Vulkan asks for, and costs an instruction for each access, because the last
//! byte at which an access may start is computed by the preamble. `robustBufferAccess2` also wants zeros from loads, an
//! instruction for each component, and neither stores nor atomics, which stand in an if. Offsets have 32 bits, as in every
//! access: an index whose offset is 2³² or more is outside only if the rest of it is (Mesa 25.0 has the same).

use super::Kit;
use super::buffers::{self, BufferElement};
use super::robustness::Bounds;
use crate::ir::build::alu::IntCond;
use crate::ir::{Arithmetic, Src};

/// An access that was checked.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Checked {
    /// The byte offset that is accessed.
    pub offset: Src,
    /// Whether it is the one that was asked for; nothing where that does not matter.
    pub is_inside: Option<Src>,
}

/// Checks an access to `bytes` bytes of a buffer from byte `offset` on.
pub(crate) fn check(kit: &mut Kit<'_, '_>, buffer: BufferElement, offset: Src, bytes: u32) -> Checked {
    if buffer.bounds == Bounds::Unchecked {
        return Checked { offset, is_inside: None };
    }
    let size = buffers::size(kit, buffer);
    let behind = Src::imm32(bytes.saturating_sub(1));
    let least = kit.b.umax(size, behind);
    let starts = kit.b.isub(least, behind);
    let is_inside = kit.b.icmp(IntCond::ULT, offset, starts);
    let offset = kit.b.select(is_inside, offset, Src::imm32(0));
    Checked { offset, is_inside: (buffer.bounds == Bounds::Exact).then_some(is_inside) }
}

impl Checked {
    /// What was loaded, or zero outside.
    pub fn loaded(&self, kit: &mut Kit<'_, '_>, part: Src) -> Src {
        match self.is_inside {
            Some(is_inside) => {
                let zero = Src::imm(0, kit.b.f.width(part));
                kit.b.select(is_inside, part, zero)
            }
            None => part,
        }
    }

    /// Opens an if around an effect that must not happen outside.
    pub fn begin(&self, kit: &mut Kit<'_, '_>) {
        if let Some(is_inside) = self.is_inside {
            kit.b.begin_if(is_inside);
        }
    }

    /// Closes it.
    pub fn end(&self, kit: &mut Kit<'_, '_>) {
        if self.is_inside.is_some() {
            kit.b.begin_else();
            kit.b.end_if();
        }
    }

    /// Closes it; the scalar `result` is 0 outside.
    pub fn end_with(&self, kit: &mut Kit<'_, '_>, result: Src) -> Src {
        if self.is_inside.is_none() {
            return result;
        }
        let variable = kit.vars.add(&[kit.b.f.width(result)]);
        kit.vars.write(&kit.b, variable, result);
        self.end(kit);
        kit.vars.read(&mut kit.b, variable)
    }
}
