//! Large values: they stay in memory where they can.
//!
//! A value of many scalars does not fit in registers. A load of one denotes the memory that it was loaded from, if nothing
//! reads it after that memory may change ([`super::uncopied`]). Otherwise a huge one is copied to stack memory, where
//! instructions that make huge values of others make them too; the scalars of others are loaded, as all other instructions
//! need them ([`show_scalars`]).

use spirv::Op;

use super::copies::{self, Source};
use super::module::Def;
use super::owners::Memory;
use super::pointer::{Held, Pointer, Root};
use super::types::{Kind, Ty};
use super::values::Values;
use super::words::Inst;
use super::{memory, pointers, variables};
use crate::error::{CompileError, ValueError};
use crate::ir::function::Access;
use crate::ir::src::Src;

/// The value of an operand.
#[derive(Clone, Copy)]
pub(super) enum Operand<'a> {
    /// Its scalars.
    Scalars(&'a [Src]),
    /// Where it is.
    Memory(&'a Pointer<'a>),
}

/// Whether loops can copy what a pointer points to.
fn is_in_memory(pointer: &Pointer<'_>) -> bool {
    use Root::{Buffer, Constants, Local, PushConstants, Scratch};
    matches!(pointer.root, Scratch { .. } | Local | Buffer { .. } | PushConstants | Constants)
}

/// Whether loops can store there.
fn is_stored_in_memory(pointer: &Pointer<'_>) -> bool {
    matches!(pointer.root, Root::Scratch { .. } | Root::Local | Root::Buffer { .. })
}

/// Whether a value is large and in memory.
pub(super) fn is_large(v: &Values<'_, '_>, pointer: &Pointer<'_>) -> bool {
    v.types.is_large(pointer.ty) && is_in_memory(pointer)
}

/// A new place in stack memory.
fn place<'a>(v: &mut Values<'_, 'a>, ty: Ty) -> Result<&'a Pointer<'a>, CompileError> {
    let pointer = variables::in_stack(v, ty)?;
    Ok(v.bump.alloc(pointer))
}

/// Defines the result of an instruction as the value in a place.
fn define<'a>(v: &mut Values<'_, 'a>, inst: &Inst<'a>, place: &'a Pointer<'a>) -> Result<(), CompileError> {
    let ty = v.eval().ty(inst.word(0)?)?;
    let (expected, found) = (v.types.leaves(ty).ok(), v.types.leaves(place.ty).ok());
    if ty != place.ty && (expected.is_none() || expected != found) {
        return Err(ValueError::ResultType.into());
    }
    v.has_stored = true;
    v.define(inst.word(1)?, Def::Stored(ty, place))
}

/// A load of a large value, which `stays` if its memory does not change before it is read.
pub(super) fn load<'a>(
    v: &mut Values<'_, 'a>,
    inst: &Inst<'a>,
    from: &'a Pointer<'a>,
    access: Access,
    stays: bool,
) -> Result<(), CompileError> {
    let from = v.bump.alloc(Pointer { access: from.access | access, ..*from });
    if stays && !from.access.contains(Access::VOLATILE) {
        return define(v, inst, from);
    }
    if !v.types.is_huge(from.ty) {
        let leaves = memory::load(v, from, Access::empty())?;
        return v.define_result(inst, leaves);
    }
    let to = place(v, from.ty)?;
    copies::copy(v, Source::Memory(from), to)?;
    define(v, inst, to)
}

/// The value with an id, if it is a value.
pub(super) fn operand<'a>(
    m: &mut Memory<'a>,
    v: &mut Values<'_, 'a>,
    id: u32,
) -> Result<Operand<'a>, CompileError> {
    v.eval().check_visible(id)?;
    match v.defs.get(id as usize).copied() {
        Some(Def::Stored(_, place)) => Ok(Operand::Memory(place)),
        _ => {
            let (_, leaves) = pointers::with_pointers_as_values(m, v, &[id], |v| v.eval().value(id))?;
            Ok(Operand::Scalars(leaves))
        }
    }
}

/// Stores a value of any size.
pub(super) fn store<'a>(
    m: &mut Memory<'a>,
    v: &mut Values<'_, 'a>,
    to: &Pointer<'a>,
    value: Operand<'a>,
    access: Access,
) -> Result<(), CompileError> {
    match value {
        Operand::Memory(from) if is_stored_in_memory(to) => {
            let to = Pointer { access: to.access | access, ..*to };
            copies::copy(v, Source::Memory(from), &to)
        }
        Operand::Memory(from) => {
            let leaves = memory::load(v, from, Access::empty())?;
            memory::store(v, to, leaves, access)
        }
        Operand::Scalars(leaves)
            if v.types.is_large(to.ty) && is_stored_in_memory(to) && is_defined_constant(leaves) =>
        {
            let to = Pointer { access: to.access | access, ..*to };
            memory::check_stored(v, &to, leaves)?;
            if leaves.iter().all(|leaf| leaf.as_imm() == Some(0)) {
                return copies::copy(v, Source::Zeros, &to);
            }
            let fixed = variables::constant_array(m, v, to.ty, leaves)?;
            let from = variables::constants(to.ty, fixed);
            copies::copy(v, Source::Memory(&from), &to)
        }
        Operand::Scalars(leaves) => memory::store(v, to, leaves, access),
    }
}

/// Whether all scalars are constants of a program, of which not all are undefined.
fn is_defined_constant(leaves: &[Src]) -> bool {
    let undefined = crate::frontend::kit::uniforms::undefined(32);
    leaves.iter().all(|leaf| leaf.as_imm().is_some()) && leaves.iter().any(|leaf| *leaf != undefined)
}

/// A part of a large value; returns false for other composites.
fn extract<'a>(v: &mut Values<'_, 'a>, inst: &Inst<'a>) -> Result<bool, CompileError> {
    let Some(Def::Stored(_, whole)) = v.defs.get(inst.word(2)? as usize).copied() else { return Ok(false) };
    v.eval().check_visible(inst.word(2)?)?;
    let part = part(v, whole, inst.rest(3))?;
    if is_large(v, &part) {
        let part = v.bump.alloc(part);
        define(v, inst, part)?;
    } else {
        let leaves = memory::load(v, &part, Access::empty())?;
        v.define_result(inst, leaves)?;
    }
    Ok(true)
}

/// The place of a part.
fn part<'a>(v: &mut Values<'_, 'a>, whole: &Pointer<'a>, path: &[u32]) -> Result<Pointer<'a>, CompileError> {
    let mut part = *whole;
    for index in path {
        let count = match v.types.kind(part.ty) {
            Kind::Struct { members } => Some(members.len() as u32),
            _ => v.types.element_count(part.ty),
        };
        if let Some(count) = count.filter(|count| index >= count) {
            return Err(ValueError::OutOfBounds { index: u64::from(*index), count: u64::from(count) }.into());
        }
        pointers::step(v, &mut part, Src::imm32(*index))?;
    }
    Ok(part)
}

/// A composite with one part replaced.
fn insert<'a>(m: &mut Memory<'a>, v: &mut Values<'_, 'a>, inst: &Inst<'a>) -> Result<(), CompileError> {
    let ty = v.eval().ty(inst.word(0)?)?;
    let (object, whole) = (operand(m, v, inst.word(2)?)?, operand(m, v, inst.word(3)?)?);
    let result = place(v, ty)?;
    store(m, v, result, whole, Access::empty())?;
    let part = part(v, result, inst.rest(4))?;
    store(m, v, &part, object, Access::empty())?;
    define(v, inst, result)
}

/// A composite of parts.
fn construct<'a>(m: &mut Memory<'a>, v: &mut Values<'_, 'a>, inst: &Inst<'a>) -> Result<(), CompileError> {
    let ty = v.eval().ty(inst.word(0)?)?;
    let result = place(v, ty)?;
    for (index, id) in (0..).zip(inst.rest(2)) {
        let part = part(v, result, &[index])?;
        let value = operand(m, v, *id)?;
        store(m, v, &part, value, Access::empty())?;
    }
    define(v, inst, result)
}

/// One of two values.
fn select<'a>(m: &mut Memory<'a>, v: &mut Values<'_, 'a>, inst: &Inst<'a>) -> Result<(), CompileError> {
    let ty = v.eval().ty(inst.word(0)?)?;
    let (condition, result) = (v.eval().scalar(inst.word(2)?)?, place(v, ty)?);
    if v.kit.b.f.width(condition) != 1 {
        return Err(ValueError::NotABoolean { id: inst.word(2)? }.into());
    }
    let (first, second) = (operand(m, v, inst.word(3)?)?, operand(m, v, inst.word(4)?)?);
    v.kit.b.begin_if(condition);
    store(m, v, result, first, Access::empty())?;
    v.kit.b.begin_else();
    store(m, v, result, second, Access::empty())?;
    v.kit.b.end_if();
    define(v, inst, result)
}

/// Moves large values with an instruction that computes nothing; returns false for others, and for values that are not huge and
/// new.
pub(super) fn moves<'a>(
    m: &mut Memory<'a>,
    v: &mut Values<'_, 'a>,
    inst: &Inst<'a>,
) -> Result<bool, CompileError> {
    match inst.op {
        _ if !v.has_stored => return Ok(false),
        Op::CopyObject | Op::CopyLogical => return copy(v, inst),
        Op::CompositeExtract => return extract(v, inst),
        _ if !makes_huge(v, inst) => return Ok(false),
        Op::CompositeInsert => insert(m, v, inst)?,
        Op::CompositeConstruct => construct(m, v, inst)?,
        Op::Select => select(m, v, inst)?,
        _ => return Ok(false),
    }
    Ok(true)
}

/// Whether the result of an instruction is huge, and one of its operands large.
fn makes_huge(v: &Values<'_, '_>, inst: &Inst<'_>) -> bool {
    let is_huge = |id: &u32| matches!(v.defs.get(*id as usize), Some(Def::Type(ty)) if v.types.is_huge(*ty));
    let is_stored = |id: &u32| matches!(v.defs.get(*id as usize), Some(Def::Stored(..)));
    inst.operands.first().is_some_and(is_huge) && inst.rest(2).iter().any(is_stored)
}

/// Whether an instruction takes large values as they are. Debug information names them.
pub(super) fn takes_large(v: &Values<'_, '_>, inst: &Inst<'_>) -> bool {
    match (inst.op, inst.operands) {
        (Op::CompositeInsert | Op::CompositeConstruct | Op::Select, _) => makes_huge(v, inst),
        (Op::CompositeExtract | Op::CopyLogical | Op::CopyObject, _) => true,
        (Op::FunctionCall | Op::Load | Op::Phi | Op::Store, _) => true,
        (Op::ExtInst, [_, _, set, ..]) => {
            matches!(v.defs.get(*set as usize), Some(Def::DebugSet | Def::NonSemanticSet))
        }
        _ => false,
    }
}

/// The same value, perhaps of a type with other decorations; returns false for values that are not large.
fn copy<'a>(v: &mut Values<'_, 'a>, inst: &Inst<'a>) -> Result<bool, CompileError> {
    let Some(Def::Stored(_, place)) = v.defs.get(inst.word(2)? as usize).copied() else { return Ok(false) };
    v.eval().check_visible(inst.word(2)?)?;
    define(v, inst, place)?;
    Ok(true)
}

/// Defines those of `ids` that are large values by their scalars, for an instruction that computes with them. Returns their
/// definitions.
pub(super) fn show_scalars<'a>(
    v: &mut Values<'_, 'a>,
    ids: &[u32],
) -> Result<Vec<(u32, Def<'a>)>, CompileError> {
    let mut hidden = Vec::new();
    for id in ids {
        let Some(def @ Def::Stored(ty, place)) = v.defs.get(*id as usize).copied() else { continue };
        let leaves = memory::load(v, place, Access::empty())?;
        if let Some(slot) = v.defs.get_mut(*id as usize) {
            *slot = Def::Value(ty, leaves);
            hidden.push((*id, def));
        }
    }
    Ok(hidden)
}

/// Restores the definitions of large values.
pub(super) fn hide_scalars<'a>(v: &mut Values<'_, 'a>, hidden: Vec<(u32, Def<'a>)>) {
    for (id, def) in hidden {
        if let Some(slot) = v.defs.get_mut(id as usize) {
            *slot = def;
        }
    }
}

impl<'a> Held<'a> {
    /// A place for values of a type; `id` is the result that it is for.
    pub fn new(v: &mut Values<'_, 'a>, ty: Ty, id: u32) -> Result<Held<'a>, CompileError> {
        if v.types.is_huge(ty) {
            return Ok(Held::Memory(place(v, ty)?));
        }
        let first = v.kit.vars.add(v.types.leaves(ty)?);
        v.mark_variable(id, first, ty);
        Ok(Held::Scalars(first))
    }

    /// Sets the value, which has the scalars of type `ty`.
    pub fn set(
        self,
        m: &mut Memory<'a>,
        v: &mut Values<'_, 'a>,
        ty: Ty,
        value: Operand<'a>,
    ) -> Result<(), CompileError> {
        match (self, value) {
            (Held::Memory(to), value) => store(m, v, to, value, Access::empty()),
            (Held::Scalars(first), Operand::Scalars(leaves)) => {
                let leaves = v.eval().checked(ty, leaves)?;
                v.write_all(first, leaves);
                Ok(())
            }
            (Held::Scalars(first), Operand::Memory(from)) => {
                let leaves = memory::load(v, from, Access::empty())?;
                let leaves = v.eval().checked(ty, leaves)?;
                v.write_all(first, leaves);
                Ok(())
            }
        }
    }

    /// The value as a definition.
    pub fn get(self, v: &mut Values<'_, 'a>, ty: Ty) -> Result<Def<'a>, CompileError> {
        match self {
            Held::Scalars(first) => Ok(Def::Value(ty, v.read_all(first, ty)?)),
            Held::Memory(place) => {
                v.has_stored = true;
                Ok(Def::Stored(ty, place))
            }
        }
    }
}
