//! Operations of the whole workgroup, by way of the subgroups' and memory that they share, and copies by all work-items.

use agx_abi::occupancy::SUBGROUP_SIZE;
use spirv::{GroupOperation, Op, Scope, StorageClass};

use super::super::kernel::access::{Space, load_at, store_at};
use super::super::kernel::{has_floats, wrong};
use super::super::owners::Memory;
use super::super::pointer::Pointer;
use super::super::types::Kind;
use super::super::values::Values;
use super::super::words::Inst;
use super::super::{index, memory, pointers, simd};
use crate::error::{CompileError, GroupError, MemoryError};
use crate::frontend::kit::compute::{self, ComputeInput};
use crate::frontend::kit::limits::MAX_LOCAL_BYTES;
use crate::ir::build::alu::IntCond;
use crate::ir::builder::Builder;
use crate::ir::function::Access;
use crate::ir::op::IrOp;
use crate::ir::src::Src;
use crate::ir::types::Type;
use crate::ir::vocabulary::reduction_code;
use crate::ir::{Arithmetic, Build};
use crate::lower::subgroups::identity;

/// Bytes of the memory that the subgroups of a workgroup share: a scalar for each.
const SLOTS_BYTES: u32 = 32 * SLOT_BYTES;

/// Bytes of a scalar there.
const SLOT_BYTES: u32 = 8;

/// The name of an instruction's reduction.
fn reduction(op: Op) -> &'static str {
    match op {
        Op::GroupIAdd => "iadd",
        Op::GroupFAdd => "fadd",
        Op::GroupFMin => "fmin",
        Op::GroupUMin => "umin",
        Op::GroupSMin => "smin",
        Op::GroupFMax => "fmax",
        Op::GroupUMax => "umax",
        Op::GroupSMax => "smax",
        Op::GroupAll => "and",
        _ => "or",
    }
}

/// Combines two scalars by a reduction.
fn combine(b: &mut Builder<'_, '_>, op: Op, x: Src, y: Src) -> Src {
    match op {
        Op::GroupIAdd => b.iadd(x, y),
        Op::GroupFAdd => b.fadd(x, y),
        Op::GroupFMin => b.fmin(x, y),
        Op::GroupUMin => b.umin(x, y),
        Op::GroupSMin => b.imin(x, y),
        Op::GroupFMax => b.fmax(x, y),
        Op::GroupUMax => b.umax(x, y),
        Op::GroupSMax => b.imax(x, y),
        Op::GroupAll => b.and(x, y),
        _ => b.or(x, y),
    }
}

/// Whether an instruction's scope is the subgroup; the other one is the workgroup.
fn is_subgroup(v: &mut Values<'_, '_>, id: u32) -> Result<bool, CompileError> {
    let scope = v.constant(id)?;
    match Scope::from_u32(scope) {
        Some(Scope::Subgroup) => Ok(true),
        Some(Scope::Workgroup) => Ok(false),
        _ => Err(GroupError::GroupScope { scope }.into()),
    }
}

/// The first byte of the memory that subgroups share.
fn slots(m: &mut Memory<'_>, v: &mut Values<'_, '_>) -> Result<u32, CompileError> {
    if let Some(known) = m.slots {
        return Ok(known);
    }
    let start = v.kit.memory.local_bytes.next_multiple_of(SLOT_BYTES);
    v.kit.memory.local_bytes = start.saturating_add(SLOTS_BYTES);
    if v.kit.memory.local_bytes > MAX_LOCAL_BYTES {
        return Err(MemoryError::Workgroup { most: MAX_LOCAL_BYTES }.into());
    }
    m.slots = Some(start);
    Ok(start)
}

/// Loads a scalar from shared memory.
fn load_slot(v: &mut Values<'_, '_>, at: Src, bits: u8) -> Src {
    match load_at(v, Space::Local, at, Type::vector(bits.min(32), if bits == 64 { 2 } else { 1 }), 4)
        .as_slice()
    {
        [low, high] => v.kit.b.collect(Type::B64, &[*low, *high]),
        parts => parts.first().copied().unwrap_or(Src::imm(0, bits)),
    }
}

/// Stores a scalar to shared memory.
fn store_slot(v: &mut Values<'_, '_>, at: Src, x: Src) {
    let parts = match v.kit.b.f.width(x) {
        64 => v.kit.b.split(x, Type::B32, 2).to_vec(),
        _ => vec![x],
    };
    store_at(v, Space::Local, at, &parts, 4);
}

/// A reduction or scan of the subgroup.
fn within(b: &mut Builder<'_, '_>, code: u32, operation: GroupOperation, x: Src) -> Src {
    let (op, last) = match operation {
        GroupOperation::InclusiveScan => (IrOp::Scan, 1),
        GroupOperation::ExclusiveScan => (IrOp::Scan, 0),
        _ => (IrOp::Reduce, SUBGROUP_SIZE),
    };
    Src::value(b.value(op, Type::scalar(b.f.width(x)), &[x], &[code, last]))
}

/// A reduction or scan of the workgroup.
fn across<'a>(
    m: &mut Memory<'a>,
    v: &mut Values<'_, 'a>,
    op: Op,
    operation: GroupOperation,
    x: Src,
) -> Result<Src, CompileError> {
    let code = reduction_code(reduction(op)).ok_or_else(|| CompileError::internal("a missing reduction"))?;
    let groups = v.kit.compute.invocations().div_ceil(SUBGROUP_SIZE);
    let own = within(&mut v.kit.b, code, operation, x);
    if groups == 1 {
        return Ok(own);
    }
    let bits = v.kit.b.f.width(x);
    let start = slots(m, v)?;
    let total = within(&mut v.kit.b, code, GroupOperation::Reduce, x);
    let number = compute::input(&mut v.kit, ComputeInput::SubgroupId);
    let lane = simd::lane(&mut v.kit.b);
    let is_first = v.kit.b.icmp(IntCond::EQ, lane, Src::imm32(0));
    v.kit.b.begin_if(is_first);
    let at = index::add_scaled(&mut v.kit.b, Some(Src::imm32(start)), number, SLOT_BYTES);
    store_slot(v, at, total);
    v.kit.b.begin_else();
    v.kit.b.end_if();
    compute::barrier(&mut v.kit, Access::LOCAL);
    let mut result = match operation {
        GroupOperation::Reduce => None,
        _ => Some(identity(code, bits).unwrap_or(Src::imm(0, bits))),
    };
    for group in 0..groups {
        let at = start.saturating_add(group.saturating_mul(SLOT_BYTES));
        let part = load_slot(v, Src::imm32(at), bits);
        result = Some(match (result, operation) {
            (None, _) => part,
            (Some(before), GroupOperation::Reduce) => combine(&mut v.kit.b, op, before, part),
            (Some(before), _) => {
                let is_before = v.kit.b.icmp(IntCond::ULT, Src::imm32(group), number);
                let sum = combine(&mut v.kit.b, op, before, part);
                v.kit.b.select(is_before, sum, before)
            }
        });
    }
    compute::barrier(&mut v.kit, Access::LOCAL);
    let before = result.unwrap_or(own);
    Ok(if operation == GroupOperation::Reduce { before } else { combine(&mut v.kit.b, op, before, own) })
}

/// `OpGroupIAdd` and the other reductions and scans.
pub(in super::super) fn arithmetic<'a>(
    m: &mut Memory<'a>,
    v: &mut Values<'_, 'a>,
    inst: &Inst<'a>,
) -> Result<(), CompileError> {
    let is_subgroup = is_subgroup(v, inst.word(2)?)?;
    let number = inst.word(3)?;
    let operation = GroupOperation::from_u32(number).ok_or(GroupError::UnknownOperation { number })?;
    use GroupOperation::{ExclusiveScan, InclusiveScan, Reduce};
    if !matches!(operation, Reduce | InclusiveScan | ExclusiveScan) {
        return Err(GroupError::Operation { op: inst.op }.into());
    }
    let name = reduction(inst.op);
    let (ty, leaves) = v.eval().value(inst.word(4)?)?;
    if has_floats(v, ty)? != name.starts_with('f') || leaves.iter().any(|leaf| v.kit.b.f.width(*leaf) == 1) {
        return Err(GroupError::OperandType { name: name.to_owned() }.into());
    }
    let code = reduction_code(name).ok_or_else(|| CompileError::internal("a missing reduction"))?;
    let mut result = Vec::with_capacity(leaves.len());
    for leaf in leaves {
        result.push(match is_subgroup {
            true => within(&mut v.kit.b, code, operation, *leaf),
            false => across(m, v, inst.op, operation, *leaf)?,
        });
    }
    v.define_leaves(inst, &result)
}

/// `OpGroupAll` and `OpGroupAny`.
pub(in super::super) fn vote<'a>(
    m: &mut Memory<'a>,
    v: &mut Values<'_, 'a>,
    inst: &Inst<'a>,
) -> Result<(), CompileError> {
    let is_subgroup = is_subgroup(v, inst.word(2)?)?;
    let truth = v.eval().scalar(inst.word(3)?)?;
    if v.kit.b.f.width(truth) != 1 {
        return Err(wrong("a boolean"));
    }
    let word = v.kit.b.select(truth, Src::imm32(1), Src::imm32(0));
    let result = if is_subgroup {
        let code = reduction_code(reduction(inst.op))
            .ok_or_else(|| CompileError::internal("a missing reduction"))?;
        within(&mut v.kit.b, code, GroupOperation::Reduce, word)
    } else {
        across(m, v, inst.op, GroupOperation::Reduce, word)?
    };
    let result = v.kit.b.icmp(IntCond::NE, result, Src::imm32(0));
    v.define_leaves(inst, &[result])
}

/// `OpGroupBroadcast`: the value of a work-item, by its place in the group.
pub(in super::super) fn broadcast<'a>(
    m: &mut Memory<'a>,
    v: &mut Values<'_, 'a>,
    inst: &Inst<'a>,
) -> Result<(), CompileError> {
    let is_subgroup = is_subgroup(v, inst.word(2)?)?;
    let (_, leaves) = v.eval().value(inst.word(3)?)?;
    let (place, numbers) = v.eval().value(inst.word(4)?)?;
    if !matches!(v.types.kind(v.types.scalar_and_count(place)?.0), Kind::Int { .. }) {
        return Err(wrong("the place of a work-item"));
    }
    let mut result = Vec::with_capacity(leaves.len());
    if is_subgroup {
        let lane = numbers.first().copied().unwrap_or(Src::imm32(0));
        let lane = v.kit.b.uconv(lane, 32);
        result.extend(leaves.iter().map(|leaf| simd::moved(&mut v.kit.b, IrOp::ReadLane, *leaf, lane)));
        return v.define_leaves(inst, &result);
    }
    let start = Src::imm32(slots(m, v)?);
    let mut is_there = Src::bool(true);
    for (axis, number) in (0..).zip(numbers) {
        let own = compute::input(&mut v.kit, ComputeInput::LocalInvocationId(axis));
        let number = v.kit.b.uconv(*number, 32);
        let is_same = v.kit.b.icmp(IntCond::EQ, own, number);
        is_there = v.kit.b.and(is_there, is_same);
    }
    for leaf in leaves {
        let bits = v.kit.b.f.width(*leaf);
        let word = if bits == 1 { v.kit.b.select(*leaf, Src::imm32(1), Src::imm32(0)) } else { *leaf };
        v.kit.b.begin_if(is_there);
        store_slot(v, start, word);
        v.kit.b.begin_else();
        v.kit.b.end_if();
        compute::barrier(&mut v.kit, Access::LOCAL);
        let loaded = load_slot(v, start, if bits == 1 { 32 } else { bits });
        result.push(if bits == 1 { v.kit.b.icmp(IntCond::NE, loaded, Src::imm32(0)) } else { loaded });
        compute::barrier(&mut v.kit, Access::LOCAL);
    }
    v.define_leaves(inst, &result)
}

/// A pointer to an array as one to its first element: copies are of numbers and vectors.
fn of_elements<'a>(v: &Values<'_, 'a>, pointer: &Pointer<'a>) -> Pointer<'a> {
    let mut ty = pointer.ty;
    while let Kind::Array { elem, .. } = v.types.kind(ty) {
        ty = elem;
    }
    Pointer { ty, ..*pointer }
}

/// A pointer moved by elements.
fn element<'a>(v: &mut Values<'_, 'a>, pointer: &Pointer<'a>, number: Src) -> Pointer<'a> {
    let bytes = v.types.natural(pointer.ty).0;
    let offset = index::add_scaled(&mut v.kit.b, pointer.offset, number, bytes);
    Pointer { offset: Some(offset), ..*pointer }
}

/// `OpGroupAsyncCopy`: the work-items copy elements in turn. The stride is that in global memory.
pub(in super::super) fn copy<'a>(
    m: &mut Memory<'a>,
    v: &mut Values<'_, 'a>,
    inst: &Inst<'a>,
) -> Result<(), CompileError> {
    let (to, from) = (*pointers::pointer(m, v, inst.word(3)?)?, *pointers::pointer(m, v, inst.word(4)?)?);
    let [count, stride] = [5, 6].map(|index| inst.word(index).and_then(|id| v.eval().scalar(id)));
    let (count, stride) = (v.kit.b.uconv(count?, 32), v.kit.b.uconv(stride?, 32));
    let is_local = |pointer: &Pointer<'_>| {
        matches!(
            pointer.pointer.map(|ty| v.types.kind(ty)),
            Some(Kind::Pointer { class: StorageClass::Workgroup, .. })
        )
    };
    let to_local = is_local(&to);
    let (to, from) = (of_elements(v, &to), of_elements(v, &from));
    if v.types.leaves(to.ty)? != v.types.leaves(from.ty)? {
        return Err(wrong("pointers to elements of one type"));
    }
    let first = compute::input(&mut v.kit, ComputeInput::LocalInvocationIndex);
    let step = v.kit.compute.invocations();
    let variable = v.kit.vars.add(&[32]);
    v.kit.vars.write(&v.kit.b, variable, first);
    let blocks = v.kit.b.begin_loop();
    v.kit.vars.open_loop(blocks.header);
    let number = v.kit.vars.read(&mut v.kit.b, variable);
    let is_inside = v.kit.b.icmp(IntCond::ULT, number, count);
    v.kit.b.begin_if(is_inside);
    let strided = v.kit.b.imul(number, stride);
    let (of_to, of_from) = if to_local { (number, strided) } else { (strided, number) };
    let from = element(v, &from, of_from);
    let data = memory::load(v, &from, Access::empty())?;
    let to = element(v, &to, of_to);
    memory::store(v, &to, data, Access::empty())?;
    let next = v.kit.b.iadd(number, Src::imm32(step));
    v.kit.vars.write(&v.kit.b, variable, next);
    v.kit.b.begin_else();
    v.kit.b.jump(blocks.after);
    v.kit.b.end_if();
    v.kit.b.end_loop();
    v.kit.vars.close_loop(v.kit.b.f);
    v.define_leaves(inst, &[Src::imm32(0)])
}

/// `OpGroupWaitEvents`: copies are done when all work-items have come here.
pub(in super::super) fn wait<'a>(v: &mut Values<'_, 'a>, _: &Inst<'a>) -> Result<(), CompileError> {
    compute::barrier(&mut v.kit, Access::LOCAL | Access::DEVICE);
    Ok(())
}
