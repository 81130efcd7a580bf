//! Built-in numbers that only kernels have, or that differ for them.

use agx_abi::ArgumentKind;
use spirv::BuiltIn;

use super::super::owners::Memory;
use super::super::values::Values;
use super::block::implicit_word;
use crate::error::CompileError;
use crate::frontend::kit::compute::{self, ComputeInput, LaneInput};
use crate::ir::Arithmetic;
use crate::ir::src::Src;

/// A scalar of a built-in, 32 bits; `None` for one that is that of a shader.
pub(in super::super) fn scalar<'a>(
    m: &mut Memory<'a>,
    v: &mut Values<'_, 'a>,
    built_in: BuiltIn,
    component: u32,
) -> Result<Option<Src>, CompileError> {
    Ok(Some(match built_in {
        BuiltIn::GlobalInvocationId => global_id(m, v, component)?,
        BuiltIn::GlobalOffset => implicit_word(m, v, ArgumentKind::GlobalOffset, component)?,
        BuiltIn::GlobalSize => implicit_word(m, v, ArgumentKind::GlobalSize, component)?,
        BuiltIn::WorkDim => implicit_word(m, v, ArgumentKind::WorkDimension, 0)?,
        BuiltIn::EnqueuedWorkgroupSize => compute::input(&mut v.kit, ComputeInput::WorkgroupSize(component)),
        BuiltIn::SubgroupMaxSize => compute::lane_input(&mut v.kit, LaneInput::Count),
        BuiltIn::NumEnqueuedSubgroups => compute::input(&mut v.kit, ComputeInput::SubgroupCount),
        BuiltIn::SubgroupSize => subgroup_size(v),
        BuiltIn::GlobalLinearId => linear_id(m, v)?,
        _ => return Ok(None),
    }))
}

/// The number of a work-item along an axis.
fn global_id<'a>(m: &mut Memory<'a>, v: &mut Values<'_, 'a>, axis: u32) -> Result<Src, CompileError> {
    let number = compute::input(&mut v.kit, ComputeInput::GlobalInvocationId(axis));
    let first = implicit_word(m, v, ArgumentKind::GlobalOffset, axis)?;
    Ok(v.kit.b.iadd(number, first))
}

/// The number of work-items in the subgroup: the last one of a workgroup may have fewer.
fn subgroup_size(v: &mut Values<'_, '_>) -> Src {
    let items = v.kit.compute.invocations();
    let most = compute::lane_input(&mut v.kit, LaneInput::Count);
    let lanes = most.as_imm().unwrap_or(32) as u32;
    if items.is_multiple_of(lanes) {
        return most;
    }
    let number = compute::input(&mut v.kit, ComputeInput::SubgroupId);
    let before = v.kit.b.imul(number, most);
    let rest = v.kit.b.isub(Src::imm32(items), before);
    v.kit.b.umin(rest, most)
}

/// The number of the work-item, counted through all axes without the offsets.
fn linear_id<'a>(m: &mut Memory<'a>, v: &mut Values<'_, 'a>) -> Result<Src, CompileError> {
    let [x, y, z] = [0, 1, 2].map(|axis| compute::input(&mut v.kit, ComputeInput::GlobalInvocationId(axis)));
    let width = implicit_word(m, v, ArgumentKind::GlobalSize, 0)?;
    let height = implicit_word(m, v, ArgumentKind::GlobalSize, 1)?;
    let rows = v.kit.b.imul(z, height);
    let row = v.kit.b.iadd(rows, y);
    let before = v.kit.b.imul(row, width);
    Ok(v.kit.b.iadd(before, x))
}
