//! Copies of texels by the processor, in host memory and in images.
//!
//! Host memory has rows of elements: texels, or blocks of compressed formats. The images are those of the device, in any of
//! their layouts.

use agx_device::words::Window;

use crate::Error;
use crate::image::{Image, Plane, PlaneLayout};
use crate::transfer::{Box3, ImageCopy, blocks, pitches};

/// A copy between host memory and an image.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct HostCopy {
    /// Texels per row in memory; 0 for the width of the copy.
    pub row: u32,
    /// Rows per slice in memory; 0 for the height of the copy.
    pub rows: u32,
    /// Position in the image.
    pub image: Box3,
    /// Texels, and layers or slices.
    pub size: [u32; 3],
}

/// A copy in elements.
struct Elements<'i> {
    image: &'i Image,
    plane: &'i Plane,
    place: Box3,
    /// Elements along each axis.
    size: [u32; 3],
    /// Bytes of an element.
    bytes: usize,
}

impl<'i> Elements<'i> {
    fn new(image: &'i Image, place: Box3, size: [u32; 3]) -> Result<Elements<'i>, Error> {
        let plane = image.copied(place.aspect)?;
        let [x, y, z] = blocks(place.at, plane);
        let place = Box3 { at: [x, y, z], ..place };
        Ok(Elements { image, plane, place, size: blocks(size, plane), bytes: plane.format.bytes as usize })
    }

    /// Calls `act` for each element: its byte in the memory of the plane, and its position in the copy.
    fn each(&self, mut act: impl FnMut(u64, [u32; 3])) {
        let [left, top, first] = self.place.at;
        for z in 0..self.size[2] {
            let slice = self.plane.offset + u64::from(first + z) * self.plane.layer_stride();
            for y in 0..self.size[1] {
                for x in 0..self.size[0] {
                    let at = [left + x, top + y];
                    let element = match self.plane.layout {
                        PlaneLayout::Linear([row, _]) => {
                            u64::from(at[1]) * row + u64::from(at[0]) * self.bytes as u64
                        }
                        PlaneLayout::Tiled(layout) => layout.offset(self.place.level, at, 0),
                    };
                    act(slice + element, [x, y, z]);
                }
            }
        }
    }

    fn window(&self) -> Result<Window, Error> {
        self.image.window(self.plane).ok_or(Error::Invalid { what: "a copy of an image without memory" })
    }
}

impl HostCopy {
    /// Elements of a row and of a slice in memory, as bytes.
    fn pitches(&self, plane: &Plane) -> [usize; 2] {
        let [row, rows] = pitches([self.row, self.rows], self.size, plane);
        let row = row as usize * plane.format.bytes as usize;
        [row, row * rows as usize]
    }

    /// The number of bytes in host memory from the first element to the end of the last.
    pub fn bytes(&self, image: &Image) -> usize {
        let Some(plane) = image.plane(self.image.aspect) else { return 0 };
        let [row, slice] = self.pitches(plane);
        let [width, height, depth] = blocks(self.size, plane).map(|side| side as usize);
        match [width, height, depth].contains(&0) {
            true => 0,
            false => (depth - 1) * slice + (height - 1) * row + width * plane.format.bytes as usize,
        }
    }

    /// Copies from host memory to the image.
    ///
    /// # Errors
    /// The image lacks the aspect, or has no memory.
    pub fn to_image(&self, image: &Image, from: &[u8]) -> Result<(), Error> {
        let elements = Elements::new(image, self.image, self.size)?;
        let (window, pitches) = (elements.window()?, self.pitches(elements.plane));
        elements.each(|to, at| {
            let start = place(at, pitches, elements.bytes);
            if let Some(element) = from.get(start..start + elements.bytes) {
                window.store(to, element);
            }
        });
        Ok(())
    }

    /// Copies from the image to host memory.
    ///
    /// # Errors
    /// As [`to_image`](Self::to_image).
    pub fn from_image(&self, image: &Image, to: &mut [u8]) -> Result<(), Error> {
        let elements = Elements::new(image, self.image, self.size)?;
        let (window, pitches) = (elements.window()?, self.pitches(elements.plane));
        elements.each(|from, at| {
            let start = place(at, pitches, elements.bytes);
            if let Some(element) = to.get_mut(start..start + elements.bytes) {
                window.load(from, element);
            }
        });
        Ok(())
    }
}

/// Copies between images.
///
/// # Errors
/// An image lacks the aspect, or has no memory.
pub fn copy_image(from: &Image, to: &Image, copy: &ImageCopy) -> Result<(), Error> {
    let (plane, to_plane) = (from.copied(copy.from.aspect)?, to.copied(copy.to.aspect)?);
    let source = HostCopy { row: 0, rows: 0, image: copy.from, size: copy.size };
    let mut bytes = vec![0; source.bytes(from)];
    source.from_image(from, &mut bytes)?;
    // Elements of both images have the same size, but blocks may have more texels on one side.
    let block = to_plane.format.block;
    let [width, height, depth] = blocks(copy.size, plane);
    let size = [width * block[0], height * block[1], depth];
    HostCopy { row: 0, rows: 0, image: copy.to, size }.to_image(to, &bytes)
}

/// The position of an element in host memory with these bytes per row and slice.
fn place([x, y, z]: [u32; 3], [row, slice]: [usize; 2], bytes: usize) -> usize {
    z as usize * slice + y as usize * row + x as usize * bytes
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use ash::vk;

    use super::*;
    use crate::device::Device;
    use crate::image::{Binding, ImageInfo};
    use crate::memory::Place;
    use crate::modifier::Tiling;

    fn image(device: &Device, format: vk::Format, linear: bool) -> Image {
        let image = Image::new(ImageInfo {
            format,
            kind: vk::ImageType::TYPE_2D,
            size: [150, 70, 1],
            levels: if linear { 1 } else { 3 },
            layers: 2,
            samples: 1,
            usage: vk::ImageUsageFlags::HOST_TRANSFER_EXT,
            tiling: if linear { Tiling::Linear } else { Tiling::Optimal },
            disjoint: false,
            binding: Binding::Whole,
        })
        .expect("a format");
        let (bytes, _) = image.requirements(vk::ImageAspectFlags::NONE);
        let memory = Arc::new(device.space.allocate(bytes, Place::High).expect("memory"));
        image.bind(vk::ImageAspectFlags::NONE, memory, 0).expect("unbound");
        image
    }

    fn at(level: u32, at: [u32; 3]) -> Box3 {
        Box3 { aspect: vk::ImageAspectFlags::COLOR, level, at }
    }

    #[test]
    fn copies_come_back_and_leave_the_rest() {
        let device = Device::in_test();
        for (linear, level) in [(true, 0), (false, 0), (false, 1)] {
            let image = image(&device, vk::Format::R8G8B8A8_UNORM, linear);
            // Rows of 13 texels, slices of 9 rows.
            let copy = HostCopy { row: 13, rows: 9, image: at(level, [60, 20, 0]), size: [11, 7, 2] };
            let bytes = copy.bytes(&image);
            assert_eq!(bytes, 4 * (13 * 9 + 13 * 6 + 11));
            let given: Vec<u8> = (0..bytes).map(|at| (at * 7 + at / 256) as u8 | 1).collect();
            copy.to_image(&image, &given).expect("bound");
            let mut back = vec![0; bytes];
            copy.from_image(&image, &mut back).expect("bound");
            for (place, (found, given)) in back.iter().zip(&given).enumerate() {
                // What lies between the rows and the slices is not copied.
                let (row, column) = (place / (4 * 13), place % (4 * 13));
                let wanted = if column < 4 * 11 && row % 9 < 7 { *given } else { 0 };
                assert_eq!(*found, wanted, "byte {place}, linear: {linear}");
            }
            let mut around = [0; 4];
            let beside = HostCopy { row: 0, rows: 0, image: at(level, [71, 20, 0]), size: [1, 1, 1] };
            beside.from_image(&image, &mut around).expect("bound");
            assert_eq!(around, [0; 4]);
        }
    }

    #[test]
    fn blocks_become_texels_of_their_size() {
        let device = Device::in_test();
        let blocks = image(&device, vk::Format::BC7_UNORM_BLOCK, false);
        let texels = image(&device, vk::Format::R32G32B32A32_UINT, false);
        // Four by two blocks.
        let given: Vec<u8> = (0..128).collect();
        let whole = HostCopy { row: 0, rows: 0, image: at(0, [8, 4, 1]), size: [16, 8, 1] };
        whole.to_image(&blocks, &given).expect("bound");
        let copy = ImageCopy { from: at(0, [8, 4, 1]), to: at(0, [3, 5, 0]), size: [16, 8, 1] };
        copy_image(&blocks, &texels, &copy).expect("bound");
        let mut back = [0; 128];
        let shown = HostCopy { row: 0, rows: 0, image: at(0, [3, 5, 0]), size: [4, 2, 1] };
        shown.from_image(&texels, &mut back).expect("bound");
        assert_eq!(back.as_slice(), given);
    }
}
