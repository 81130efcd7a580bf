//! Lowers `sample`, `load_texture` and `store_image` to the hardware's instructions.
//!
//! Coordinates are consecutive 32-bit registers, followed by one with the layer, or with the sample below the
//! layer. Layers are integers that the hardware neither rounds nor clamps. Levels and biases are 16 bits
//! wide; a shadow reference and the packed offsets share an operand. Loads outside the layers or levels do
//! not give zero by themselves: they are redirected to a column that no texture has (all as in the Mesa 25.0
//! AGX compiler).
//!
//! Before: stage source; no barriers of the IR. After: the same; no `sample`, `load_texture`, `store_image`.

use agx_isa::half::Half;
use agx_isa::table::Opcode;
use agx_isa::table::names::LOD_MODES;
use agx_isa::table::names::Rounding;
use agx_isa::table::names::{Gather, LodMode};

use crate::error::CompileError;
use crate::ir::build::alu::IntCond;
use crate::ir::families::TEXTURES;
use crate::ir::key;
use crate::ir::op::mods;
use crate::ir::vectors::taken_apart;
use crate::ir::{
    Access, Arithmetic, Build, Function, InstData, IrOp, Op, Rewrite, Rewriter, Side, Src, SrcKind, Type,
    Value,
};

/// A column outside every texture.
const OUTSIDE: u32 = 0xfff0;

/// The mask of four components.
const ALL_COMPONENTS: u32 = 0xf;

/// The variant of `mode` whose operand is a uniform register, if there is one, or a register.
pub(super) fn lod_mode_for(mode: u32, kind: SrcKind) -> u32 {
    const REGISTER: u32 = 4;
    let other = if kind == SrcKind::Uniform { mode & !REGISTER } else { mode | REGISTER };
    let reads_scalars = matches!(mode & !REGISTER, 1 | 2 | 9);
    if reads_scalars && (other as usize) < LOD_MODES.len() { other } else { mode }
}

/// Lowers textures and images.
///
/// # Errors
/// None at present; the signature is that of every lowering.
pub fn lower_texture(f: &mut Function<'_>) -> Result<(), CompileError> {
    let reads = component_reads(f);
    TEXTURES.map(f, |r, inst| {
        let data = r.f.insts[inst];
        let mask = data.dst().map_or(ALL_COMPONENTS, |dst| (reads[dst] & ALL_COMPONENTS).max(1));
        match data.op {
            Op::Ir(IrOp::Sample) => sample(r, &data, mask),
            Op::Ir(IrOp::LoadTexture) => load(r, &data, mask),
            Op::Ir(IrOp::StoreImage) => store(r, &data),
            _ => return Rewrite::Keep,
        }
        Rewrite::Remove
    });
    Ok(())
}

/// Bit of a value in [`component_reads`] that something reads.
const IS_READ: u32 = 1 << 31;

/// For each vector of four, the components up to the last one that is read: earlier components cannot be
/// masked out, because the hardware would close the gap. Residency, which may be a fifth, follows all four.
fn component_reads(f: &Function<'_>) -> Side<Value, u32> {
    let mut reads: Side<Value, u32> = Side::new(f.values.len());
    // Phis may read what comes after them.
    for block in f.blocks_in_order() {
        for phi in &f.block(block).insts[..f.phi_count(block)] {
            let values = f.insts[*phi].srcs.iter().filter_map(|src| src.as_value());
            values.for_each(|value| reads[value] = IS_READ | ALL_COMPONENTS);
        }
    }
    for inst in f.blocks_in_order().rev().flat_map(|block| f.block(block).insts.iter().rev()) {
        let data = &f.insts[*inst];
        let read = match taken_apart(f, data) {
            Some((_, components)) => {
                let last = components.iter().rposition(|component| reads[*component] & IS_READ != 0);
                IS_READ | ((1 << last.map_or(0, |at| at + 1)) - 1)
            }
            None => IS_READ | ALL_COMPONENTS,
        };
        for value in data.srcs.iter().filter_map(|src| src.as_value()) {
            reads[value] |= read;
        }
    }
    reads
}

fn given(src: Src) -> Option<Src> {
    (src.kind != SrcKind::None).then_some(src)
}

/// The components of a vector of words.
fn parts(r: &mut Rewriter<'_, '_>, vector: Src) -> Vec<Src> {
    let ty = r.f.src_ty(vector);
    if ty.comps == 1 {
        return vec![vector];
    }
    let known = r.f.def(vector).filter(|def| def.op == Op::Ir(IrOp::Collect));
    if let Some(collect) = known.filter(|def| def.srcs.len() == usize::from(ty.comps)) {
        return collect.srcs.to_vec();
    }
    let parts: Vec<_> = (0..ty.comps).map(|_| r.f.add_value(Type::B32)).collect();
    r.push(IrOp::Split, &parts, &[vector], &[]);
    parts.into_iter().map(Src::value).collect()
}

/// A vector of `parts` of equal width.
fn vector(r: &mut Rewriter<'_, '_>, parts: &[Src]) -> Src {
    match parts {
        [part] => *part,
        _ => {
            let ty = Type::vector(r.f.width(parts[0]), parts.len() as u8);
            Src::value(r.value(IrOp::Collect, ty, parts, &[]))
        }
    }
}

/// A float of `bits` bits.
fn float(r: &mut Rewriter<'_, '_>, src: Src, bits: u8) -> Src {
    if r.f.width(src) == bits { src } else { r.op(IrOp::Fconv, bits, &[src]) }
}

fn sample(r: &mut Rewriter<'_, '_>, data: &InstData<'_>, mask: u32) {
    let &[texture, heap, sampler, coords, layer, last, lod, min_lod, reference, offset] = data.srcs else {
        return;
    };
    let coords = match given(layer) {
        None => coords,
        Some(layer) => {
            let mut slots = parts(r, coords);
            let rounded = r.alu(
                Opcode::FToU32,
                32,
                &[layer],
                &mods(Opcode::FToU32).with(key::ROUND, Rounding::NEAREST_EVEN),
            );
            slots.push(r.op(IrOp::Umin, 32, &[rounded, last]));
            vector(r, &slots)
        }
    };
    let (mode, lod) = level(r, data.get(key::LOD_MODE), lod, given(min_lod));
    let reference = given(reference).map(|reference| float(r, reference, 32));
    // An offset of zeros is equivalent to no offset. Gathers do not work with masks.
    let offset = if offset.as_imm() == Some(0) { Src::NONE } else { offset };
    let mask = if data.get(key::GATHER) == Gather::NONE { mask } else { ALL_COMPONENTS };
    let extra = match (reference, given(offset)) {
        (None, None) => Src::NONE,
        (Some(reference), None) => reference,
        (None, Some(offset)) => r.op(IrOp::Uconv, 16, &[offset]),
        (Some(reference), Some(offset)) => vector(r, &[reference, offset]),
    };
    let mods = mods(Opcode::Smpf)
        .with(key::DIM, data.get(key::DIM))
        .with(key::LOD_MODE, mode)
        .with(key::MASK, mask)
        .with(key::GATHER, data.get(key::GATHER))
        .with(key::QUERY, data.get(key::QUERY))
        .with(key::COMPARE, reference.is_some())
        .with(key::SPARSE, data.get(key::SPARSE))
        .with(key::OFFSET, u32::from(offset.kind != SrcKind::None));
    r.push(Opcode::Smpf, data.dsts, &[coords, lod, texture, heap, sampler, extra], &mods);
}

/// The mode and operand of the level of detail.
fn level(r: &mut Rewriter<'_, '_>, mode: LodMode, lod: Src, min: Option<Src>) -> (LodMode, Src) {
    let half = |r: &mut Rewriter<'_, '_>, src: Src| float(r, src, 16);
    let min = min.map(|min| half(r, min));
    match (mode, min) {
        (LodMode::AUTO, None) => (mode, Src::NONE),
        (LodMode::GRADIENTS, None) => (mode, lod),
        (LodMode::GRADIENTS, Some(min)) => {
            let mut words = parts(r, lod);
            words.push(r.op(IrOp::Uconv, 32, &[min]));
            (LodMode::GRADIENTS_MIN, vector(r, &words))
        }
        (LodMode::EXPLICIT, Some(min)) => {
            let lod = half(r, lod);
            (mode, r.op(IrOp::Fmax, 16, &[lod, min]))
        }
        (_, None) => (mode, half(r, lod)),
        (_, Some(min)) => {
            let bias = if mode == LodMode::BIAS { half(r, lod) } else { Src::imm(0, 16) };
            (LodMode::BIAS_MIN, vector(r, &[bias, min]))
        }
    }
}

fn load(r: &mut Rewriter<'_, '_>, data: &InstData<'_>, mask: u32) {
    let &[texture, heap, sampler, coords, layer, last_layer, lod, last_lod, sample] = data.srcs else {
        return;
    };
    let is_plain = [layer, last_lod, sample].iter().all(|src| src.kind == SrcKind::None);
    let mut slots = if is_plain { Vec::new() } else { parts(r, coords) };
    for (index, last) in [(layer, last_layer), (lod, last_lod)] {
        if let (Some(index), Some(last)) = (given(index), given(last)) {
            let is_inside = r.icmp(IntCond::ULE, index, last);
            slots[0] = r.select(is_inside, slots[0], Src::imm32(OUTSIDE));
        }
    }
    match (given(sample), given(layer)) {
        (Some(sample), Some(layer)) => {
            let high = r.op(IrOp::Shl, 32, &[layer, Src::imm32(16)]);
            slots.push(r.or(high, sample));
        }
        (sample, layer) => slots.extend(sample.or(layer)),
    }
    let coords = if is_plain { coords } else { vector(r, &slots) };
    let (mode, lod) = match given(lod) {
        None => (LodMode::AUTO, Src::NONE),
        Some(lod) => (LodMode::EXPLICIT, r.op(IrOp::Uconv, 16, &[lod])),
    };
    let image = data.get(key::ACCESS).contains(Access::IMAGE);
    let mods = mods(Opcode::Smpi)
        .with(key::DIM, data.get(key::DIM))
        .with(key::LOD_MODE, mode)
        .with(key::MASK, mask)
        .with(key::IMAGE, image)
        .with(key::SPARSE, data.get(key::SPARSE));
    r.push(Opcode::Smpi, data.dsts, &[coords, lod, texture, heap, sampler, Src::NONE], &mods);
}

fn store(r: &mut Rewriter<'_, '_>, data: &InstData<'_>) {
    let &[texels, texture, heap, coords, layer] = data.srcs else { return };
    let coords = match given(layer) {
        None => coords,
        Some(layer) => {
            let mut slots = parts(r, coords);
            slots.push(layer);
            vector(r, &slots)
        }
    };
    let texels = halves(r.f, texels).map_or(texels, |halves| vector(r, &halves));
    let mods = mods(Opcode::Imgw).with(key::DIM, data.get(key::DIM));
    r.push(Opcode::Imgw, &[], &[texels, coords, Src::imm(0, 16), texture, heap], &mods);
}

/// The components of a texel as 16-bit floats, if it is made of those: the hardware converts both to the format of the image.
fn halves(f: &Function<'_>, texel: Src) -> Option<Vec<Src>> {
    let collect = f.def(texel).filter(|data| data.op == Op::Ir(IrOp::Collect));
    let components = collect.map_or(std::slice::from_ref(&texel), |data| data.srcs);
    let half = |src: &Src| match src.as_imm() {
        Some(bits) if src.bits == 32 => {
            let half = Half::exactly(f32::from_bits(bits as u32))?;
            Some(Src::imm(half.to_bits().into(), 16))
        }
        _ => converted(f, *src),
    };
    let halves = components.iter().map(half).collect::<Option<Vec<Src>>>()?;
    halves.iter().any(|src| src.as_imm().is_none()).then_some(halves)
}

/// The 16-bit float that `src` is the conversion of.
fn converted(f: &Function<'_>, src: Src) -> Option<Src> {
    let data = f.def(src).filter(|data| data.op == Op::Ir(IrOp::Fconv) && src.flags.is_empty())?;
    let source = *data.srcs.first()?;
    (f.width(source) == 16 && f.width(src) == 32 && source.flags.is_empty()).then_some(source)
}
