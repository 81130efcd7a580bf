//! Replaces loads of constant data at constant offsets by the constants.
//!
//! Constant arrays with computed indices are in the constant section of the shader. Once a loop is unrolled, the indices in
//! it are constant, and so are the elements: other passes fold them, and constants that no operand can hold move to
//! uniform registers in the end, as the loads would.
//!
//! Before: stage source. After: the same.

use agx_abi::UniformSource;
use arrayvec::ArrayVec;

use crate::context::Context;
use crate::ir::rewrite::map_some;
use crate::ir::{Build, Function, InstData, IrOp, Op, Rewrite, Src};

/// Maximum number of components of a load.
const MOST_PARTS: usize = 4;

/// Replaces loads of constant data at constant offsets by the constants.
pub fn opt_constant_loads(f: &mut Function<'_>, context: &mut Context<'_>) {
    let info = &context.facts.info;
    let is_section = |source: UniformSource| source == UniformSource::ConstantAddress;
    let Some(section) = info.uniforms.iter().find(|range| is_section(range.source)) else { return };
    let is_load = |data: &InstData<'_>| data.op == Op::Ir(IrOp::LoadGlobal);
    map_some(f, is_load, |r, inst| {
        let data = r.f.insts[inst];
        let Some(parts) = constants(r.f, &data, section.start, &info.constants) else { return Rewrite::Keep };
        match (parts.as_slice(), data.dst()) {
            ([part], _) => Rewrite::Forward(*part),
            (parts, Some(dst)) => Rewrite::Forward(r.collect(r.f.ty(dst), parts)),
            _ => Rewrite::Keep,
        }
    });
}

/// The components that an instruction loads from `section`, if it is at the address in the uniform register `address` and
/// the offset is constant and within.
fn constants(
    f: &Function<'_>,
    data: &InstData<'_>,
    address: u16,
    section: &[u8],
) -> Option<ArrayVec<Src, MOST_PARTS>> {
    let ([base, offset], Op::Ir(IrOp::LoadGlobal)) = (data.srcs, data.op) else { return None };
    let ty = f.ty(data.dst()?);
    let (start, bytes) = (usize::try_from(offset.as_imm()?).ok()?, usize::from(ty.bits) / 8);
    if base.as_uniform() != Some(address) || bytes == 0 || usize::from(ty.comps) > MOST_PARTS {
        return None;
    }
    let loaded = section.get(start..start.checked_add(bytes * usize::from(ty.comps))?)?;
    let number = |part: &[u8]| part.iter().rev().fold(0, |bits, byte| bits << 8 | u64::from(*byte));
    Some(loaded.chunks_exact(bytes).map(|part| Src::imm(number(part), ty.bits)).collect())
}
