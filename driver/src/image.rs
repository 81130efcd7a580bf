//! Images and the layout of their texels in memory.

use std::sync::{Arc, OnceLock};

use agx_abi::image_layout::{Layout, Order};
use agx_device::words::Window;
use ash::vk;

use crate::Error;
use crate::format::{self, FormatDesc};
use crate::memory::{Allocation, Space};
use crate::modifier::{Modifier, PlanePlace, Tiling};
use crate::reserved::{Backing, PageTable, Reserved};
use crate::transfer::blocks;
use crate::view::Descriptor;
use crate::ycbcr;

/// Alignment of images in bytes.
const ALIGNMENT: u64 = 0x4000;
/// Bytes of Vulkan's standard blocks of sparse images.
const STANDARD_BLOCK: u64 = 0x1_0000;
/// Alignment of rows and of layers in linear images, in bytes.
const LINEAR: [u64; 2] = [16, 128];
/// Alignment of rows in linear images that are rendered to, in bytes (Mesa 26.1).
const RENDERED_ROW: u64 = 128;

/// The parameters of an image.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ImageInfo {
    /// Its format.
    pub format: vk::Format,
    /// Its type.
    pub kind: vk::ImageType,
    /// Texels of level 0.
    pub size: [u32; 3],
    /// Levels.
    pub levels: u32,
    /// Layers.
    pub layers: u32,
    /// Samples per texel.
    pub samples: u32,
    /// Uses.
    pub usage: vk::ImageUsageFlags,
    /// The layout that the application requests.
    pub tiling: Tiling,
    /// Whether each plane has its own memory.
    pub disjoint: bool,
    /// How it is bound.
    pub binding: Binding,
}

/// How an image is bound to memory.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Binding {
    /// As a whole.
    Whole,
    /// By pages, all of which have memory before it is used.
    Pages,
    /// By blocks of texels, some of which may have no memory.
    Blocks,
}

/// The layout of the texels of a plane.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PlaneLayout {
    /// Linear: bytes of a row, and of a layer.
    Linear([u64; 2]),
    /// A layout of the hardware.
    Tiled(Layout),
}

/// A plane: a whole image, its depth or stencil, or its luma or chroma.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Plane {
    /// Format of its texels.
    pub format: &'static FormatDesc,
    /// Layout of its texels.
    pub layout: PlaneLayout,
    /// Its number.
    pub number: usize,
    /// The memory of the image that it is in: its number if planes have their own memory, and otherwise 0.
    pub memory: usize,
    /// First byte in this memory.
    pub offset: u64,
    /// Texels of the image, along each axis, that a texel of the plane covers.
    pub reach: [u32; 2],
}

impl Plane {
    /// Texels along each axis, of an image of `size`.
    pub fn size(&self, [width, height, depth]: [u32; 3]) -> [u32; 3] {
        [width.div_ceil(self.reach[0].max(1)), height.div_ceil(self.reach[1].max(1)), depth]
    }

    /// Bytes from one layer or slice to the next.
    pub fn layer_stride(&self) -> u64 {
        match self.layout {
            PlaneLayout::Linear([_, layer]) => layer,
            PlaneLayout::Tiled(layout) => layout.layer_stride(),
        }
    }

    /// Bytes from the first level to this level.
    pub fn level_offset(&self, level: u32) -> u64 {
        match self.layout {
            PlaneLayout::Linear(_) => 0,
            PlaneLayout::Tiled(layout) => layout.level_offset(level),
        }
    }
}

/// An image.
pub struct Image {
    /// Parameters.
    pub info: ImageInfo,
    /// Format of its texels.
    pub format: &'static FormatDesc,
    /// Its planes: one, depth and stencil, or luma and chroma.
    pub planes: Vec<Plane>,
    /// Its memories: one, or one for each plane.
    memories: Vec<ImageMemory>,
    /// Descriptors for transfers, made when they are first used.
    transferred: OnceLock<Box<[OnceLock<Transferred>]>>,
}

/// The descriptors of a level of a plane, as a 2D array of all its layers or slices, for loads and stores.
pub(crate) type Transferred = [Descriptor; 2];

/// A memory of an image.
#[derive(Clone, Default)]
struct ImageMemory {
    /// Size in bytes.
    bytes: u64,
    /// What it is bound to.
    bound: OnceLock<Backing>,
}

impl Image {
    /// An image without memory.
    ///
    /// # Errors
    /// An unsupported format.
    pub fn new(info: ImageInfo) -> Result<Image, Error> {
        Image::with_planes(info, |_, _| Ok(None))
    }

    /// An image with a modifier, whose planes are at these places.
    ///
    /// # Errors
    /// An unsupported format, or [`Error::PlaneLayout`]: the places are not those of such an image.
    pub fn placed(info: ImageInfo, places: &[PlanePlace]) -> Result<Image, Error> {
        let Tiling::Modifier(modifier) = info.tiling else { return Err(Error::PlaneLayout) };
        let image = Image::with_planes(info, |number, least| {
            let place = places.get(number).ok_or(Error::PlaneLayout)?;
            Ok(Some(place.check(modifier, least)?))
        })?;
        if image.planes.len() == places.len() { Ok(image) } else { Err(Error::PlaneLayout) }
    }

    /// An image whose planes are where `place` says, for their numbers and the bytes of their texels in a row, or else follow each
    /// other.
    fn with_planes(
        info: ImageInfo,
        place: impl Fn(usize, u64) -> Result<Option<PlanePlace>, Error>,
    ) -> Result<Image, Error> {
        let format = format::find(info.format).ok_or(Error::Format(info.format))?;
        let mut planes = Vec::new();
        let mut memories: Vec<ImageMemory> = Vec::new();
        let chroma = ycbcr::planar(info.format).map_or([1, 1], |planar| planar.chroma);
        for (number, plane) in format.planes().into_iter().enumerate() {
            let reach = if number == 0 { [1, 1] } else { chroma };
            if info.disjoint || memories.is_empty() {
                memories.push(ImageMemory::default());
            }
            let memory = memories.len() - 1;
            let Some(ImageMemory { bytes, .. }) = memories.last_mut() else { continue };
            let offset = bytes.next_multiple_of(ALIGNMENT);
            let layout = PlaneLayout::Linear([0; 2]);
            let whole = Plane { format: plane, layout, number, memory, offset, reach };
            let own = ImageInfo { size: whole.size(info.size), ..info };
            let place = place(number, packed_row(&own, plane))?;
            let offset = place.map_or(offset, |place| place.offset);
            let layout = plane_layout(&own, plane, place.map(|place| place.row));
            let plane = Plane { layout, offset, ..whole };
            let slices = if info.kind == vk::ImageType::TYPE_3D { info.size[2] } else { info.layers };
            *bytes = (*bytes).max(offset + plane.layer_stride() * u64::from(slices));
            planes.push(plane);
        }
        Ok(Image { info, format, planes, memories, transferred: OnceLock::new() })
    }

    /// Layers or slices of a level of blocks as an image of texels as large as they are, with the same memory, and its level:
    /// a volume, or layers. The image is bound.
    ///
    /// # Errors
    /// The hardware places texels of that size otherwise.
    pub(crate) fn level_of_texels(
        &self,
        format: &'static FormatDesc,
        level: u32,
        [first, count]: [u32; 2],
        is_volume: bool,
    ) -> Result<(Image, u32), Error> {
        let unlike =
            || Error::Unsupported { what: "a view of blocks as texels, in a level with a padded tile," };
        let plane = self.planes.first().ok_or_else(unlike)?;
        let [width, height, _] = blocks(self.extent(level), plane);
        let (layout, [width, height], level, start) = match plane.layout {
            PlaneLayout::Linear(_) => (plane.layout, [width, height], level, 0),
            PlaneLayout::Tiled(layout) => {
                let found = layout.level_of_texels(level, count).ok_or_else(unlike)?;
                (PlaneLayout::Tiled(found.layout), found.layout.size, found.level, found.start)
            }
        };
        let offset = plane.offset + start + u64::from(first) * plane.layer_stride();
        let texels = Plane { format, layout, offset, ..*plane };
        let (kind, depth, layers) = match is_volume {
            true => (vk::ImageType::TYPE_3D, count << level, 1),
            false => (vk::ImageType::TYPE_2D, 1, count),
        };
        let size = [width, height, depth];
        let info = ImageInfo { format: format.format, kind, size, levels: level + 1, layers, ..self.info };
        let memories = self.memories.first().cloned().into_iter().collect();
        let image = Image { info, format, planes: vec![texels], memories, transferred: OnceLock::new() };
        Ok((image, level))
    }

    /// The memory of a plane with an aspect.
    fn memory_of(&self, aspect: vk::ImageAspectFlags) -> Option<&ImageMemory> {
        self.memories.get(self.plane(aspect)?.memory)
    }

    /// The size and alignment of the memory that it needs, or that the plane with an aspect needs.
    pub fn requirements(&self, aspect: vk::ImageAspectFlags) -> (u64, u64) {
        let bytes = self.memory_of(aspect).map_or(0, |memory| memory.bytes);
        let alignment = self.alignment();
        (bytes.next_multiple_of(alignment), alignment)
    }

    /// The alignment of its memory in bytes: the bytes of a block that is bound at once.
    pub fn alignment(&self) -> u64 {
        match (self.info.binding, self.info.kind) {
            (Binding::Blocks, vk::ImageType::TYPE_2D) => STANDARD_BLOCK,
            _ => ALIGNMENT,
        }
    }

    /// Binds memory from byte `offset` on, for the image or for the plane with an aspect.
    ///
    /// # Errors
    /// It already has memory.
    pub fn bind(
        &self,
        aspect: vk::ImageAspectFlags,
        memory: Arc<Allocation>,
        offset: u64,
    ) -> Result<(), Error> {
        let own = self.memory_of(aspect).ok_or(Error::Invalid { what: "an image has no such plane" })?;
        own.bound
            .set(Backing::Memory(memory, offset))
            .map_err(|_| Error::Invalid { what: "an image is bound twice" })
    }

    /// Reserves addresses for an image whose pages are bound one by one.
    ///
    /// # Errors
    /// Out of memory or addresses, or it already has memory.
    pub fn reserve(&self, space: &Arc<Space>) -> Result<(), Error> {
        for (at, memory) in self.memories.iter().enumerate() {
            let has_table = |plane: &&Plane| {
                let tiled = matches!(plane.layout, PlaneLayout::Tiled(_));
                self.info.binding == Binding::Blocks && plane.memory == at && tiled
            };
            let table =
                |plane: &Plane| PageTable::new(space, plane.offset, plane.layer_stride(), self.slices(0));
            let tables = self.planes.iter().filter(has_table).map(table).collect::<Result<_, _>>()?;
            let reserved =
                Arc::new(Reserved::new(space, memory.bytes.next_multiple_of(self.alignment()), tables)?);
            let bound = memory.bound.set(Backing::Sparse(reserved));
            bound.map_err(|_| Error::Invalid { what: "an image is bound twice" })?;
        }
        Ok(())
    }

    /// The addresses of the plane with an aspect whose pages are bound one by one.
    pub fn reserved(&self, aspect: vk::ImageAspectFlags) -> Option<&Arc<Reserved>> {
        self.memory_of(aspect)?.bound.get()?.reserved()
    }

    /// The address of the page table of a plane's textures from a layer on, if pages may have no memory.
    pub fn page_table(&self, plane: &Plane, layer: u32) -> Option<u64> {
        self.memories.get(plane.memory)?.bound.get()?.reserved()?.table(plane.offset, layer)
    }

    /// Bytes of the pages of its first memory.
    pub fn reserved_bytes(&self) -> u64 {
        self.memories.first().map_or(0, |memory| memory.bytes.next_multiple_of(self.alignment()))
    }

    /// The memory of its first plane, for the processor.
    pub fn memory(&self) -> Option<(&Arc<Allocation>, u64)> {
        self.memories.first()?.bound.get()?.memory()
    }

    /// The memory of a plane from the image's first byte there on, for the processor.
    pub fn window(&self, plane: &Plane) -> Option<Window> {
        let (memory, offset) = self.memories.get(plane.memory)?.bound.get()?.memory()?;
        memory.window(offset)
    }

    /// The first address of a plane.
    pub fn address(&self, plane: &Plane) -> u64 {
        let bound = self.memories.get(plane.memory).and_then(|memory| memory.bound.get());
        bound.map_or(0, Backing::address) + plane.offset
    }

    /// The plane with an aspect.
    pub fn plane(&self, aspect: vk::ImageAspectFlags) -> Option<&Plane> {
        use vk::ImageAspectFlags as A;
        match aspect {
            A::STENCIL => self.planes.last(),
            A::PLANE_1 | A::MEMORY_PLANE_1_EXT => self.planes.get(1),
            A::PLANE_2 | A::MEMORY_PLANE_2_EXT => self.planes.get(2),
            _ => self.planes.first(),
        }
    }

    /// The plane with an aspect, for a copy.
    ///
    /// # Errors
    /// The image does not have the aspect.
    pub(crate) fn copied(&self, aspect: vk::ImageAspectFlags) -> Result<&Plane, Error> {
        let missing = Error::Invalid { what: "a copy of an aspect that the image does not have" };
        self.plane(aspect).ok_or(missing)
    }

    /// Descriptors of a level of a plane, with texels of its own format or of `bits` of the same size. The image is bound.
    pub(crate) fn transferred(
        &self,
        plane: &Plane,
        level: u32,
        bits: bool,
        make: impl FnOnce() -> Transferred,
    ) -> Transferred {
        let all = 2 * self.planes.len() * self.info.levels as usize;
        let known = self.transferred.get_or_init(|| (0..all).map(|_| OnceLock::new()).collect());
        let at = 2 * (plane.number * self.info.levels as usize + level as usize) + usize::from(bits);
        match known.get(at) {
            Some(place) => *place.get_or_init(make),
            None => make(),
        }
    }

    /// The plane of depth.
    pub fn depth(&self) -> Option<&Plane> {
        self.planes.first().filter(|_| self.format.has_depth())
    }

    /// The plane of stencil.
    pub fn stencil(&self) -> Option<&Plane> {
        self.planes.last().filter(|_| self.format.has_stencil())
    }

    /// Texels of a level.
    pub fn extent(&self, level: u32) -> [u32; 3] {
        self.info.size.map(|side| (side >> level.min(31)).max(1))
    }

    /// Layers, or slices of a level of a 3D image.
    pub fn slices(&self, level: u32) -> u32 {
        match self.info.kind {
            vk::ImageType::TYPE_3D => self.extent(level)[2],
            _ => self.info.layers,
        }
    }

    /// The location of a subresource: first byte, and bytes of the subresource, of a row, of a layer.
    pub fn subresource(&self, aspect: vk::ImageAspectFlags, level: u32, layer: u32) -> [u64; 4] {
        let Some(plane) = self.plane(aspect) else { return [0; 4] };
        let layer_stride = plane.layer_stride();
        let row = match plane.layout {
            PlaneLayout::Linear([row, _]) => row,
            // Tiles have no rows; by convention (`drm_fourcc.h`) it is the row of texels without padding, which importers compare.
            PlaneLayout::Tiled(_) => {
                let [width, ..] = self.extent(level);
                let blocks = width.div_ceil(plane.format.block[0]);
                u64::from(blocks) * u64::from(plane.format.bytes * self.info.samples)
            }
        };
        let start = plane.offset + plane.level_offset(level) + u64::from(layer) * layer_stride;
        let depth = match self.info.kind {
            vk::ImageType::TYPE_3D => self.slices(level),
            _ => 1,
        };
        [start, layer_stride * u64::from(depth), row, layer_stride]
    }
}

/// Bytes of the texels of a row.
fn packed_row(info: &ImageInfo, format: &FormatDesc) -> u64 {
    u64::from(info.size[0].div_ceil(format.block[0])) * u64::from(format.bytes)
}

/// Alignment in bytes of the rows of an image with a linear layout; `None` for tiles.
fn row_alignment(info: &ImageInfo) -> Option<u64> {
    let is_rendered = info.usage.contains(vk::ImageUsageFlags::COLOR_ATTACHMENT);
    match info.tiling {
        // Others may render to it.
        Tiling::Modifier(Modifier::Linear) => Some(RENDERED_ROW),
        Tiling::Modifier(Modifier::Tiled) | Tiling::Optimal => None,
        Tiling::Linear => Some(if is_rendered { RENDERED_ROW } else { LINEAR[0] }),
    }
}

/// The layout of a plane; `row` is the number of bytes in a row if the application determines it.
fn plane_layout(info: &ImageInfo, format: &FormatDesc, row: Option<u64>) -> PlaneLayout {
    if let Some(alignment) = row_alignment(info) {
        let height = u64::from(info.size[1].div_ceil(format.block[1]));
        let row = row.unwrap_or(packed_row(info, format).next_multiple_of(alignment));
        return PlaneLayout::Linear([row, (row * height).next_multiple_of(LINEAR[1])]);
    }
    let size = [info.size[0], info.size[1]];
    let depth = if info.kind == vk::ImageType::TYPE_3D { info.size[2] } else { 1 };
    PlaneLayout::Tiled(Layout {
        order: Order::Tiled,
        size,
        block: format.block,
        element_bytes: format.bytes * info.samples,
        levels: if info.levels > 1 { Layout::all_levels(size, depth) } else { 1 },
        page_aligned: true,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view;

    fn info(format: vk::Format) -> ImageInfo {
        ImageInfo {
            format,
            kind: vk::ImageType::TYPE_2D,
            size: [100, 40, 1],
            levels: 1,
            layers: 3,
            samples: 1,
            usage: vk::ImageUsageFlags::SAMPLED,
            tiling: Tiling::Optimal,
            disjoint: false,
            binding: Binding::Whole,
        }
    }

    #[test]
    fn depth_and_stencil_lie_apart() {
        let image = Image::new(info(vk::Format::D32_SFLOAT_S8_UINT)).expect("there");
        assert_eq!(image.planes.len(), 2);
        let (depth, stencil) = (image.depth().expect("depth"), image.stencil().expect("stencil"));
        assert!(stencil.offset >= 3 * depth.layer_stride());
        assert_eq!((depth.format.bytes, stencil.format.bytes), (4, 1));
    }

    #[test]
    fn planes_share_a_memory_unless_they_are_disjoint() {
        let planar = ImageInfo { layers: 1, ..info(vk::Format::G10X6_B10X6R10X6_2PLANE_420_UNORM_3PACK16) };
        let needs = |info: ImageInfo| {
            let image = Image::new(info).expect("there");
            [vk::ImageAspectFlags::PLANE_0, vk::ImageAspectFlags::PLANE_1]
                .map(|aspect| image.requirements(aspect).0)
        };
        let ([whole, same], [luma, chroma]) = (needs(planar), needs(ImageInfo { disjoint: true, ..planar }));
        assert_eq!(whole, same);
        assert_eq!(whole, luma + chroma);
        // 100 by 40 texels of 2 bytes, and 50 by 20 of 4, in tiles of a page: 128 by 64 and 64 by 64 texels.
        assert_eq!([luma, chroma], [0x4000, 0x4000]);
    }

    #[test]
    fn a_subresource_of_a_volume_has_all_its_slices() {
        let volume = ImageInfo {
            kind: vk::ImageType::TYPE_3D,
            size: [32, 48, 56],
            layers: 1,
            tiling: Tiling::Linear,
            ..info(vk::Format::R8G8B8A8_UNORM)
        };
        let [_, bytes, row, slice] =
            Image::new(volume).expect("there").subresource(vk::ImageAspectFlags::COLOR, 0, 0);
        assert_eq!([bytes, row, slice], [32 * 48 * 56 * 4, 32 * 4, 32 * 48 * 4]);
        let array = ImageInfo { kind: vk::ImageType::TYPE_2D, size: [32, 48, 1], layers: 5, ..volume };
        let [start, bytes, _, layer] =
            Image::new(array).expect("there").subresource(vk::ImageAspectFlags::COLOR, 0, 2);
        assert_eq!([start, bytes, layer], [2 * 6144, 6144, 6144]);
    }

    #[test]
    fn descriptors_for_transfers_are_made_once_for_each_level_of_a_plane() {
        let levels = ImageInfo { levels: 3, ..info(vk::Format::D32_SFLOAT_S8_UINT) };
        let image = Image::new(levels).expect("there");
        let places = || {
            let of = |plane| (0..3).flat_map(move |level| [(plane, level, false), (plane, level, true)]);
            image.planes.iter().flat_map(of)
        };
        for (number, (plane, level, bits)) in (0..).zip(places()) {
            let make = || [[number; view::BYTES]; 2];
            assert_eq!(image.transferred(plane, level, bits, make), [[number; view::BYTES]; 2]);
        }
        for (number, (plane, level, bits)) in (0..).zip(places()) {
            let found = image.transferred(plane, level, bits, || panic!("it was made"));
            assert_eq!(found, [[number; view::BYTES]; 2]);
        }
    }

    #[test]
    fn the_tiling_and_rendering_determine_rows() {
        let stored = ImageInfo { usage: vk::ImageUsageFlags::STORAGE, ..info(vk::Format::R32_UINT) };
        let layout = |info: ImageInfo| Image::new(info).expect("there").planes[0].layout;
        assert!(matches!(layout(stored), PlaneLayout::Tiled(_)));
        let linear = ImageInfo { tiling: Tiling::Linear, ..stored };
        assert_eq!(layout(linear), PlaneLayout::Linear([400, 16000]));
        let usage = stored.usage | vk::ImageUsageFlags::COLOR_ATTACHMENT;
        assert_eq!(layout(ImageInfo { usage, ..linear }), PlaneLayout::Linear([512, 20480]));
    }

    fn with_modifier(format: vk::Format, modifier: Modifier) -> ImageInfo {
        ImageInfo { tiling: Tiling::Modifier(modifier), layers: 1, ..info(format) }
    }

    #[test]
    fn modifiers_determine_the_layout() {
        let of = |modifier| Image::new(with_modifier(vk::Format::R8G8B8A8_UNORM, modifier)).expect("there");
        // 100 texels of 4 bytes are 400 bytes, in rows of a multiple of 128.
        let linear = of(Modifier::Linear);
        assert_eq!(
            linear.subresource(vk::ImageAspectFlags::MEMORY_PLANE_0_EXT, 0, 0),
            [0, 20480, 512, 20480]
        );
        let tiled = of(Modifier::Tiled);
        let optimal = Image::new(ImageInfo { layers: 1, ..info(vk::Format::R8G8B8A8_UNORM) }).expect("there");
        assert_eq!(tiled.planes, optimal.planes);
        // Other drivers refuse a row that is not that of the texels.
        assert_eq!(tiled.subresource(vk::ImageAspectFlags::MEMORY_PLANE_0_EXT, 0, 0)[2], 400);
    }

    #[test]
    fn planes_are_where_the_application_places_them() {
        let planar = with_modifier(vk::Format::G8_B8R8_2PLANE_420_UNORM, Modifier::Linear);
        let places = [PlanePlace { offset: 0, row: 112 }, PlanePlace { offset: 4480, row: 112 }];
        let image = Image::placed(planar, &places).expect("there");
        let second = image.subresource(vk::ImageAspectFlags::MEMORY_PLANE_1_EXT, 0, 0);
        // 20 rows of 112 bytes are 2240, in lines of 128 bytes.
        assert_eq!(second, [4480, 2304, 112, 2304]);
        assert_eq!(second, image.subresource(vk::ImageAspectFlags::PLANE_1, 0, 0));
        // The planes may have any order.
        let [first, last] = places;
        let image =
            Image::placed(planar, &[PlanePlace { offset: 2304, ..first }, PlanePlace { offset: 0, ..last }]);
        assert_eq!(image.expect("there").requirements(vk::ImageAspectFlags::NONE).0, 0x4000);
        for wrong in [&places[..1], &[first, last, last], &[first, PlanePlace { row: 96, ..last }]] {
            assert!(matches!(Image::placed(planar, wrong), Err(Error::PlaneLayout)), "{wrong:?}");
        }
        let unplaced = ImageInfo { tiling: Tiling::Linear, ..planar };
        assert!(matches!(Image::placed(unplaced, &places), Err(Error::PlaneLayout)));
    }
}
