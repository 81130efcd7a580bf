//! The parameters of a kernel, and the values that the driver provides.

use agx_abi::kernel::MAX_ARGUMENT_BYTES;
use agx_abi::{ArgumentKind, KernelInfo, UniformSource};
use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;
use spirv::{Decoration, FunctionParameterAttribute, Op, StorageClass};

use super::super::chunks::{chunks_of, memory_bits};
use super::super::kernel::block::{block_scalar, state};
use super::super::kernel::{access, pointers};
use super::super::memory;
use super::super::module::{Def, Entry, Module};
use super::super::owners::Memory;
use super::super::pointer::{Pointer, Root};
use super::super::types::{Kind, Layout, Ty};
use super::super::values::Values;
use super::super::variables;
use super::super::words::Inst;
use super::images;
use crate::error::{CompileError, KernelError};
use crate::ir::Arithmetic;
use crate::ir::build::alu::IntCond;
use crate::ir::function::Access;
use crate::ir::src::Src;

/// Names of ids.
type Names = HashMap<u32, String, FxBuildHasher>;

/// Defines the parameters of the entry point.
pub(super) fn define<'a>(
    m: &mut Memory<'a>,
    v: &mut Values<'_, 'a>,
    entry: &Entry<'a>,
) -> Result<(), CompileError> {
    let module = v.module;
    let function = module.function(entry.function)?;
    m.kernel =
        Some(Box::new(KernelInfo { fixed_size: module.fixes_size(entry.id), ..KernelInfo::default() }));
    let mut names = names(module, &function.params);
    let body = module.words.instructions_from(function.start).skip(1).map_while(Result::ok);
    let is_parameter = |inst: &Inst<'_>| matches!(inst.op, Op::FunctionParameter | Op::Line | Op::NoLine);
    let parameters = body.take_while(is_parameter).filter(|inst| inst.op == Op::FunctionParameter);
    for (index, inst) in parameters.enumerate() {
        let name = names.remove(&inst.word(1)?).unwrap_or_default();
        parameter(m, v, &inst, (index, name)).map_err(|error| inst.locate(error))?;
        let bytes = state(m)?.block_bytes;
        if bytes > MAX_ARGUMENT_BYTES {
            return Err(KernelError::Arguments { bytes, most: MAX_ARGUMENT_BYTES }.into());
        }
    }
    Ok(())
}

/// The names of ids.
fn names(module: &Module<'_>, ids: &[u32]) -> Names {
    let declarations = module.words.instructions().map_while(Result::ok);
    let named = declarations.take_while(|inst| inst.op != Op::Function).filter(|inst| inst.op == Op::Name);
    let name = |inst: Inst<'_>| {
        let id = inst.word(0).ok().filter(|id| ids.contains(id))?;
        Some((id, inst.string(1).ok()?.0))
    };
    named.filter_map(name).collect()
}

fn parameter<'a>(
    m: &mut Memory<'a>,
    v: &mut Values<'_, 'a>,
    inst: &Inst<'a>,
    (index, name): (usize, String),
) -> Result<(), CompileError> {
    let (ty, id) = (v.eval().ty(inst.word(0)?)?, inst.word(1)?);
    let unsupported = || CompileError::from(KernelError::Parameter { index });
    let def = match v.types.kind(ty) {
        Kind::Pointer { class, pointee, .. } => {
            let pointee = pointee.ok_or_else(unsupported)?;
            let pointer = match class {
                StorageClass::Function => structure(m, v, (id, pointee), name)?,
                StorageClass::CrossWorkgroup | StorageClass::UniformConstant => {
                    address(m, v, (class, pointee, ty), (id, name))?
                }
                StorageClass::Workgroup => local(m, v, pointee, name)?,
                _ => return Err(unsupported()),
            };
            Def::Pointer(v.bump.alloc(Pointer { pointer: Some(ty), ..pointer }))
        }
        Kind::Int { .. }
        | Kind::Float { .. }
        | Kind::Vector { .. }
        | Kind::Struct { .. }
        | Kind::Array { .. } => {
            let offset = state(m)?.place(name, ArgumentKind::Value, v.types.natural(ty));
            Def::Value(ty, block_value(v, ty, offset)?)
        }
        Kind::Image(_) | Kind::Sampler => {
            let kind = if matches!(v.types.kind(ty), Kind::Sampler) {
                ArgumentKind::Sampler
            } else {
                ArgumentKind::Image
            };
            state(m)?.place(name, kind, (0, 1));
            let resource = images::parameter(v, ty, index as u32).ok_or_else(unsupported)?;
            Def::Resource(v.bump.alloc(resource))
        }
        _ => return Err(unsupported()),
    };
    v.define(id, def)
}

/// A structure that is passed by value: a variable with its contents.
fn structure<'a>(
    m: &mut Memory<'a>,
    v: &mut Values<'_, 'a>,
    (id, ty): (u32, Ty),
    name: String,
) -> Result<Pointer<'a>, CompileError> {
    let offset = state(m)?.place(name, ArgumentKind::Value, v.types.natural(ty));
    let leaves = block_value(v, ty, offset)?;
    let pointer = variables::allocate(m, v, id, ty)?;
    memory::store(v, &pointer, leaves, Access::empty())?;
    Ok(pointer)
}

/// A pointer to global or constant memory.
fn address<'a>(
    m: &mut Memory<'a>,
    v: &mut Values<'_, 'a>,
    (class, pointee, ty): (StorageClass, Ty, Ty),
    (id, name): (u32, String),
) -> Result<Pointer<'a>, CompileError> {
    let kind =
        if class == StorageClass::CrossWorkgroup { ArgumentKind::Global } else { ArgumentKind::Constant };
    let align = v.types.natural(pointee).1;
    let offset = state(m)?.place(name, kind, (8, align));
    let address = block_scalar(v, offset, 64);
    let mut pointer = pointers::at(v, (class, pointee, ty), address);
    let has = |attribute: FunctionParameterAttribute| {
        v.module.decorations.has_value(id, Decoration::FuncParamAttr, attribute as u32)
    };
    // Nothing else writes what a restricted pointer points to.
    let stays = has(FunctionParameterAttribute::NoAlias) && has(FunctionParameterAttribute::NoWrite);
    pointer.access.set(Access::READONLY, stays || kind == ArgumentKind::Constant);
    Ok(pointer)
}

/// A pointer to memory of the workgroup, of which the host gives the size.
fn local<'a>(
    m: &mut Memory<'a>,
    v: &mut Values<'_, 'a>,
    pointee: Ty,
    name: String,
) -> Result<Pointer<'a>, CompileError> {
    let align = v.types.natural(pointee).1.max(1);
    let offset = state(m)?.place(name, ArgumentKind::Local, (4, align));
    let start = block_scalar(v, offset, 32);
    let pointer = Pointer::new(Root::Local, pointee, Layout::Natural, Access::empty());
    Ok(Pointer { offset: Some(start), align, ..pointer })
}

/// A value in the block.
fn block_value<'a>(v: &mut Values<'_, 'a>, ty: Ty, offset: u32) -> Result<&'a [Src], CompileError> {
    let pointer = Pointer::new(Root::PushConstants, ty, Layout::Natural, Access::READONLY);
    let mut result = Vec::new();
    for chunk in chunks_of(v, &pointer)? {
        let bits = memory_bits(chunk.bits);
        let size = u32::from(bits) / 8;
        for index in 0..chunk.count {
            let at = offset.wrapping_add(chunk.offset).wrapping_add(index.wrapping_mul(size));
            if !at.is_multiple_of(size.min(4)) {
                return unaligned_value(v, &pointer, offset);
            }
            let scalar = block_scalar(v, at, bits);
            result.push(match chunk.bits {
                1 => v.kit.b.icmp(IntCond::NE, scalar, Src::imm32(0)),
                _ => scalar,
            });
        }
    }
    Ok(v.bump.alloc_slice_copy(&result))
}

/// A value whose scalars are not at multiples of their sizes: read from memory.
fn unaligned_value<'a>(
    v: &mut Values<'_, 'a>,
    pointer: &Pointer<'a>,
    offset: u32,
) -> Result<&'a [Src], CompileError> {
    let base = v.kit.uniforms.get(UniformSource::PushConstantAddress, 0, 64);
    let root = Root::Buffer { base, limit: None };
    access::load(v, &Pointer { root, fixed: offset, align: 1, ..*pointer }, Access::empty())
}
