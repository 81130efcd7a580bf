//! What is known of the device memory that loads read.
//!
//! Three facts about memory let passes merge, move and fold loads:
//!
//! * Source languages rarely declare that memory is only read: pointers into buffers and storage buffers are readable
//!   and writable by default. If no instruction of the shader stores to device memory or changes it atomically, all its
//!   invocations see the same contents, and the loads are marked as read-only. What other programs write meanwhile may be
//!   missed, unless the load is volatile.
//! * The whole of a uniform block is readable, so that a load at a constant offset within one may be executed
//!   speculatively. An element of an array has a constant offset only once the loop around it is unrolled.
//! * Constant arrays with computed indices are in the constant section of the shader. Where the index is constant, the
//!   constants replace the load. Those that no operand can hold move to uniform registers in the end, as the loads would.
//!
//! Part of `opt_memory`.

use agx_abi::{ShaderInfo, UniformSource};
use arrayvec::ArrayVec;

use crate::ir::key;
use crate::ir::{Access, Function, InstData, IrOp, Op, Src};

/// Maximum number of components of a load.
pub(super) const MOST_PARTS: usize = 4;

/// The constant section of a shader.
#[derive(Clone, Copy)]
pub(super) struct Section<'c> {
    /// The uniform register with its address.
    address: u16,
    bytes: &'c [u8],
}

/// The constant section, if the shader has one.
pub(super) fn section(info: &ShaderInfo) -> Option<Section<'_>> {
    let is_section = |source: UniformSource| source == UniformSource::ConstantAddress;
    let range = info.uniforms.iter().find(|range| is_section(range.source))?;
    Some(Section { address: range.start, bytes: &info.constants })
}

/// Whether an instruction loads from device memory.
fn is_load(data: &InstData<'_>) -> bool {
    data.op == Op::Ir(IrOp::LoadGlobal)
}

/// Marks loads of memory that is only read or always readable.
pub(super) fn mark_loads(f: &mut Function<'_>) {
    let is_written = [IrOp::StoreGlobal, IrOp::AtomicGlobal].into_iter().any(|op| f.present.may_have_op(op));
    if is_written && f.declared.readable.is_empty() {
        return;
    }
    for inst in f.insts.keys() {
        let data = &f.insts[inst];
        if !is_load(data) || data.get(key::ACCESS).contains(Access::VOLATILE) {
            continue;
        }
        let mut access = data.get(key::ACCESS);
        access.set(Access::READONLY, !is_written || access.contains(Access::READONLY));
        access.set(Access::SPECULATABLE, access.contains(Access::SPECULATABLE) || is_readable(f, data));
        if access != data.get(key::ACCESS) {
            let mods = f.alloc(&[access.bits(), data.get(key::ALIGN)]);
            f.insts[inst].mods = mods;
        }
    }
}

/// Whether all that a load reads is in memory that may be read wherever its address is known.
fn is_readable(f: &Function<'_>, data: &InstData<'_>) -> bool {
    let ([base, offset], Some(dst)) = (data.srcs, data.dst()) else { return false };
    let (Some(address), Some(offset)) = (base.as_uniform(), offset.as_imm()) else { return false };
    let end = offset.saturating_add(u64::from(f.ty(dst).halves()) * 2);
    f.declared.readable.iter().any(|known| known.address == address && end <= known.bytes.into())
}

impl Section<'_> {
    /// The components that a load reads from the section, if its offset is constant and within.
    pub(super) fn constants(
        self,
        f: &Function<'_>,
        data: &InstData<'_>,
    ) -> Option<ArrayVec<Src, MOST_PARTS>> {
        let [base, offset] = data.srcs else { return None };
        let ty = f.ty(data.dst()?);
        let (start, bytes) = (usize::try_from(offset.as_imm()?).ok()?, usize::from(ty.bits) / 8);
        let is_other = base.as_uniform() != Some(self.address) || !is_load(data);
        if is_other || bytes == 0 || usize::from(ty.comps) > MOST_PARTS {
            return None;
        }
        let loaded = self.bytes.get(start..start.checked_add(bytes * usize::from(ty.comps))?)?;
        let number = |part: &[u8]| part.iter().rev().fold(0, |bits, byte| bits << 8 | u64::from(*byte));
        Some(loaded.chunks_exact(bytes).map(|part| Src::imm(number(part), ty.bits)).collect())
    }
}
