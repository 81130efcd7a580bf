//! The area of a texture that a pixel covers: the level of detail, and the samples of an anisotropic filter.

use crate::textures::{Sampler, Texture};

/// The area that a lookup covers.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Footprint {
    /// Level of detail relative to the first level, unclamped.
    pub(crate) lod: f32,
    /// Samples along the longer axis.
    pub(crate) taps: u32,
    /// The longer axis, in coordinates.
    pub(crate) along: [f32; 3],
}

impl Footprint {
    /// A footprint without extent.
    pub(crate) fn at_level(lod: f32) -> Footprint {
        Footprint { lod, taps: 1, along: [0.0; 3] }
    }

    /// The footprint of derivatives of the coordinates, x then y. The ratio of the longer to the shorter axis
    /// determines the number of samples, up to the sampler's limit; each sample covers an equal share of the longer
    /// axis.
    pub(crate) fn new(texture: &Texture, sampler: &Sampler, dx: [f32; 3], dy: [f32; 3]) -> Footprint {
        let lengths = [dx, dy].map(|derivative| length(texture, sampler, derivative));
        let (longer, shorter) = (lengths[0].max(lengths[1]), lengths[0].min(lengths[1]));
        let most = sampler.anisotropy as f32;
        let taps = match longer > 0.0 && shorter > 0.0 {
            true => libm::ceilf(libm::sqrtf(longer / shorter)).min(most).max(1.0),
            false if longer > 0.0 => most,
            false => 1.0,
        };
        let along = if lengths[0] >= lengths[1] { dx } else { dy };
        // Half the logarithm of the square; an empty footprint has the finest level.
        let lod = if longer > 0.0 { libm::log2f(longer) / 2.0 - libm::log2f(taps) } else { -126.0 };
        Footprint { lod, taps: taps as u32, along }
    }
}

/// The square of the length of a derivative, in texels.
fn length(texture: &Texture, sampler: &Sampler, derivative: [f32; 3]) -> f32 {
    let extent = texture.extent(texture.first_level);
    let axes = texture.dimension.axes;
    let scale = |axis: usize| match () {
        () if sampler.pixel_coordinates => 1.0,
        // A face spans two units of a direction.
        () if texture.dimension.cube => extent[0] as f32 / 2.0,
        () => extent[axis] as f32,
    };
    (0..axes).map(|axis| derivative[axis] * scale(axis)).map(|texels| texels * texels).sum()
}
