//! Clears, blits and resolves.

use ash::vk;

use crate::Error;
use crate::command::Recorder;
use crate::format::FormatDesc;
use crate::image::Image;
use crate::kernels::Kernel;
use crate::sampler::{Sampler, SamplerInfo};
use crate::transfer::Box3;
use crate::view::{Descriptor, Dimension, ImageView, Part};
use crate::words::Direct;

/// A blit: two corners on each side, in any order. The third coordinate is a layer or a slice.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Blit {
    /// Aspect.
    pub aspect: vk::ImageAspectFlags,
    /// Level on each side.
    pub levels: [u32; 2],
    /// Corners of the source.
    pub from: [[i32; 3]; 2],
    /// Corners of the destination.
    pub to: [[i32; 3]; 2],
    /// Whether the filter is linear.
    pub linear: bool,
}

/// What a pixel becomes of its samples.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Resolve {
    /// The first.
    First,
    /// Their mean. Integers have none; theirs is the first.
    Mean,
    /// The least.
    Least,
    /// The greatest.
    Most,
}

impl Resolve {
    /// Vulkan's mode; `None` if nothing is resolved.
    pub fn from_mode(mode: vk::ResolveModeFlags) -> Option<Resolve> {
        match mode {
            vk::ResolveModeFlags::NONE => None,
            vk::ResolveModeFlags::AVERAGE => Some(Resolve::Mean),
            vk::ResolveModeFlags::MIN => Some(Resolve::Least),
            vk::ResolveModeFlags::MAX => Some(Resolve::Most),
            _ => Some(Resolve::First),
        }
    }

    /// The program for a format. Only depth and stencil have a least and a greatest sample.
    fn kernel(self, format: &FormatDesc) -> Kernel {
        let first = [Kernel::ResolveFloat, Kernel::ResolveUint, Kernel::ResolveSint];
        match (self, format.is_integer()) {
            (Resolve::First, _) | (Resolve::Mean, true) => typed(format, first),
            (Resolve::Mean, false) => Kernel::ResolveMean,
            (Resolve::Least, false) => Kernel::ResolveLeastFloat,
            (Resolve::Least, true) => Kernel::ResolveLeastUint,
            (Resolve::Most, false) => Kernel::ResolveMostFloat,
            (Resolve::Most, true) => Kernel::ResolveMostUint,
        }
    }
}

/// What is for a format: of floats, of unsigned and of signed integers.
pub(crate) fn typed<T>(format: &FormatDesc, of: [T; 3]) -> T {
    let [float, unsigned, signed] = of;
    match (format.is_integer(), format.is_signed()) {
        (false, _) => float,
        (true, false) => unsigned,
        (true, true) => signed,
    }
}

/// An image, and the format in which its texels are interpreted.
#[derive(Clone, Copy, Debug)]
pub struct Shown<'i> {
    image: &'i Image,
    format: &'static FormatDesc,
}

impl<'i> From<&'i Image> for Shown<'i> {
    fn from(image: &'i Image) -> Self {
        Shown { image, format: image.format }
    }
}

impl<'i> From<&'i ImageView> for Shown<'i> {
    fn from(view: &'i ImageView) -> Self {
        Shown { image: &view.image, format: view.format }
    }
}

impl<'i> Shown<'i> {
    /// A level as a 2D array; an aspect of depth or stencil has the format of its plane.
    fn part(self, aspect: vk::ImageAspectFlags, level: u32) -> Result<Part<'i>, Error> {
        let Some(plane) = self.image.plane(aspect) else {
            return Err(Error::Invalid { what: "an aspect that the image does not have" });
        };
        let format = if self.image.format.is_depth_stencil() { plane.format } else { self.format };
        Ok(Part::slices(self.image, plane, format, level))
    }
}

/// The descriptors of a part that is all slices of a level: for loads and stores.
fn accessed(part: &Part<'_>) -> [Descriptor; 2] {
    let make = || [part.texture(), part.stored()];
    match std::ptr::eq(part.format, part.plane.format) {
        true => part.image.transferred(part.plane, part.levels[0], false, make),
        false => make(),
    }
}

/// Bits of three floats, with padding.
fn floats([x, y, z]: [f32; 3]) -> [u32; 4] {
    [x.to_bits(), y.to_bits(), z.to_bits(), 0]
}

impl Recorder {
    /// Fills a box of an image; `value` has the bits of floats or integers, by the type of the format.
    ///
    /// # Errors
    /// Out of memory.
    pub fn clear_box(
        &mut self,
        shown: Shown<'_>,
        place: Box3,
        size: [u32; 3],
        value: [u32; 4],
    ) -> Result<(), Error> {
        let part = shown.part(place.aspect, place.level)?;
        if shown.image.info.samples > 1 {
            return self.clear_samples(&part, place, size, value);
        }
        let kernel = typed(part.format, [Kernel::FillFloat, Kernel::FillUint, Kernel::FillSint]);
        let [x, y, z] = place.at;
        let [a, b, c, d] = value;
        let parameters = [a, b, c, d, x, y, z];
        self.run_kernel(kernel, &parameters, &[Direct::Texture(accessed(&part))], size)
    }

    /// Fills a box of a multisampled image: fills one texel and copies its bits.
    fn clear_samples(
        &mut self,
        part: &Part<'_>,
        place: Box3,
        size: [u32; 3],
        value: [u32; 4],
    ) -> Result<(), Error> {
        let samples = part.image.info.samples;
        let bytes = part.format.bytes * samples;
        // A multisampled pixel has the same bits as adjacent pixels with one sample.
        let room = self.upload.put(&[0; 256], 16)?;
        let ([_, stored], _) = super::stretch(part.format, room);
        let kernel = typed(part.format, [Kernel::FillFloat, Kernel::FillUint, Kernel::FillSint]);
        let [a, b, c, d] = value;
        let parameters = [a, b, c, d, 0, 0, 0];
        self.run_kernel(kernel, &parameters, &[Direct::Texture([stored; 2])], [samples, 1, 1])?;
        self.spread(part.image, place, size, [room, u64::from(bytes)])
    }

    /// Copies one element of memory to every pixel of a box.
    fn spread(
        &mut self,
        image: &Image,
        place: Box3,
        size: [u32; 3],
        [from, bytes]: [u64; 2],
    ) -> Result<(), Error> {
        let width = u64::from(size[0]) * bytes;
        let memory = self.upload.put(&vec![0; width as usize], 16)?;
        self.copy_memory(from, memory, bytes)?;
        // Double the filled part until the row is full; then copy it to every row of the box.
        let mut have = bytes;
        while have < width {
            let more = have.min(width - have);
            self.copy_memory(memory, memory + have, more)?;
            have += more;
        }
        self.copy_row(image, place, memory, size)
    }

    /// Scales a box of one image to a box of another.
    ///
    /// # Errors
    /// Out of memory.
    pub fn blit(&mut self, from: &Image, to: &Image, blit: &Blit) -> Result<(), Error> {
        let (source, place) = (
            Shown::from(from).part(blit.aspect, blit.levels[0])?,
            Shown::from(to).part(blit.aspect, blit.levels[1])?,
        );
        // Iterate upwards over the destination; the source may be traversed downwards.
        let (mut start, mut step, mut at, mut size) = ([0.0; 3], [0.0; 3], [0; 3], [0; 3]);
        for axis in 0..3 {
            let ([a, b], [c, d]) = (blit.to.map(|corner| corner[axis]), blit.from.map(|corner| corner[axis]));
            let ([low, high], [first, last]) = if a <= b { ([a, b], [c, d]) } else { ([b, a], [d, c]) };
            (at[axis], size[axis]) = (low as u32, (high - low) as u32);
            start[axis] = first as f32;
            step[axis] = (last - first) as f32 / (high - low).max(1) as f32;
        }
        let extent = from.extent(blit.levels[0]);
        let most = [extent[0] - 1, extent[1] - 1, from.slices(blit.levels[0]) - 1];
        let inverse = [extent[0], extent[1], from.slices(blit.levels[0])].map(|side| 1.0 / side as f32);
        let pad = |[x, y, z]: [u32; 3]| [x, y, z, 0];
        let parameters = [pad(at), floats(start), floats(step), pad(most), floats(inverse)].concat();
        let volume = from.info.kind == vk::ImageType::TYPE_3D;
        let linear = blit.linear && !source.format.is_integer();
        let kernel = match (linear, volume) {
            (true, true) => Kernel::BlitVolume,
            (true, false) => Kernel::BlitLinear,
            (false, _) => typed(source.format, [Kernel::BlitFloat, Kernel::BlitUint, Kernel::BlitSint]),
        };
        let shown = match linear && volume {
            true => [Part { dimension: Dimension::Volume, ..source }.texture(); 2],
            false => accessed(&source),
        };
        let mut list = vec![Direct::Texture(shown), Direct::Texture(accessed(&place))];
        if linear {
            list.push(Direct::Sampler(filtered()));
        }
        self.run_kernel(kernel, &parameters, &list, size)
    }

    /// Resolves the samples of a box.
    ///
    /// # Errors
    /// Out of memory.
    pub fn resolve(
        &mut self,
        [from, to]: [Shown<'_>; 2],
        [source, place]: [Box3; 2],
        size: [u32; 3],
        mode: Resolve,
    ) -> Result<(), Error> {
        let destination = to.part(place.aspect, place.level)?;
        for layer in 0..size[2] {
            let all = from.part(source.aspect, source.level)?;
            let layers = [source.at[2] + layer, 1];
            let part = Part { dimension: Dimension::PlaneSamples, layers, ..all };
            let [x, y, z] = place.at;
            let parameters = [x, y, z + layer, from.image.info.samples, source.at[0], source.at[1]];
            let list = [Direct::Texture([part.texture(); 2]), Direct::Texture(accessed(&destination))];
            self.run_kernel(mode.kernel(part.format), &parameters, &list, [size[0], size[1], 1])?;
        }
        Ok(())
    }
}

/// The sampler for linear blits.
fn filtered() -> Sampler {
    Sampler::new(&SamplerInfo {
        custom: None,
        filters: [vk::Filter::LINEAR; 2],
        levels: vk::SamplerMipmapMode::NEAREST,
        wrap: [vk::SamplerAddressMode::CLAMP_TO_EDGE; 3],
        anisotropy: None,
        compare: None,
        bias: 0.0,
        lod: [0.0, 0.0],
        border: vk::BorderColor::FLOAT_TRANSPARENT_BLACK,
        pixels: false,
        seams: false,
    })
}
