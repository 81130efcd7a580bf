//! Images and the layout of their texels in memory.

use std::sync::{Arc, OnceLock};

use agx_abi::image_layout::{Layout, Order};
use agx_device::words::Window;
use ash::vk;

use crate::Error;
use crate::format::{self, FormatDesc};
use crate::memory::Allocation;
use crate::view::Descriptor;
use crate::ycbcr;

/// Alignment of images in bytes.
const ALIGNMENT: u64 = 0x4000;
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
    /// Whether the application requests a linear layout.
    pub linear: bool,
    /// Whether each plane has its own memory.
    pub disjoint: bool,
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
#[derive(Default)]
struct ImageMemory {
    /// Size in bytes.
    bytes: u64,
    /// What it is bound to, and the first byte there.
    bound: OnceLock<(Arc<Allocation>, u64)>,
}

impl Image {
    /// An image without memory.
    ///
    /// # Errors
    /// An unsupported format.
    pub fn new(info: ImageInfo) -> Result<Image, Error> {
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
            let plane = Plane { layout: plane_layout(&own, plane), ..whole };
            let slices = if info.kind == vk::ImageType::TYPE_3D { info.size[2] } else { info.layers };
            *bytes = offset + plane.layer_stride() * u64::from(slices);
            planes.push(plane);
        }
        Ok(Image { info, format, planes, memories, transferred: OnceLock::new() })
    }

    /// The memory of a plane with an aspect.
    fn memory_of(&self, aspect: vk::ImageAspectFlags) -> Option<&ImageMemory> {
        self.memories.get(self.plane(aspect)?.memory)
    }

    /// The size and alignment of the memory that it needs, or that the plane with an aspect needs.
    pub fn requirements(&self, aspect: vk::ImageAspectFlags) -> (u64, u64) {
        let bytes = self.memory_of(aspect).map_or(0, |memory| memory.bytes);
        (bytes.next_multiple_of(ALIGNMENT), ALIGNMENT)
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
        own.bound.set((memory, offset)).map_err(|_| Error::Invalid { what: "an image is bound twice" })
    }

    /// The memory of its first plane, for the processor.
    pub fn memory(&self) -> Option<&(Arc<Allocation>, u64)> {
        self.memories.first()?.bound.get()
    }

    /// The memory of a plane from the image's first byte there on, for the processor.
    pub fn window(&self, plane: &Plane) -> Option<Window> {
        let (memory, offset) = self.memories.get(plane.memory)?.bound.get()?;
        memory.window(*offset)
    }

    /// The first address of a plane.
    pub fn address(&self, plane: &Plane) -> u64 {
        let bound = self.memories.get(plane.memory).and_then(|memory| memory.bound.get());
        bound.map_or(0, |(memory, offset)| memory.address + offset) + plane.offset
    }

    /// The plane with an aspect.
    pub fn plane(&self, aspect: vk::ImageAspectFlags) -> Option<&Plane> {
        use vk::ImageAspectFlags as A;
        match aspect {
            A::STENCIL => self.planes.last(),
            A::PLANE_1 => self.planes.get(1),
            A::PLANE_2 => self.planes.get(2),
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
            PlaneLayout::Tiled(layout) => {
                u64::from(layout.level(level).stride) * u64::from(plane.format.bytes * self.info.samples)
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

/// Whether shaders compute the addresses of texels, which atomics do and which needs a linear layout.
fn needs_rows(info: &ImageInfo) -> bool {
    let atomic = matches!(info.format, vk::Format::R32_UINT | vk::Format::R32_SINT);
    atomic && info.usage.contains(vk::ImageUsageFlags::STORAGE) && info.levels == 1 && info.samples == 1
}

fn plane_layout(info: &ImageInfo, format: &FormatDesc) -> PlaneLayout {
    if info.linear || needs_rows(info) {
        let [width, height] = [0, 1].map(|axis| u64::from(info.size[axis].div_ceil(format.block[axis])));
        let is_rendered = info.usage.contains(vk::ImageUsageFlags::COLOR_ATTACHMENT);
        let alignment = if is_rendered { RENDERED_ROW } else { LINEAR[0] };
        let row = (width * u64::from(format.bytes)).next_multiple_of(alignment);
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
            linear: false,
            disjoint: false,
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
            linear: true,
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
    fn what_atomics_reach_is_linear() {
        let atomic = ImageInfo { usage: vk::ImageUsageFlags::STORAGE, ..info(vk::Format::R32_UINT) };
        let image = Image::new(atomic).expect("there");
        assert_eq!(image.planes[0].layout, PlaneLayout::Linear([400, 16000]));
        let usage = atomic.usage | vk::ImageUsageFlags::COLOR_ATTACHMENT;
        let image = Image::new(ImageInfo { usage, ..atomic }).expect("there");
        assert_eq!(image.planes[0].layout, PlaneLayout::Linear([512, 20480]));
        assert!(matches!(
            Image::new(info(vk::Format::R32_UINT)).expect("there").planes[0].layout,
            PlaneLayout::Tiled(_)
        ));
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
}
