//! Texel loads by integer coordinates, image stores, and image queries.

use agx_abi::textures::{self as fields, BUFFER_ROW_TEXELS, DescriptorKind};
use agx_abi::{Stage, UniformSource};
use agx_isa::sr::Sr;

use super::robustness::Bounds;
use super::sampling::{Dim, Sampled, Shape, sampled};
use super::textures::{self, Handle, TEXEL_SHIFT};
use super::{Kit, compute, coverage};
use crate::error::{CompileError, KitError};
use crate::ir::build::alu::IntCond;
use crate::ir::build::samples::{self, Samples};
use crate::ir::{Access, Arithmetic, Build, IrOp, Src, Type};

/// The hardware's codes of 2D images and 2D arrays.
const PLANE_2D: u32 = 2;
const ARRAY_2D: u32 = 3;

/// Bytes of a texel of three 32-bit components.
const TRIPLE_BYTES: u32 = 12;

/// A row that no texture has.
const NO_ROW: u32 = 0xffff;

/// A load of a texel.
#[derive(Clone, Debug)]
pub struct Load {
    /// The shape of the image.
    pub shape: Shape,
    /// Bits of a component of a texel: 16 or 32.
    pub bits: u8,
    /// Coordinates, 32-bit integers, as many as [`Shape::texel_coords`]. For loads from cubes the third is
    /// the face, counted through all cubes.
    pub coords: Vec<Src>,
    /// Offset along the axes, 32-bit integers; may have fewer entries.
    pub offset: Vec<Src>,
    /// Level, an integer; the first if absent.
    pub lod: Option<Src>,
    /// Sample of a multisampled image; the first if absent.
    pub sample: Option<Src>,
    /// Alpha of texels of three 32-bit components: one. `None` if the image has no such texels.
    pub alpha: Option<Src>,
    /// Also tell whether the texel has memory.
    pub sparse: bool,
}

/// The location of a texel.
struct Texel {
    coords: Vec<Src>,
    layer: Src,
    dim: u32,
}

/// The location of the texel at integer coordinates. Cubes that are not sampled are arrays of their faces,
/// texel buffers are divided into rows, input attachments are read at the fragment's pixel and layer.
fn texel(
    kit: &mut Kit<'_, '_>,
    handle: Handle,
    shape: Shape,
    mut coords: Vec<Src>,
) -> Result<Texel, CompileError> {
    let dim = shape.code()?;
    let none = Src::NONE;
    let expected = shape.texel_coords();
    if coords.len() < expected {
        return Err(KitError::Coordinate { expected, found: coords.len() }.into());
    }
    Ok(match shape.dim {
        Dim::Buffer => Texel {
            coords: buffer_texel(kit, coords.first().copied().unwrap_or(none), handle),
            layer: none,
            dim,
        },
        Dim::Attachment if kit.stage != Stage::Fragment => {
            return Err(KitError::NotFragment { what: "an input attachment" }.into());
        }
        Dim::Attachment => {
            for (axis, coord) in coords.iter_mut().take(2).enumerate() {
                let pixel = compute::register(kit, Sr::THREAD_X.axis(axis as u8));
                *coord = kit.b.iadd(pixel, *coord);
            }
            coords.truncate(2);
            // One of the two is 0: views are drawn one by one, without layers.
            let (layer, view) =
                (compute::register(kit, Sr::GROUP_Z), kit.uniforms.get(UniformSource::ViewIndex, 0, 32));
            Texel { coords, layer: kit.b.iadd(layer, view), dim }
        }
        Dim::Cube => {
            let face = coords.get(2).copied().unwrap_or(none);
            coords.truncate(2);
            Texel { coords, layer: face, dim: ARRAY_2D }
        }
        _ if shape.arrayed => {
            let layer = coords.pop().unwrap_or(none);
            Texel { coords, layer, dim }
        }
        _ => Texel { coords, layer: none, dim },
    })
}

/// Column and row of a texel of a buffer; past the end, a row that does not exist.
fn buffer_texel(kit: &mut Kit<'_, '_>, index: Src, handle: Handle) -> Vec<Src> {
    let count = textures::buffer_texels(kit, handle);
    let column = kit.b.and(index, Src::imm32(BUFFER_ROW_TEXELS - 1));
    let row = kit.b.ushr(index, Src::imm32(BUFFER_ROW_TEXELS.trailing_zeros()));
    let is_inside = kit.b.icmp(IntCond::ULT, index, count);
    vec![column, kit.b.select(is_inside, row, Src::imm32(NO_ROW))]
}

/// The four components of a texel; zeros if it does not exist.
///
/// # Errors
/// Shapes that the hardware does not support, too few coordinates.
pub fn load(kit: &mut Kit<'_, '_>, handle: Handle, load: &Load) -> Result<Sampled, CompileError> {
    let is_texel_buffer = load.shape.dim == Dim::Buffer && !load.shape.storage && load.bits == 32;
    let alpha = load.alpha.filter(|_| is_texel_buffer && kit.bindings.has_triples);
    match load.coords.first().copied().zip(alpha) {
        Some(texel) => load_of_any_format(kit, handle, load, texel).map(Sampled::of),
        None => load_by_hardware(kit, handle, load),
    }
}

/// The texel at `index` of a texel buffer, whose texels may have three 32-bit components: the program loads those from
/// memory, and adds `alpha`.
fn load_of_any_format(
    kit: &mut Kit<'_, '_>,
    handle: Handle,
    load: &Load,
    (index, alpha): (Src, Src),
) -> Result<[Src; 4], CompileError> {
    let texel = kit.vars.add(&[32; 4]);
    let write = |kit: &mut Kit<'_, '_>, components: [Src; 4]| {
        for (at, component) in (0..).zip(components) {
            kit.vars.write(&kit.b, texel.at(at), component);
        }
    };
    // Without texels of another size, this reads zeros.
    let components = load_by_hardware(kit, handle, load)?.components;
    write(kit, components);
    let count = textures::triples(kit, handle);
    let is_triple = kit.b.icmp(IntCond::ULT, index, count);
    kit.b.begin_if(is_triple);
    let base = textures::texel_base(kit, handle);
    let offset = kit.b.imul(index, Src::imm32(TRIPLE_BYTES));
    let mods = [Access::READONLY.bits(), 4];
    let words = kit.b.value(IrOp::LoadGlobal, Type::vector(32, 3), &[base, offset], &mods);
    let [x, y, z] = kit.b.split_into(Src::value(words), Type::B32);
    write(kit, [x, y, z, alpha]);
    kit.b.begin_else();
    kit.b.end_if();
    Ok([0, 1, 2, 3].map(|at| kit.vars.read(&mut kit.b, texel.at(at))))
}

fn load_by_hardware(kit: &mut Kit<'_, '_>, handle: Handle, load: &Load) -> Result<Sampled, CompileError> {
    let Load { shape, bits, .. } = *load;
    let mut texel = texel(kit, handle, shape, load.coords.clone())?;
    for (coord, offset) in texel.coords.iter_mut().zip(&load.offset) {
        let offset = kit.b.sconv(*offset, 32);
        *coord = kit.b.iadd(*coord, offset);
    }
    let names = textures::descriptor(kit, handle, DescriptorKind::Texture);
    let sampler = kit.bindings.sampler_of_loads()?;
    let (mut last_layer, mut lod, mut last_lod) = (Src::NONE, Src::NONE, Src::NONE);
    // For an attachment, the layer is the one being rendered.
    if texel.layer != Src::NONE && shape.dim != Dim::Attachment {
        last_layer = textures::last_layer(kit, handle);
    }
    if let Some(level) = load.lod.filter(|level| level.as_imm() != Some(0)) {
        lod = kit.b.sconv(level, 32);
        last_lod = textures::last_level(kit, handle);
    }
    let sample = match load.sample {
        _ if !shape.multisampled => Src::NONE,
        None => Src::imm32(0),
        Some(sample) => kit.b.uconv(sample, 32),
    };
    let coords = kit.b.collect(Type::vector(32, texel.coords.len() as u8), &texel.coords);
    let srcs = [names.texture, names.heap, sampler, coords, texel.layer, last_layer, lod, last_lod, sample];
    let is_stored = shape.storage && shape.dim != Dim::Attachment;
    let access = if is_stored { Access::IMAGE } else { Access::READONLY };
    let mods = [access.bits(), texel.dim, u32::from(load.sparse)];
    Ok(sampled(kit, IrOp::LoadTexture, (bits, load.sparse), &srcs, &mods))
}

/// Stores the components of a texel that the format of the image has, or all four. `readable` means that the shader also loads
/// from the image: its later loads see the store.
///
/// # Errors
/// Shapes that the hardware does not support, too few coordinates.
pub fn store(
    kit: &mut Kit<'_, '_>,
    handle: Handle,
    shape: Shape,
    (coords, sample): (Vec<Src>, Src),
    data: &[Src],
    readable: bool,
) -> Result<(), CompileError> {
    // The hardware drops stores outside of the plane of all samples, not those outside of the image.
    let inside = shape.multisampled.then(|| is_sample(kit, handle, shape, (&coords, sample)));
    let mut texel = texel(kit, handle, shape, coords)?;
    if shape.multisampled {
        texel = in_plane(kit, handle, &texel, sample);
    }
    let bits = data.first().map_or(32, |component| kit.b.f.width(*component));
    let data = kit.b.collect(Type::vector(bits, data.len() as u8), data);
    let names = textures::descriptor(kit, handle, DescriptorKind::Image);
    let coords = kit.b.collect(Type::vector(32, texel.coords.len() as u8), &texel.coords);
    let srcs = [data, names.texture, names.heap, coords, texel.layer];
    kit.memory.writes_memory = true;
    let guard = coverage::guard_store(kit);
    if let Some(inside) = inside {
        kit.b.begin_if(inside);
    }
    kit.b.effect(IrOp::StoreImage, &srcs, &[texel.dim]);
    if inside.is_some() {
        kit.b.begin_else();
        kit.b.end_if();
    }
    coverage::end_guard(kit, guard);
    if readable {
        kit.b.effect(IrOp::FenceTexels, &[], &[0]);
    }
    Ok(())
}

/// Where the samples of a multisampled image are.
fn samples(kit: &mut Kit<'_, '_>, handle: Handle) -> Samples {
    let log = textures::field(kit, handle, fields::SAMPLES);
    Samples {
        last: [fields::SAMPLED_LAST_COLUMN, fields::SAMPLED_LAST_ROW]
            .map(|field| textures::field(kit, handle, field)),
        stride: textures::field(kit, handle, fields::SAMPLED_STRIDE),
        layer_samples: textures::field(kit, handle, fields::SAMPLED_LAYER),
        shift: kit.b.iadd(log, Src::imm32(1)),
    }
}

/// The plane of all samples in which a multisampled image is stored.
fn in_plane(kit: &mut Kit<'_, '_>, handle: Handle, texel: &Texel, sample: Src) -> Texel {
    let samples = samples(kit, handle);
    let pixel = [0, 1].map(|axis: usize| texel.coords.get(axis).copied().unwrap_or(Src::imm32(0)));
    let layer = Some(texel.layer).filter(|layer| *layer != Src::NONE);
    let coords = samples.in_plane(&mut kit.b, &pixel, layer, sample).to_vec();
    Texel { coords, layer: Src::NONE, dim: PLANE_2D }
}

/// Whether a texel and its sample are in a multisampled image.
fn is_sample(kit: &mut Kit<'_, '_>, handle: Handle, shape: Shape, (coords, sample): (&[Src], Src)) -> Src {
    let mut inside = within(kit, handle, shape, coords);
    inside.push(has_sample(kit, handle, sample));
    all(kit, inside).unwrap_or(Src::bool(true))
}

/// Whether the texels of a multisampled image have a sample of this number.
fn has_sample(kit: &mut Kit<'_, '_>, handle: Handle, sample: Src) -> Src {
    let log = textures::field(kit, handle, fields::SAMPLES);
    let count = kit.b.shl(Src::imm32(2), log);
    kit.b.icmp(IntCond::ULT, sample, count)
}

/// Whether a texel, or the sample of a texel of a multisampled image, is in the image, for atomics, which access plain memory
/// without bounds checks by the hardware. `None` if the key does not require it.
pub fn is_inside(
    kit: &mut Kit<'_, '_>,
    handle: Handle,
    shape: Shape,
    (coords, sample): (&[Src], Src),
) -> Option<Src> {
    if kit.robustness.image == Bounds::Unchecked {
        return None;
    }
    if shape.dim == Dim::Buffer {
        let count = textures::buffer_texels(kit, handle);
        return coords.first().map(|coord| kit.b.icmp(IntCond::ULT, *coord, count));
    }
    let mut inside = within(kit, handle, shape, coords);
    if shape.multisampled {
        inside.push(has_sample(kit, handle, sample));
    }
    inside.extend(textures::is_there(kit, handle));
    all(kit, inside)
}

/// The coordinates of the last texel of level 0, without the layer.
fn last_texel(kit: &mut Kit<'_, '_>, handle: Handle, shape: Shape) -> Vec<Src> {
    let axes = if shape.dim == Dim::D1 { &[fields::WIDTH][..] } else { &[fields::WIDTH, fields::HEIGHT] };
    let mut last: Vec<Src> = axes.iter().map(|axis| textures::field(kit, handle, *axis)).collect();
    if shape.dim == Dim::D3 {
        last.push(textures::last_layer(kit, handle));
    }
    last
}

/// Whether each coordinate, and the layer, is in the image.
fn within(kit: &mut Kit<'_, '_>, handle: Handle, shape: Shape, coords: &[Src]) -> Vec<Src> {
    let mut most = last_texel(kit, handle, shape);
    if shape.arrayed || shape.dim == Dim::Cube {
        most.push(textures::last_layer(kit, handle));
    }
    coords.iter().zip(most).map(|(coord, most)| kit.b.icmp(IntCond::ULE, *coord, most)).collect()
}

/// The conjunction of conditions.
fn all(kit: &mut Kit<'_, '_>, conditions: Vec<Src>) -> Option<Src> {
    conditions.into_iter().reduce(|all, one| kit.b.and(all, one))
}

/// The address of a 32-bit texel, or of a sample in a multisampled image, for atomics: base address and byte offset.
pub fn texel_address(
    kit: &mut Kit<'_, '_>,
    handle: Handle,
    shape: Shape,
    (coords, sample): (&[Src], Src),
) -> (Src, Src) {
    let [x, y, z] = [0, 1, 2].map(|axis: usize| coords.get(axis).copied());
    let x = x.unwrap_or(Src::imm32(0));
    if shape.multisampled {
        let samples = samples(kit, handle);
        let number = samples.number(&mut kit.b, &[x, y.unwrap_or(Src::imm32(0))], z, sample);
        return (textures::texel_base(kit, handle), kit.b.shl(number, Src::imm32(TEXEL_SHIFT)));
    }
    if shape.dim == Dim::Buffer {
        return (textures::texel_base(kit, handle), kit.b.shl(x, Src::imm32(TEXEL_SHIFT)));
    }
    let texels = textures::texels(kit, handle);
    // 1D arrays have layers but no rows, and tiles of one texel.
    let (mut offset, layer) = match (shape.dim, y) {
        (Dim::D1, layer) => (kit.b.shl(x, Src::imm32(TEXEL_SHIFT)), layer),
        (_, y) => {
            let at = [x, y.unwrap_or(Src::imm32(0))];
            let number = samples::texel_number(&mut kit.b, &at, ([texels.last; 2], texels.stride));
            (kit.b.shl(number, Src::imm32(TEXEL_SHIFT)), z)
        }
    };
    if let Some(layer) = layer {
        let start = kit.b.imul(layer, texels.layer);
        offset = kit.b.iadd(offset, start);
    }
    (texels.base, offset)
}

/// Texels along each axis at a level, 32 bits each, then layers.
pub fn size(kit: &mut Kit<'_, '_>, handle: Handle, shape: Shape, level: Src) -> Vec<Src> {
    if shape.dim == Dim::Buffer {
        let count = textures::buffer_texels(kit, handle);
        if shape.storage || !kit.bindings.has_triples {
            return vec![count];
        }
        // One of the two is 0.
        let triples = textures::triples(kit, handle);
        return vec![kit.b.or(count, triples)];
    }
    let first = textures::field(kit, handle, fields::FIRST_LEVEL);
    let level = kit.b.uconv(level, 32);
    let level = kit.b.iadd(first, level);
    let mut size = Vec::with_capacity(3);
    for last in last_texel(kit, handle, shape) {
        size.push(textures::texels_at(kit, last, level));
    }
    if shape.arrayed {
        let last = textures::last_layer(kit, handle);
        let layers = kit.b.iadd(last, Src::imm32(1));
        let is_faces = shape.storage && shape.dim == Dim::Cube;
        size.push(if is_faces { kit.b.udiv(layers, Src::imm32(6)) } else { layers });
    }
    textures::or_zeros(kit, handle, &mut size);
    size
}
