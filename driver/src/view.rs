//! Views of images and buffers: descriptors of textures and images, in the form that the hardware reads.

use std::sync::{Arc, OnceLock};

use agx_abi::fragment::{SampledTarget, TargetHeap};
use agx_abi::image_layout::Order;
use agx_abi::record;
use agx_abi::textures::{self, BUFFER_ROW_TEXELS, BUFFER_SIZE_WORD, BUFFER_TRIPLES_WORD, TiledTexels};
use ash::vk;

use crate::Error;
use crate::buffer::Buffer;
use crate::format::{self, FormatDesc, ONE, ZERO};
use crate::image::{Image, Plane, PlaneLayout};

/// Bytes of a descriptor.
pub const BYTES: usize = textures::DESCRIPTOR_BYTES as usize;
/// The mode of textures with a page table.
const SPARSE: u64 = 2;
/// Unit of the bytes between linear layers.
const LAYER_UNIT: u64 = 128;
/// A descriptor of a texture or an image.
pub type Descriptor = [u8; BYTES];

/// The coordinates of a texture, with the codes of descriptors (`agx_abi::record::DIMENSIONS`).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Dimension {
    /// One coordinate.
    Line = 0,
    /// One coordinate and a layer.
    LineArray = 1,
    /// Two coordinates.
    Plane = 2,
    /// Two coordinates and a layer.
    PlaneArray = 3,
    /// Two coordinates and a sample.
    PlaneSamples = 4,
    /// Three coordinates.
    Volume = 5,
    /// A direction.
    Cube = 6,
    /// A direction and a cube.
    CubeArray = 7,
    /// Two coordinates, a sample and a layer.
    PlaneSamplesArray = 8,
}

impl Dimension {
    /// A 2D array of texels with `samples` samples.
    fn layers(samples: u32) -> Dimension {
        match samples {
            1 => Dimension::PlaneArray,
            _ => Dimension::PlaneSamplesArray,
        }
    }

    /// Whether texels have samples.
    fn has_samples(self) -> bool {
        matches!(self, Dimension::PlaneSamples | Dimension::PlaneSamplesArray)
    }

    /// Whether it has layers or slices.
    fn has_layers(self) -> bool {
        !matches!(self, Dimension::Line | Dimension::Plane | Dimension::PlaneSamples)
    }
}

/// The part of an image that a descriptor describes.
#[derive(Clone, Copy, Debug)]
pub struct Part<'i> {
    /// The image.
    pub image: &'i Image,
    /// Its plane.
    pub plane: &'i Plane,
    /// The format in which texels are interpreted, with the same size as the plane's.
    pub format: &'static FormatDesc,
    /// Its coordinates.
    pub dimension: Dimension,
    /// First level and number of levels.
    pub levels: [u32; 2],
    /// First layer or slice, and their number.
    pub layers: [u32; 2],
    /// Channels of red, green, blue and alpha.
    pub swizzle: [u8; 4],
}

impl std::fmt::Debug for Image {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Image({:?})", self.info)
    }
}

impl<'i> Part<'i> {
    /// All layers of a level, as a 2D array, with texels of another format of the same size.
    pub fn slices(image: &'i Image, plane: &'i Plane, format: &'static FormatDesc, level: u32) -> Part<'i> {
        let dimension = Dimension::layers(image.info.samples);
        let layers = [0, image.slices(level)];
        let swizzle = format.swizzle;
        Part { image, plane, format, dimension, levels: [level, 1], layers, swizzle }
    }

    /// The address of the first layer and level.
    fn address(&self) -> u64 {
        let layer = u64::from(self.layers[0]) * self.plane.layer_stride();
        self.image.address(self.plane) + layer
    }

    /// Depth, layers or cubes.
    fn depth(&self) -> u64 {
        match self.dimension {
            Dimension::Volume => u64::from(self.image.info.size[2]),
            Dimension::Cube | Dimension::CubeArray => u64::from(self.layers[1].div_ceil(6)),
            dimension if dimension.has_layers() => u64::from(self.layers[1]),
            _ => 1,
        }
    }

    /// Whether texels have four samples, instead of two.
    fn has_four_samples(&self) -> bool {
        self.dimension.has_samples() && self.image.info.samples > 2
    }

    fn order(&self) -> u64 {
        match self.plane.layout {
            PlaneLayout::Linear(_) => 0,
            PlaneLayout::Tiled(layout) => {
                if layout.order == Order::Twiddled {
                    1
                } else {
                    2
                }
            }
        }
    }

    /// The descriptor for sampling and loading.
    pub fn texture(&self) -> Descriptor {
        use record::texture::*;
        let [width, height, _] = self.plane.size(self.image.info.size).map(u64::from);
        let table = self.image.page_table(self.plane, self.layers[0]);
        let mut writer = new()
            .set(&DIMENSION, self.dimension as u64)
            .set(&LAYOUT, self.order())
            .set(&CHANNELS, self.format.channels.into())
            .set(&TYPE, self.format.kind.into())
            .set(&WIDTH, width)
            .set(&HEIGHT, height)
            .set(&FIRST_LEVEL, self.levels[0].into())
            .set(&LAST_LEVEL, (self.levels[0] + self.levels[1].max(1) - 1).into())
            .flag(&SAMPLES, self.has_four_samples())
            .set(&ADDRESS, table.unwrap_or(self.address()))
            .set(&MODE, if table.is_some() { SPARSE } else { 0 })
            .flag(&MIPMAPPED, self.image.info.levels > 1)
            .flag(&SRGB, self.format.srgb)
            .flag(&SRGB_2, self.format.srgb && self.format.bytes == 2);
        for (field, channel) in [&SWIZZLE_R, &SWIZZLE_G, &SWIZZLE_B, &SWIZZLE_A].into_iter().zip(self.swizzle)
        {
            writer = writer.set(field, channel.into());
        }
        let bytes = match self.plane.layout {
            PlaneLayout::Linear([row, layer]) => {
                let writer =
                    writer.set(&STRIDE, row.saturating_sub(16)).flag(&EXTENDED, self.dimension.has_layers());
                match self.dimension.has_layers() {
                    true => writer
                        .set(&LINEAR_DEPTH, self.depth())
                        .set(&LINEAR_LAYER_STRIDE, layer.saturating_sub(LAYER_UNIT)),
                    false => writer,
                }
            }
            PlaneLayout::Tiled(_) => writer.set(&DEPTH, self.depth()).set(&PAGE_ALIGNED, 1),
        };
        bytes.bytes()
    }

    /// The descriptor for stores, of one level. The part is not a cube: its faces are the layers of an array.
    pub fn stored(&self) -> Descriptor {
        use record::image::*;
        let [width, height, _] = self.plane.size(self.image.info.size).map(u64::from);
        let depth = self.depth();
        let mut writer = new()
            .set(&DIMENSION, self.dimension as u64)
            .set(&LAYOUT, self.order())
            .set(&CHANNELS, self.format.channels.into())
            .set(&TYPE, self.format.kind.into())
            .set(&WIDTH, width)
            .set(&HEIGHT, height)
            .flag(&SAMPLES, self.has_four_samples())
            .flag(&MIPMAPPED, self.image.info.levels > 1)
            .set(&ADDRESS, self.address())
            .set(&LEVEL, self.levels[0].into())
            .flag(&SRGB, self.format.srgb);
        let stored = self.format.stored_swizzle();
        for (field, channel) in [&SWIZZLE_R, &SWIZZLE_G, &SWIZZLE_B, &SWIZZLE_A].into_iter().zip(stored) {
            writer = writer.set(field, channel.into());
        }
        let bytes = match self.plane.layout {
            PlaneLayout::Linear([row, layer]) => {
                let writer = writer.set(&STRIDE, row.saturating_sub(4));
                match self.dimension.has_layers() {
                    true => writer.flag(&EXTENDED, true).set_raw(&METADATA, linear_layers(depth, layer)),
                    false => writer.set_raw(&SOFTWARE, linear_layers(depth, layer)),
                }
            }
            PlaneLayout::Tiled(layout) => {
                writer.set(&LEVELS, layout.levels.into()).set(&LAYERS, depth).set(&PAGE_ALIGNED, 1)
            }
        };
        bytes.bytes()
    }
}

impl<'i> Part<'i> {
    /// The first level in its own channels, as programs access it without a sampler. Faces of cubes are layers.
    fn first_level(&self) -> Part<'i> {
        let dimension = match self.dimension {
            Dimension::Cube | Dimension::CubeArray => Dimension::PlaneArray,
            other => other,
        };
        Part { dimension, levels: [self.levels[0], 1], swizzle: self.format.swizzle, ..*self }
    }

    /// The first level as an input attachment: a 2D array.
    fn attachment(&self) -> Part<'i> {
        Part { dimension: Dimension::layers(self.image.info.samples), ..self.first_level() }
    }

    /// The descriptors with which programs load and store.
    pub fn accessed(&self) -> [Descriptor; 2] {
        let mut loaded = self.texture();
        let (stored, fields) = match self.sampled() {
            Some((stored, place)) => (stored, Some(place.fields())),
            None => (self.stored(), self.tiled().map(TiledTexels::fields)),
        };
        for (field, value) in fields.into_iter().flatten() {
            record::set_bits(&mut loaded, field.start, field.width, value.into());
        }
        [loaded, stored]
    }

    /// Where the texels of a tiled image are on which atomics work.
    fn tiled(&self) -> Option<TiledTexels> {
        let PlaneLayout::Tiled(layout) = self.plane.layout else { return None };
        let level = self.levels[0];
        (layout.block == [1, 1] && layout.element_bytes == 4).then(|| TiledTexels {
            side: layout.level(level).tile[0],
            address: self.address() + layout.level_offset(level),
            layer_bytes: layout.layer_stride(),
        })
    }

    /// The descriptor of all samples as a plane, to which programs store, and where samples are in it; `None` without
    /// samples.
    pub fn sampled(&self) -> Option<(Descriptor, SampledTarget)> {
        use record::image::*;
        let PlaneLayout::Tiled(layout) = self.plane.layout else { return None };
        if !self.dimension.has_samples() {
            return None;
        }
        let bytes = u64::from(self.format.bytes);
        let row = u64::from(TargetHeap::SAMPLES_PER_ROW);
        let count = layout.bytes(self.layers[1].max(1)) / bytes.max(1);
        let mut plane = new()
            .set(&DIMENSION, Dimension::Plane as u64)
            .set(&CHANNELS, self.format.channels.into())
            .set(&TYPE, self.format.kind.into())
            .set(&WIDTH, row)
            .set(&HEIGHT, count.div_ceil(row).max(1))
            .set(&STRIDE, (row * bytes).saturating_sub(4))
            .set(&ADDRESS, self.address())
            .set_raw(&SOFTWARE, linear_layers(1, row * bytes))
            .flag(&SRGB, self.format.srgb);
        let stored = self.format.stored_swizzle();
        for (field, channel) in [&SWIZZLE_R, &SWIZZLE_G, &SWIZZLE_B, &SWIZZLE_A].into_iter().zip(stored) {
            plane = plane.set(field, channel.into());
        }
        let level = layout.level(self.levels[0]);
        let place = SampledTarget {
            tile: level.tile,
            stride: level.stride,
            layer_samples: (layout.layer_stride() / bytes.max(1)) as u32,
        };
        Some((plane.bytes(), place))
    }
}

/// The last 8 bytes of the image descriptor of linear layers: their number, and bytes between them in units of 128.
fn linear_layers(count: u64, stride: u64) -> u64 {
    count.saturating_sub(1) | (stride / LAYER_UNIT).saturating_sub(1) << 11
}

/// Replaces a 32-bit word of a descriptor.
fn set_word(descriptor: &mut Descriptor, at: u32, word: u32) {
    if let Some(place) = descriptor.as_chunks_mut::<4>().0.get_mut(at as usize) {
        *place = word.to_le_bytes();
    }
}

/// The descriptors for texels in memory: for loads and for stores.
pub fn texels(format: &FormatDesc, address: u64, count: u64, dimension: Dimension) -> [Descriptor; 2] {
    let row = u64::from(BUFFER_ROW_TEXELS) * u64::from(format.bytes);
    let [width, height] =
        [count.clamp(1, BUFFER_ROW_TEXELS.into()), count.div_ceil(BUFFER_ROW_TEXELS.into()).max(1)];
    let mut loaded = {
        use record::texture::*;
        let mut writer = new()
            .set(&DIMENSION, dimension as u64)
            .set(&CHANNELS, format.channels.into())
            .set(&TYPE, format.kind.into())
            .set(&WIDTH, width)
            .set(&HEIGHT, height)
            .set(&ADDRESS, address)
            .set(&STRIDE, row - 16)
            .flag(&SRGB, format.srgb)
            .flag(&SRGB_2, format.srgb && format.bytes == 2);
        if dimension.has_layers() {
            // One layer.
            writer = writer.flag(&EXTENDED, true).set(&LINEAR_DEPTH, 1);
        }
        for (field, channel) in
            [&SWIZZLE_R, &SWIZZLE_G, &SWIZZLE_B, &SWIZZLE_A].into_iter().zip(format.swizzle)
        {
            writer = writer.set(field, channel.into());
        }
        writer.bytes()
    };
    if dimension == Dimension::Plane {
        set_word(&mut loaded, BUFFER_SIZE_WORD, count as u32);
    }
    let stored = {
        use record::image::*;
        let mut writer = new()
            .set(&DIMENSION, dimension as u64)
            .set(&CHANNELS, format.channels.into())
            .set(&TYPE, format.kind.into())
            .set(&WIDTH, width)
            .set(&HEIGHT, height)
            .set(&ADDRESS, address)
            .set(&STRIDE, row - 4)
            .flag(&SRGB, format.srgb);
        if dimension.has_layers() {
            writer = writer.flag(&EXTENDED, true);
        }
        let stored = format.stored_swizzle();
        for (field, channel) in [&SWIZZLE_R, &SWIZZLE_G, &SWIZZLE_B, &SWIZZLE_A].into_iter().zip(stored) {
            writer = writer.set(field, channel.into());
        }
        writer.bytes()
    };
    [loaded, stored]
}

/// Null descriptors: loads return zeros from `zeros`, stores write to `sink`, and texel buffers have size 0. The third
/// is for images that are not texel buffers, whose queries return 0.
pub fn null(zeros: u64, sink: u64) -> [Descriptor; 3] {
    let nothing = FormatDesc { swizzle: [ZERO; 4], ..format::WORD };
    let [loaded, _] = texels(&nothing, zeros, 0, Dimension::Plane);
    let [_, stored] = texels(&format::WORD, sink, 0, Dimension::Plane);
    let mut image = loaded;
    set_word(&mut image, textures::NULL.start / 32, 1 << (textures::NULL.start % 32));
    [loaded, stored, image]
}

/// The parameters of an image view.
#[derive(Clone, Copy, Debug)]
pub struct ViewInfo {
    /// Kind of view.
    pub kind: vk::ImageViewType,
    /// The format in which texels are interpreted.
    pub format: vk::Format,
    /// Component mapping.
    pub components: vk::ComponentMapping,
    /// Levels, layers and aspect.
    pub range: vk::ImageSubresourceRange,
}

impl ViewInfo {
    /// Number of levels, and of layers or slices, of an image.
    fn counts(&self, image: &Image) -> [u32; 2] {
        let ViewInfo { range, kind, .. } = *self;
        let levels = match range.level_count {
            vk::REMAINING_MIP_LEVELS => image.info.levels - range.base_mip_level,
            count => count,
        };
        let all = if image.info.kind == vk::ImageType::TYPE_3D && kind != vk::ImageViewType::TYPE_3D {
            image.slices(range.base_mip_level)
        } else {
            image.info.layers
        };
        let layers = match range.layer_count {
            vk::REMAINING_ARRAY_LAYERS => all - range.base_array_layer,
            count => count,
        };
        [levels, layers]
    }
}

/// A view of an image.
pub struct ImageView {
    /// The image.
    pub image: Arc<Image>,
    /// The format in which texels are interpreted.
    pub format: &'static FormatDesc,
    /// The format of the plane that is sampled.
    pub sampled: vk::Format,
    /// First level and number of levels.
    pub levels: [u32; 2],
    /// First layer and number of layers.
    pub layers: [u32; 2],
    /// Descriptor for sampling.
    pub texture: Descriptor,
    /// Descriptors for sampling the planes of chroma.
    pub chroma: Vec<Descriptor>,
    /// Descriptors for loads from and for stores to a storage image; `None` if the image's usage excludes it.
    pub storage: Option<[Descriptor; 2]>,
    /// Descriptor for loads from an input attachment; `None` if the image's usage excludes it.
    pub attachment: Option<Descriptor>,
    /// Descriptors of a render target, made when it first is one.
    target: OnceLock<Option<[Descriptor; 2]>>,
}

impl ImageView {
    /// A view.
    ///
    /// # Errors
    /// An unsupported format.
    pub fn new(image: Arc<Image>, info: &ViewInfo) -> Result<ImageView, Error> {
        let range = info.range;
        let [level_count, layer_count] = info.counts(&image);
        let whole = format::find(info.format).ok_or(Error::Format(info.format))?;
        if image.format.is_compressed() && !whole.is_compressed() {
            return ImageView::of_blocks(&image, whole, info, [range.base_array_layer, layer_count]);
        }
        let plane = image.plane(range.aspect_mask).ok_or(Error::Format(info.format))?;
        let has_planes = whole.is_depth_stencil() || whole.is_planar();
        let desc = if has_planes { plane.format } else { whole };
        let part = Part {
            image: &image,
            plane,
            format: desc,
            dimension: dimension(info.kind, image.info.samples),
            levels: [range.base_mip_level, level_count],
            layers: [range.base_array_layer, layer_count],
            swizzle: composed(info.components, desc.swizzle),
        };
        let usage = image.info.usage;
        let storage = usage.contains(vk::ImageUsageFlags::STORAGE).then(|| part.first_level().accessed());
        let attachment =
            usage.contains(vk::ImageUsageFlags::INPUT_ATTACHMENT).then(|| part.attachment().texture());
        let texture = part.texture();
        let (levels, layers, sampled) = (part.levels, part.layers, desc.format);
        let chroma = if whole.is_planar() { chroma_of(&part) } else { Vec::new() };
        let format = whole;
        let target = OnceLock::new();
        Ok(ImageView { image, format, sampled, levels, layers, texture, chroma, storage, attachment, target })
    }

    /// A view of the blocks of a level as texels of a format that is not compressed.
    ///
    /// # Errors
    /// The hardware places such texels otherwise.
    fn of_blocks(
        image: &Image,
        format: &'static FormatDesc,
        info: &ViewInfo,
        layers: [u32; 2],
    ) -> Result<ImageView, Error> {
        let level = info.range.base_mip_level;
        let (texels, level) = match info.kind {
            vk::ImageViewType::TYPE_3D => {
                image.level_of_texels(format, level, [0, image.slices(level)], true)?
            }
            _ => image.level_of_texels(format, level, layers, false)?,
        };
        let range = vk::ImageSubresourceRange {
            base_mip_level: level,
            level_count: 1,
            base_array_layer: 0,
            layer_count: vk::REMAINING_ARRAY_LAYERS,
            ..info.range
        };
        ImageView::new(Arc::new(texels), &ViewInfo { range, ..*info })
    }

    /// The view's level as a 2D array with the layers of the view, for render passes.
    pub fn target(&self, aspect: vk::ImageAspectFlags) -> Option<Part<'_>> {
        let plane = self.image.plane(aspect)?;
        let format = if self.format.is_depth_stencil() { plane.format } else { self.format };
        let dimension = Dimension::layers(self.image.info.samples);
        Some(Part {
            image: &self.image,
            plane,
            format,
            dimension,
            levels: [self.levels[0], 1],
            layers: self.layers,
            swizzle: format.swizzle,
        })
    }

    /// The descriptors of the view as a render target with all its layers: for loads and for stores. None for depth or stencil.
    pub fn target_descriptors(&self) -> Option<&[Descriptor; 2]> {
        let make = || {
            let part = self.target(vk::ImageAspectFlags::COLOR)?;
            Some([part.texture(), part.stored()])
        };
        self.target.get_or_init(make).as_ref()
    }

    /// Texels of the view's first level.
    pub fn size(&self) -> [u32; 2] {
        let [width, height, _] = self.image.extent(self.levels[0]);
        [width, height]
    }
}

/// The descriptors for sampling the planes of chroma.
fn chroma_of(part: &Part<'_>) -> Vec<Descriptor> {
    let planes = part.image.planes.get(1..).unwrap_or_default();
    let of = |plane: &Plane| {
        let format = plane.format;
        Part { plane, format, swizzle: format.swizzle, ..*part }.texture()
    };
    planes.iter().map(of).collect()
}

fn dimension(kind: vk::ImageViewType, samples: u32) -> Dimension {
    match kind {
        vk::ImageViewType::TYPE_1D => Dimension::Line,
        vk::ImageViewType::TYPE_1D_ARRAY => Dimension::LineArray,
        vk::ImageViewType::TYPE_2D if samples > 1 => Dimension::PlaneSamples,
        vk::ImageViewType::TYPE_2D => Dimension::Plane,
        vk::ImageViewType::TYPE_3D => Dimension::Volume,
        vk::ImageViewType::CUBE => Dimension::Cube,
        vk::ImageViewType::CUBE_ARRAY => Dimension::CubeArray,
        _ if samples > 1 => Dimension::PlaneSamplesArray,
        _ => Dimension::PlaneArray,
    }
}

/// The composition of a view's component mapping with a format's swizzle.
pub fn composed(components: vk::ComponentMapping, swizzle: [u8; 4]) -> [u8; 4] {
    let of = |wanted: vk::ComponentSwizzle, own: usize| match wanted {
        vk::ComponentSwizzle::ZERO => ZERO,
        vk::ComponentSwizzle::ONE => ONE,
        vk::ComponentSwizzle::R => swizzle[0],
        vk::ComponentSwizzle::G => swizzle[1],
        vk::ComponentSwizzle::B => swizzle[2],
        vk::ComponentSwizzle::A => swizzle[3],
        _ => swizzle[own],
    };
    [of(components.r, 0), of(components.g, 1), of(components.b, 2), of(components.a, 3)]
}

/// A view of a buffer as texels.
pub struct BufferView {
    /// Descriptor for loads.
    pub loaded: Descriptor,
    /// Descriptor for stores.
    pub stored: Descriptor,
}

impl BufferView {
    /// `bytes` bytes of a buffer from `offset` on.
    ///
    /// # Errors
    /// An unsupported format.
    pub fn new(buffer: &Buffer, format: vk::Format, offset: u64, bytes: u64) -> Result<BufferView, Error> {
        let bytes = if bytes == vk::WHOLE_SIZE { buffer.bytes.saturating_sub(offset) } else { bytes };
        let address = buffer.address() + offset;
        if let Some(desc) = format::third(format) {
            let [mut loaded, stored] = texels(desc, address, 0, Dimension::Plane);
            set_word(&mut loaded, BUFFER_TRIPLES_WORD, (bytes / (3 * u64::from(desc.bytes))) as u32);
            return Ok(BufferView { loaded, stored });
        }
        let desc = format::find(format).ok_or(Error::Format(format))?;
        let [loaded, stored] = texels(desc, address, bytes / u64::from(desc.bytes), Dimension::Plane);
        Ok(BufferView { loaded, stored })
    }
}

#[cfg(test)]
mod tests {
    use agx_abi::page_table::PAGE;
    use agx_abi::textures::{FIRST_LEVEL, Field, TILED_HIGH, TILED_LAST, TILED_LAYER, TILED_LOW, WIDTH};

    use super::*;
    use crate::image::{Binding, ImageInfo};

    /// The address of a texel as a shader computes it from a texture descriptor.
    fn texel(descriptor: &Descriptor, [x, y]: [u64; 2], layer: u64) -> u64 {
        let field = |Field { start, width }| record::bits(descriptor, start, width);
        let (first, last) = (field(TILED_HIGH) << 32 | field(TILED_LOW) << 7, field(TILED_LAST));
        let width = ((field(WIDTH) + 1) >> field(FIRST_LEVEL)).max(1);
        let stride = width.next_multiple_of(last + 1);
        let [column, row] = [x & last, y & last];
        let within: u64 = (0..8).map(|bit| (column & 1 << bit) << bit | (row & 1 << bit) << (bit + 1)).sum();
        let index = (y - row) * stride + (x - column) * (last + 1) + within;
        first + layer * field(TILED_LAYER) * PAGE + 4 * index
    }

    #[test]
    fn atomics_find_the_texels_of_every_level_and_layer() {
        let device = crate::device::Device::in_test();
        for (kind, size, layers) in [
            (vk::ImageType::TYPE_2D, [300, 70, 1], 3),
            (vk::ImageType::TYPE_2D, [3, 200, 1], 3),
            (vk::ImageType::TYPE_3D, [130, 65, 9], 1),
            (vk::ImageType::TYPE_1D, [500, 1, 1], 3),
        ] {
            let image = Image::new(ImageInfo {
                format: vk::Format::R32_UINT,
                kind,
                size,
                levels: 8,
                layers,
                samples: 1,
                usage: vk::ImageUsageFlags::STORAGE,
                tiling: crate::modifier::Tiling::Optimal,
                disjoint: false,
                binding: Binding::Pages,
            })
            .expect("an image");
            image.reserve(&device.space).expect("addresses");
            let plane = &image.planes[0];
            let PlaneLayout::Tiled(layout) = plane.layout else { panic!("tiled") };
            for level in 0..8 {
                let part = Part::slices(&image, plane, plane.format, level);
                let [loaded, _] = part.accessed();
                let [width, height] = [0, 1].map(|axis: usize| (size[axis] >> level).max(1));
                let places =
                    [[0, 0], [width - 1, height - 1], [width / 2, height / 3], [width / 3, height / 2]];
                for (layer, at) in (0..part.layers[1]).flat_map(|layer| places.map(|at| (layer, at))) {
                    let place = image.address(plane) + layout.offset(level, at, layer);
                    let found = texel(&loaded, at.map(u64::from), layer.into());
                    assert_eq!(found, place, "{size:?}: level {level}, {at:?}, layer {layer}");
                }
            }
        }
    }
}
