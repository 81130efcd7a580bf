//! Finds words that are the same in every invocation of a draw, whatever the stage.

use agx_abi::linking::{DrawWord, SharedAddress};
use agx_abi::{UniformRange, UniformSource};

use crate::ir::key;
use crate::ir::vectors::taken_apart;
use crate::ir::{Access, Function, InstData, IrOp, Op, Src, SrcKind, Type};

/// The 32-bit word that `src` is in every invocation of a draw; `None` if it differs or is computed. `ranges` are the
/// uniforms of the shader.
pub fn draw_word(f: &Function<'_>, ranges: &[UniformRange], src: Src) -> Option<DrawWord> {
    match src.kind {
        SrcKind::Imm if src.bits == 32 => Some(DrawWord::Constant(src.payload as u32)),
        SrcKind::Uniform if src.bits == 32 => push_constant(ranges, src.as_uniform()?),
        SrcKind::Value => loaded_word(f, ranges, src),
        _ => None,
    }
}

/// The push constant at a half-word of the uniform file.
fn push_constant(ranges: &[UniformRange], half: u16) -> Option<DrawWord> {
    let range = ranges.iter().find(|range| (range.start..range.start + range.halves).contains(&half))?;
    match range.source {
        UniformSource::PushConstants { offset } => {
            Some(DrawWord::PushConstant { offset: offset + 2 * u32::from(half - range.start) })
        }
        _ => None,
    }
}

/// The word that a load from read-only memory at a constant offset leaves in `src`.
fn loaded_word(f: &Function<'_>, ranges: &[UniformRange], src: Src) -> Option<DrawWord> {
    let (vector, component) = component(f, src)?;
    if f.src_ty(vector).bits != 32 {
        return None;
    }
    let (base, first) = constant_load(&f.def(vector)?)?;
    let offset = first.checked_add(4 * component as u32)?;
    if let Some(base) = address(ranges, base) {
        return Some(DrawWord::Memory { base, pointer: None, offset });
    }
    let joined = f.def(base).filter(|def| def.op == Op::Ir(IrOp::Collect))?;
    let &[words] = joined.srcs else { return None };
    let (table, pointer) = constant_load(&f.def(words).filter(|_| f.src_ty(words) == Type::vector(32, 2))?)?;
    Some(DrawWord::Memory { base: address(ranges, table)?, pointer: Some(pointer), offset })
}

/// The vector that `src` is a component of, and its number. Components of vectors that were joined from components are
/// followed to those.
fn component(f: &Function<'_>, mut src: Src) -> Option<(Src, usize)> {
    loop {
        let def = f.def(src)?;
        if def.op != Op::Ir(IrOp::Split) {
            return Some((src, 0));
        }
        let (vector, components) = taken_apart(f, &def)?;
        let vector = Src::value(vector);
        let at = components.iter().position(|component| Some(*component) == src.as_value())?;
        let joined = f.def(vector).filter(|def| def.op == Op::Ir(IrOp::Collect));
        match joined.filter(|joined| joined.srcs.len() == components.len()) {
            Some(joined) => src = *joined.srcs.get(at)?,
            None => return Some((vector, at)),
        }
    }
}

/// Base and offset of a load from memory that every invocation may read at any time.
fn constant_load(data: &InstData<'_>) -> Option<(Src, u32)> {
    let everywhere = Access::READONLY | Access::SPECULATABLE;
    if data.op != Op::Ir(IrOp::LoadGlobal) || data.get(key::ACCESS) != everywhere {
        return None;
    }
    let &[base, offset] = data.srcs else { return None };
    Some((base, offset.as_imm()? as u32))
}

/// The address in a uniform register, if all stages share it.
fn address(ranges: &[UniformRange], base: Src) -> Option<SharedAddress> {
    let half = base.as_uniform()?;
    SharedAddress::of(ranges.iter().find(|range| range.start == half)?.source)
}
