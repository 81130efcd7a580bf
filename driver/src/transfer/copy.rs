//! Copies between images, and between images and memory.

use ash::vk;

use super::stretch;
use crate::Error;
use crate::command::Recorder;
use crate::format::{self, FormatDesc};
use crate::image::{Image, Plane, PlaneLayout};
use crate::kernels::Kernel;
use crate::view::{Dimension, Part};
use crate::words::Direct;

/// A position in a level of an image: texels, and the first layer or slice.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Box3 {
    /// Aspect.
    pub aspect: vk::ImageAspectFlags,
    /// Level.
    pub level: u32,
    /// First texel; the third number is the first layer or slice.
    pub at: [u32; 3],
}

/// A copy between images.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ImageCopy {
    /// Source.
    pub from: Box3,
    /// Destination.
    pub to: Box3,
    /// Texels of the source, and layers or slices.
    pub size: [u32; 3],
}

/// A copy between memory and an image.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BufferImageCopy {
    /// Address.
    pub address: u64,
    /// Texels per row in memory; 0 for the width of the copy.
    pub row: u32,
    /// Rows per slice in memory; 0 for the height of the copy.
    pub rows: u32,
    /// Position in the image.
    pub image: Box3,
    /// Texels, and layers or slices.
    pub size: [u32; 3],
}

/// A side of a copy.
#[derive(Clone, Copy)]
enum Side<'i> {
    Image(&'i Image, &'i Plane, Box3),
    /// Address, elements per row, elements per slice.
    Memory(u64, u32, u32),
}

/// A size or position in blocks instead of texels, along the first two axes.
pub(crate) fn blocks(texels: [u32; 3], plane: &Plane) -> [u32; 3] {
    let [width, height] = plane.format.block;
    [texels[0].div_ceil(width), texels[1].div_ceil(height), texels[2]]
}

/// Blocks of a row, and rows of blocks of a slice, in memory: those given in texels, or those of the copy if 0 is given.
pub(crate) fn pitches(given: [u32; 2], size: [u32; 3], plane: &Plane) -> [u32; 2] {
    let [row, rows] = [0, 1].map(|axis| if given[axis] == 0 { size[axis] } else { given[axis] });
    let [row, rows, _] = blocks([row, rows, 1], plane);
    [row, rows]
}

/// A level of an image, with elements interpreted in `format`, bits of their size: texels, or pixels with all their samples,
/// which have the layout of texels of the same size.
fn shown(image: &Image, plane: &Plane, level: u32, format: &'static FormatDesc) -> Direct {
    Direct::Texture(image.transferred(plane, level, true, || {
        let part = Part { dimension: Dimension::PlaneArray, ..Part::slices(image, plane, format, level) };
        [part.texture(), part.stored()]
    }))
}

/// Memory with elements as large as those of `format`, and the index of the first. Elements smaller than a word are
/// accessed as texels of a texel buffer.
fn memory(format: &FormatDesc, address: u64) -> (Direct, u32) {
    match format.bytes {
        1 | 2 => {
            let (descriptors, start) = stretch(format, address);
            (Direct::Texture(descriptors), start)
        }
        _ => (Direct::Buffer(address, u32::MAX.into()), 0),
    }
}

/// The kernel for elements as large as those of `format`: less than a word, 4, 8, 16 bytes.
fn sized(format: &FormatDesc, [less, words, pairs, quads]: [Kernel; 4]) -> Kernel {
    match format.bytes {
        1 | 2 => less,
        4 => words,
        8 => pairs,
        _ => quads,
    }
}

impl Side<'_> {
    /// Whether descriptors can represent the elements as texels.
    fn has_texels(&self) -> bool {
        match self {
            Side::Image(_, plane, _) => !plane.format.is_compressed(),
            Side::Memory(..) => true,
        }
    }

    /// First address and parameters for the program that copies words.
    fn words(&self, element_words: u32) -> (u64, [u32; 8]) {
        match *self {
            Side::Memory(address, row, plane) => (address, [0, 0, 0, row, plane * element_words, 0, 0, 0]),
            Side::Image(image, plane, place) => {
                let [x, y, z] = blocks(place.at, plane);
                let start = image.address(plane) + plane.level_offset(place.level);
                let stride = (plane.layer_stride() / 4) as u32;
                let level = match plane.layout {
                    PlaneLayout::Linear([row, _]) => [(row / u64::from(4 * element_words)) as u32, 0, 0],
                    PlaneLayout::Tiled(layout) => {
                        let level = layout.level(place.level);
                        [level.stride, level.tile[0], level.tile[1]]
                    }
                };
                (start, [x, y, z, level[0], stride, level[1], level[2], 0])
            }
        }
    }
}

impl Recorder {
    fn copy_sides(&mut self, from: Side<'_>, to: Side<'_>, bytes: u32, size: [u32; 3]) -> Result<(), Error> {
        let texels = format::bits(bytes).filter(|_| from.has_texels() && to.has_texels());
        let Some(format) = texels else {
            let count = bytes / 4;
            let ((source, first), (place, second)) = (from.words(count), to.words(count));
            let parameters = [first.as_slice(), &second, &[count]].concat();
            let most = u64::from(u32::MAX);
            let list = [Direct::Buffer(source, most), Direct::Buffer(place, most)];
            return self.run_kernel(Kernel::CopyWords, &parameters, &list, size);
        };
        match (from, to) {
            (Side::Image(from, first, source), Side::Image(to, second, place)) => {
                let list = [shown(from, first, source.level, format), shown(to, second, place.level, format)];
                let ([x, y, z], [u, v, w]) = (source.at, place.at);
                self.run_kernel(Kernel::Copy, &[x, y, z, 0, u, v, w], &list, size)
            }
            (Side::Image(image, texels, place), Side::Memory(address, row, plane)) => {
                use Kernel::*;
                let kernel = sized(format, [TexelsToStretch, TexelsToWords, TexelsToPairs, TexelsToQuads]);
                let (memory, start) = memory(format, address);
                let ([x, y, z], list) = (place.at, [shown(image, texels, place.level, format), memory]);
                self.run_kernel(kernel, &[x, y, z, row, plane, start], &list, size)
            }
            (Side::Memory(address, row, plane), Side::Image(image, texels, place)) => {
                use Kernel::*;
                let kernel = sized(format, [StretchToTexels, WordsToTexels, PairsToTexels, QuadsToTexels]);
                let (memory, start) = memory(format, address);
                let ([x, y, z], list) = (place.at, [memory, shown(image, texels, place.level, format)]);
                self.run_kernel(kernel, &[x, y, z, row, plane, start], &list, size)
            }
            (Side::Memory(..), Side::Memory(..)) => Err(Error::Invalid { what: "a copy without image" }),
        }
    }

    /// Copies between images.
    ///
    /// # Errors
    /// Out of memory.
    pub fn copy_image(&mut self, from: &Image, to: &Image, copy: &ImageCopy) -> Result<(), Error> {
        let (source, place) = (from.copied(copy.from.aspect)?, to.copied(copy.to.aspect)?);
        let bytes = source.format.bytes * from.info.samples;
        let size = blocks(copy.size, source);
        let sides = [Side::Image(from, source, copy.from), Side::Image(to, place, copy.to)];
        self.copy_sides(sides[0], sides[1], bytes, size)
    }

    /// Copies from memory to an image.
    ///
    /// # Errors
    /// Out of memory.
    pub fn copy_to_image(&mut self, image: &Image, copy: &BufferImageCopy) -> Result<(), Error> {
        let (memory, shown, bytes, size) = sides(image, copy)?;
        self.copy_sides(memory, shown, bytes, size)
    }

    /// Copies a row of multisampled pixels, whose samples are consecutive in memory, to every row of a box of an image.
    pub(super) fn copy_row(
        &mut self,
        image: &Image,
        place: Box3,
        address: u64,
        size: [u32; 3],
    ) -> Result<(), Error> {
        let plane = image.copied(place.aspect)?;
        let bytes = plane.format.bytes * image.info.samples;
        self.copy_sides(Side::Memory(address, 0, 0), Side::Image(image, plane, place), bytes, size)
    }

    /// Copies from an image to memory.
    ///
    /// # Errors
    /// Out of memory.
    pub fn copy_from_image(&mut self, image: &Image, copy: &BufferImageCopy) -> Result<(), Error> {
        let (memory, shown, bytes, size) = sides(image, copy)?;
        self.copy_sides(shown, memory, bytes, size)
    }
}

/// Memory, image, bytes per element, number of elements.
type Sides<'i> = (Side<'i>, Side<'i>, u32, [u32; 3]);

fn sides<'i>(image: &'i Image, copy: &BufferImageCopy) -> Result<Sides<'i>, Error> {
    let plane = image.copied(copy.image.aspect)?;
    let [row, rows] = pitches([copy.row, copy.rows], copy.size, plane);
    let size = blocks(copy.size, plane);
    let memory = Side::Memory(copy.address, row, row * rows);
    Ok((memory, Side::Image(image, plane, copy.image), plane.format.bytes, size))
}
