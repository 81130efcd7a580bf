//! Textures, images and samplers: which state register or table holds a descriptor, and texture properties
//! read from descriptors.

use agx_abi::pipeline::{BindingAccess, BindingLayout, DescriptorParts, PipelineLayout};
use agx_abi::textures::{self, DESCRIPTOR_BYTES, DescriptorKind, Field, MAX_SAMPLERS, MAX_TEXTURES};
use agx_abi::{SamplerBinding, TextureBinding, UniformSource};

use super::Kit;
use super::conversion::Conversion;
use super::descriptors::{self, Element, Place};
use super::robustness::Bounds;
use crate::CompileKey;
use crate::error::{CompileError, KitError};
use crate::ir::build::alu::IntCond;
use crate::ir::{Access, Arithmetic, Build, IrOp, Src, Type};

/// Logarithm of the bytes of a 32-bit texel.
pub const TEXEL_SHIFT: u32 = 2;
/// Logarithm of the unit of strides of rows, in 32-bit texels.
const ROW_SHIFT: u32 = 2;
/// Logarithms of the units of strides of layers, and of tiled layers, in bytes.
const LINE_SHIFT: u32 = 7;
const PAGE_SHIFT: u32 = 14;

/// The state registers in use so far.
#[derive(Default)]
pub struct Bindings {
    /// Texture state registers.
    pub textures: Vec<TextureBinding>,
    /// Sampler state registers.
    pub samplers: Vec<SamplerBinding>,
    /// The pipeline's descriptor layout.
    pub(super) layout: Option<PipelineLayout>,
    /// Samplers have a level bias.
    has_bias: bool,
    /// Samplers have one register per texture that they are combined with.
    pairs: bool,
    /// Texel buffers may have texels of three 32-bit components.
    pub(super) has_triples: bool,
    /// Combined image samplers whose colours are converted.
    pub(super) conversions: Vec<Conversion>,
    /// The first reason why the layout does not fit the shader.
    pub(super) refused: Option<KitError>,
}

/// One descriptor of a texture, image or sampler, or one of an array.
#[derive(Clone, Copy, Debug)]
pub struct Handle {
    /// Descriptor set.
    pub set: u32,
    /// Binding within the set.
    pub binding: u32,
    /// Constant part of the element's number.
    pub fixed: u32,
    /// Computed part, 32 bits.
    pub index: Option<Src>,
    /// Number of elements of the array; `None` if the shader does not specify it.
    pub count: Option<u32>,
}

/// Operands that identify a descriptor: a state register's number, or an offset and the table's address.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DescriptorOperands {
    pub texture: Src,
    pub heap: Src,
}

impl Handle {
    /// The descriptor at (set, binding), which is not an array.
    pub fn new(set: u32, binding: u32) -> Handle {
        Handle { set, binding, fixed: 0, index: None, count: Some(1) }
    }

    /// The location of the descriptors, if the program reads them itself.
    fn place(&self, kit: &mut Kit<'_, '_>) -> Option<(Place, DescriptorParts)> {
        let Handle { set, binding, fixed, index, .. } = *self;
        let place = descriptors::place(kit, Element { set, binding, fixed, index })?;
        if place.parts().is_none() {
            kit.bindings.refused.get_or_insert(KitError::InlineBinding { set, binding });
        }
        Some((place, place.parts()?))
    }

    fn bound(&self, element: u32) -> SamplerBinding {
        SamplerBinding::Bound { set: self.set, binding: self.binding, element }
    }

    /// The sampler paired with a texture of another binding.
    fn paired(&self, texture: Handle) -> SamplerBinding {
        let Handle { set, binding, fixed: element, .. } = *self;
        let Handle { set: texture_set, binding: texture_binding, fixed: texture_element, .. } = texture;
        SamplerBinding::Paired { set, binding, element, texture_set, texture_binding, texture_element }
    }

    /// Byte offset of the descriptor in its table.
    fn table_offset(&self, kit: &mut Kit<'_, '_>) -> Src {
        let fixed = Src::imm32(self.fixed.wrapping_mul(DESCRIPTOR_BYTES));
        match self.index {
            None => fixed,
            Some(index) => {
                let scaled = kit.b.imul(index, Src::imm32(DESCRIPTOR_BYTES));
                kit.b.iadd(scaled, fixed)
            }
        }
    }

    /// An address in a uniform register, and the byte offset of the descriptor from there.
    fn in_table(&self, kit: &mut Kit<'_, '_>, kind: DescriptorKind) -> (Src, Src) {
        let Handle { set, binding, .. } = *self;
        let offset = self.table_offset(kit);
        let table = UniformSource::TextureTable { set, binding, kind };
        if kit.uniforms.has_room_for_table(table) {
            return (kit.uniforms.get(table, 0, 64), offset);
        }
        let base = kit.uniforms.get(UniformSource::TableBase, 0, 64);
        let low = kit.uniforms.get(UniformSource::TextureTableLow { set, binding, kind }, 0, 32);
        (base, kit.b.iadd(low, offset))
    }

    /// A 32-bit word of the texture's descriptor.
    fn word(&self, kit: &mut Kit<'_, '_>, word: u32) -> Src {
        let Handle { set, binding, fixed, index, .. } = *self;
        if let Some((place, parts)) = self.place(kit) {
            return place.load(kit, parts.texture.wrapping_add(word.wrapping_mul(4)), Type::B32);
        }
        let source = UniformSource::TextureWords { set, binding, element: fixed };
        if index.is_none() && kit.uniforms.has_room_for_words(source) {
            return kit.uniforms.get(source, (word as u16).wrapping_mul(2), 32);
        }
        let (table, start) = self.in_table(kit, DescriptorKind::Texture);
        let offset = kit.b.iadd(start, Src::imm32(word.wrapping_mul(4)));
        let mods = [Access::READONLY.bits(), 4];
        Src::value(kit.b.value(IrOp::LoadGlobal, Type::B32, &[table, offset], &mods))
    }
}

/// The texture of the first plane, of an element whose colours are converted.
pub(crate) fn first_plane(kit: &mut Kit<'_, '_>, handle: Handle) -> Handle {
    let Some(planes) = kit.bindings.conversion(handle).map(|conversion| u32::from(conversion.planes)) else {
        return handle;
    };
    Handle {
        fixed: handle.fixed.wrapping_mul(planes),
        index: handle.index.map(|index| kit.b.imul(index, Src::imm32(planes))),
        count: handle.count.and_then(|count| count.checked_mul(planes)),
        ..handle
    }
}

impl Bindings {
    /// Without bindings, for the layout of a key.
    pub(super) fn new(key: &CompileKey) -> Bindings {
        let has_bias = key.sampler_bias && key.layout.is_none();
        let pairs = key.pairs_samplers && key.layout.is_none();
        let (layout, has_triples, conversions) =
            (key.layout.clone(), key.texel_triples, key.conversions.clone());
        Bindings { layout, has_bias, pairs, has_triples, conversions, ..Bindings::default() }
    }

    /// The conversion of an element's colours. Vulkan requires constant indices for such elements.
    pub(super) fn conversion(&self, handle: Handle) -> Option<Conversion> {
        let of_binding = |known: &&Conversion| (known.set, known.binding) == (handle.set, handle.binding);
        let mut all = self.conversions.iter().filter(of_binding);
        let own = all.clone().find(|known| known.element == handle.fixed);
        own.or_else(|| all.next()).copied()
    }

    /// The layout of a binding whose descriptors the program reads. A binding missing from the layout is
    /// reported when the shader is complete.
    pub(super) fn in_memory(&mut self, set: u32, binding: u32) -> Option<&BindingLayout> {
        let found = self.layout.as_ref()?.binding(set, binding);
        if found.is_none() {
            self.refused.get_or_insert(KitError::NoBinding { set, binding });
        }
        found.filter(|found| found.access != BindingAccess::Constant)
    }

    /// The texture state register of a descriptor, if one is available.
    fn texture_register(&mut self, wanted: TextureBinding) -> Option<usize> {
        let textures = &mut self.textures;
        let known = textures.iter().position(|known| *known == wanted);
        known.or_else(|| {
            (textures.len() < MAX_TEXTURES).then(|| {
                textures.push(wanted);
                textures.len().saturating_sub(1)
            })
        })
    }

    /// The first of consecutive state registers for these samplers, if available. One register is kept free
    /// for loads.
    fn sampler_register(&mut self, wanted: &[SamplerBinding]) -> Option<Src> {
        let samplers = &mut self.samplers;
        let known = samplers.windows(wanted.len().max(1)).position(|window| window == wanted);
        let loads = [SamplerBinding::Loads];
        let kept = usize::from(wanted != loads && !samplers.contains(&loads[0]));
        if known.is_none() && samplers.len().saturating_add(wanted.len()).saturating_add(kept) > MAX_SAMPLERS
        {
            return None;
        }
        let first = known.unwrap_or(samplers.len());
        if known.is_none() {
            samplers.extend_from_slice(wanted);
        }
        Some(Src::imm(first as u64, 16))
    }

    /// The sampler for loads by integer coordinates.
    pub(crate) fn sampler_of_loads(&mut self) -> Result<Src, CompileError> {
        let register = self.sampler_register(&[SamplerBinding::Loads]);
        register.ok_or(KitError::Samplers { most: MAX_SAMPLERS }.into())
    }
}

/// The operands that identify a texture or image in instructions.
pub(crate) fn descriptor(kit: &mut Kit<'_, '_>, handle: Handle, kind: DescriptorKind) -> DescriptorOperands {
    let Handle { set, binding, fixed, index, .. } = handle;
    if let Some((place, parts)) = handle.place(kit) {
        let part = if kind == DescriptorKind::Texture { parts.texture } else { parts.image };
        let texture = kit.b.iadd(place.element, Src::imm32(part));
        return DescriptorOperands { texture, heap: place.base };
    }
    let wanted = TextureBinding { set, binding, element: fixed, kind };
    if index.is_none()
        && let Some(register) = kit.bindings.texture_register(wanted)
    {
        return DescriptorOperands { texture: Src::imm(register as u64, 16), heap: Src::NONE };
    }
    let (heap, texture) = handle.in_table(kit, kind);
    DescriptorOperands { texture, heap }
}

/// The operand that identifies the sampler of a texture in instructions.
pub(crate) fn sampler(kit: &mut Kit<'_, '_>, handle: Handle, texture: Handle) -> Result<Src, CompileError> {
    if let Some((place, parts)) = handle.place(kit) {
        return Ok(place.load(kit, parts.sampler, Type::B16));
    }
    let Some(index) = handle.index else {
        let is_other = (handle.set, handle.binding) != (texture.set, texture.binding);
        let wanted = match kit.bindings.pairs && is_other {
            true => handle.paired(texture),
            false => handle.bound(handle.fixed),
        };
        let register = kit.bindings.sampler_register(&[wanted]);
        return Ok(register.unwrap_or_else(|| sampler_from_table(kit, handle)));
    };
    let all = |count| (0..count).map(|element| handle.bound(element)).collect::<Vec<SamplerBinding>>();
    let count = handle.count.filter(|count| *count as usize <= MAX_SAMPLERS);
    let Some(first) = count.and_then(|count| kit.bindings.sampler_register(&all(count))) else {
        return Ok(sampler_from_table(kit, handle));
    };
    let number = kit.b.iadd(index, Src::imm32(handle.fixed.wrapping_add(first.payload as u32)));
    Ok(kit.b.uconv(number, 16))
}

/// The index of a sampler without its own register, loaded from memory.
fn sampler_from_table(kit: &mut Kit<'_, '_>, handle: Handle) -> Src {
    let Handle { set, binding, fixed, index, .. } = handle;
    let table = kit.uniforms.get(UniformSource::SamplerTable { set, binding }, 0, 64);
    let number = index.map_or(Src::imm32(fixed), |index| kit.b.iadd(index, Src::imm32(fixed)));
    let offset = kit.b.imul(number, Src::imm32(textures::NUMBER_STRIDE));
    let mods = [Access::READONLY.bits(), 2];
    Src::value(kit.b.value(IrOp::LoadGlobal, Type::B16, &[table, offset], &mods))
}

/// The level bias of a sampler, a 16-bit float; `None` if samplers have no bias.
pub(crate) fn sampler_bias(kit: &mut Kit<'_, '_>, handle: Handle) -> Option<Src> {
    if !kit.bindings.has_bias {
        return None;
    }
    let Handle { set, binding, fixed, index, .. } = handle;
    let Some(index) = index else {
        return Some(kit.uniforms.get(UniformSource::SamplerBias { set, binding, element: fixed }, 0, 16));
    };
    let table = kit.uniforms.get(UniformSource::SamplerBiasTable { set, binding }, 0, 64);
    let number = kit.b.iadd(index, Src::imm32(fixed));
    let offset = kit.b.imul(number, Src::imm32(textures::BIAS_STRIDE));
    let mods = [Access::READONLY.bits(), 2];
    Some(Src::value(kit.b.value(IrOp::LoadGlobal, Type::B16, &[table, offset], &mods)))
}

/// A field of at most 32 bits of a texture's descriptor.
pub(crate) fn field(kit: &mut Kit<'_, '_>, handle: Handle, field: Field) -> Src {
    let (word, shift) = (field.start / 32, field.start % 32);
    let first = handle.word(kit, word);
    let mut value = if shift == 0 { first } else { kit.b.ushr(first, Src::imm32(shift)) };
    let end = shift.saturating_add(field.width);
    if end > 32 {
        let second = handle.word(kit, word.saturating_add(1));
        let high = kit.b.shl(second, Src::imm32(32u32.saturating_sub(shift)));
        value = kit.b.or(value, high);
    }
    if end == 32 || field.width == 32 {
        return value;
    }
    kit.b.and(value, Src::imm32(1u32.wrapping_shl(field.width).wrapping_sub(1)))
}

/// Number of the last layer, cube or slice.
pub(crate) fn last_layer(kit: &mut Kit<'_, '_>, handle: Handle) -> Src {
    let is_linear = field(kit, handle, textures::HAS_LINEAR_LAYERS);
    let linear = field(kit, handle, textures::LINEAR_LAYERS);
    let depth = field(kit, handle, textures::DEPTH);
    let is_linear = kit.b.icmp(IntCond::NE, is_linear, Src::imm32(0));
    kit.b.select(is_linear, linear, depth)
}

/// Number of the last level, counted from the first of the view.
pub(crate) fn last_level(kit: &mut Kit<'_, '_>, handle: Handle) -> Src {
    let first = field(kit, handle, textures::FIRST_LEVEL);
    let last = field(kit, handle, textures::LAST_LEVEL);
    kit.b.isub(last, first)
}

/// Whether a descriptor is not null. `None` if the key excludes null descriptors of images.
pub(crate) fn is_there(kit: &mut Kit<'_, '_>, handle: Handle) -> Option<Src> {
    if kit.robustness.image != Bounds::Exact {
        return None;
    }
    let null = field(kit, handle, textures::NULL);
    Some(kit.b.icmp(IntCond::EQ, null, Src::imm32(0)))
}

/// Results of a query; zeros for a null descriptor.
pub(crate) fn or_zeros(kit: &mut Kit<'_, '_>, handle: Handle, results: &mut [Src]) {
    let Some(is_there) = is_there(kit, handle) else { return };
    for result in results {
        *result = kit.b.select(is_there, *result, Src::imm32(0));
    }
}

/// Number of levels, 32 bits.
pub fn levels(kit: &mut Kit<'_, '_>, handle: Handle) -> Src {
    let last = last_level(kit, handle);
    let mut count = [kit.b.iadd(last, Src::imm32(1))];
    or_zeros(kit, handle, &mut count);
    count[0]
}

/// Number of samples of a texel, 32 bits, of a texture with several.
pub fn samples(kit: &mut Kit<'_, '_>, handle: Handle) -> Src {
    let logarithm = field(kit, handle, textures::SAMPLES);
    let mut count = [kit.b.shl(Src::imm32(2), logarithm)];
    or_zeros(kit, handle, &mut count);
    count[0]
}

/// Number of texels of a texel buffer, 32 bits; 0 if they have three 32-bit components.
pub fn buffer_texels(kit: &mut Kit<'_, '_>, handle: Handle) -> Src {
    handle.word(kit, textures::BUFFER_SIZE_WORD)
}

/// Number of texels of a texel buffer, 32 bits; 0 unless they have three 32-bit components.
pub(crate) fn triples(kit: &mut Kit<'_, '_>, handle: Handle) -> Src {
    handle.word(kit, textures::BUFFER_TRIPLES_WORD)
}

/// The address of a texture, from the 36 bits of its descriptor from bit 66 on, which count 16 bytes.
pub(crate) fn texel_base(kit: &mut Kit<'_, '_>, handle: Handle) -> Src {
    let words = address_words(kit, handle);
    kit.b.collect(Type::B64, &words)
}

fn address_words(kit: &mut Kit<'_, '_>, handle: Handle) -> [Src; 2] {
    let [low, high] = [2, 3].map(|word| handle.word(kit, word));
    let b = &mut kit.b;
    let shifted = b.shl(low, Src::imm32(2));
    let first = b.and(shifted, Src::imm32(!0xf));
    let upper = b.shl(high, Src::imm32(2));
    let carried = b.ushr(low, Src::imm32(30));
    let joined = b.or(upper, carried);
    [first, b.and(joined, Src::imm32(0xff))]
}

/// Where the 32-bit texels of an image are: in rows of square tiles, which have one texel if the image is linear.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Texels {
    /// Address of the first.
    pub base: Src,
    /// Last column and row of a tile, 32 bits like the next two.
    pub last: Src,
    /// Texels of a row.
    pub stride: Src,
    /// Bytes between layers.
    pub layer: Src,
}

/// Where the texels of the first level of an image are.
pub(crate) fn texels(kit: &mut Kit<'_, '_>, handle: Handle) -> Texels {
    let order = field(kit, handle, textures::ORDER);
    let is_tiled = kit.b.icmp(IntCond::NE, order, Src::imm32(0));
    let last = field(kit, handle, textures::TILED_LAST);
    let tiled = [
        last,
        tiled_stride(kit, handle, last),
        scaled(kit, handle, (textures::TILED_LAYER, 0), PAGE_SHIFT),
        scaled(kit, handle, (textures::TILED_LOW, 0), LINE_SHIFT),
        field(kit, handle, textures::TILED_HIGH),
    ];
    let [low, high] = address_words(kit, handle);
    let linear = [
        Src::imm32(0),
        scaled(kit, handle, (textures::ROW_STRIDE, 1), ROW_SHIFT),
        scaled(kit, handle, (textures::LAYER_STRIDE, 1), LINE_SHIFT),
        low,
        high,
    ];
    let mut parts = tiled;
    for (part, linear) in parts.iter_mut().zip(linear) {
        *part = kit.b.select(is_tiled, *part, linear);
    }
    let [last, stride, layer, low, high] = parts;
    Texels { base: kit.b.collect(Type::B64, &[low, high]), last, stride, layer }
}

/// Texels of a row of the first level of a tiled image.
fn tiled_stride(kit: &mut Kit<'_, '_>, handle: Handle, last: Src) -> Src {
    let [most, level] = [textures::WIDTH, textures::FIRST_LEVEL].map(|part| field(kit, handle, part));
    let width = texels_at(kit, most, level);
    let most = kit.b.isub(width, Src::imm32(1));
    let padded = kit.b.or(most, last);
    kit.b.iadd(padded, Src::imm32(1))
}

/// Texels along an axis at a level, from the last coordinate at level 0.
pub(crate) fn texels_at(kit: &mut Kit<'_, '_>, last: Src, level: Src) -> Src {
    let whole = kit.b.iadd(last, Src::imm32(1));
    let shrunk = kit.b.ushr(whole, level);
    kit.b.umax(shrunk, Src::imm32(1))
}

/// A field of a texture's descriptor with something added, multiplied by a power of two.
fn scaled(kit: &mut Kit<'_, '_>, handle: Handle, (part, add): (Field, u32), shift: u32) -> Src {
    let value = field(kit, handle, part);
    let value = if add == 0 { value } else { kit.b.iadd(value, Src::imm32(add)) };
    kit.b.shl(value, Src::imm32(shift))
}
