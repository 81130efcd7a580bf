//! Registers, uniforms and coefficients of fragment shaders.
//!
//! The layout is that of programs composed of parts (Mesa 25.0 AGX compiler): the main part passes colours,
//! depth, stencil and sample mask in registers; an epilog tests, blends and stores.

use crate::layout::{InterfaceUniform, UniformRange, UniformSource};
use crate::linking::MovedSteps;
use crate::textures::{DESCRIPTOR_BYTES, Field};
use crate::vertex::{Output, Varying};

/// Half index of r0h: with per-sample shading, the mask of samples being shaded, set at the start and
/// preserved to the end.
pub const SAMPLES: u8 = 1;

/// Half index of r2: the depth, if the shader writes one.
pub const DEPTH: u8 = 4;

/// Half index of r3l: the stencil value, if the shader writes one.
pub const STENCIL: u8 = 6;

/// Half index of r3h: the mask of samples to store, for shaders with forced early tests.
pub const SAMPLE_MASK: u8 = 7;

/// Number of render targets.
pub const MAX_TARGETS: u32 = 8;

/// The target whose registers hold the second colour for dual-source blending.
pub const SECOND_SOURCE: u32 = 1;

/// Half index of component `component` of the colour of target `target`: r(4 (target + 1)) and the following
/// three; `None` for targets that do not exist.
pub fn colour_register(target: u32, component: u32) -> Option<u8> {
    (target < MAX_TARGETS && component < 4).then(|| 8 * (target as u8 + 1) + 2 * component as u8)
}

/// Half-words at the start of the uniform file that are reserved for the parts of a fragment shader.
pub const RESERVED_HALVES: u16 = 16;

/// The uniforms at the start of the file: texture heap of the render targets in u0 and u1, blend constant in u2 to u5,
/// root descriptor in u6 and u7.
pub const UNIFORMS: [UniformRange; 3] = [
    range(0, 4, InterfaceUniform::TargetHeap),
    range(4, 8, InterfaceUniform::BlendConstant),
    range(12, 4, InterfaceUniform::RootDescriptor),
];

/// The texture heap of the render targets: for each target a texture descriptor followed by an image
/// descriptor. Only those of spilled targets are read, see [`crate::tile::TileLayout::spilled`].
///
/// Both describe a 2D array, whose layer is the layer being rendered. The hardware stores to no image with samples, so
/// the image descriptor of a target with samples is a plane of rows of [`TargetHeap::SAMPLES_PER_ROW`] samples in the
/// order of memory, and [`SampledTarget`] says where a sample is; the texture descriptor is a 2D array with samples.
#[derive(Clone, Copy, Debug)]
pub struct TargetHeap;

impl TargetHeap {
    /// Its size in bytes.
    pub const BYTES: u32 = (2 * DESCRIPTOR_BYTES + SampledTarget::BYTES as u32) * MAX_TARGETS;
    /// Samples in a row of the plane that stands for a target with samples.
    pub const SAMPLES_PER_ROW: u32 = 1 << 14;

    /// Byte offset of the descriptor with which a target is loaded.
    pub fn texture_offset(target: u32) -> u32 {
        2 * DESCRIPTOR_BYTES * target
    }

    /// Byte offset of the descriptor with which a target is stored.
    pub fn image_offset(target: u32) -> u32 {
        Self::texture_offset(target) + DESCRIPTOR_BYTES
    }

    /// Byte offset of the [`SampledTarget`] of a target.
    pub fn sampled_offset(target: u32) -> u32 {
        2 * DESCRIPTOR_BYTES * MAX_TARGETS + SampledTarget::BYTES as u32 * target
    }
}

/// Where the samples of a target are: the first of a texel has the number of the texel in memory times the samples of a
/// texel.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SampledTarget {
    /// Width and height in texels of a tile, within which texels are in Morton order; powers of two, at most 128.
    pub tile: [u32; 2],
    /// Texels of a row of tiles along x.
    pub stride: u32,
    /// Samples between layers.
    pub layer_samples: u32,
}

impl SampledTarget {
    /// Its size in bytes: the last column and row of a tile as halves of a word, then the other numbers as words.
    pub const BYTES: usize = 16;

    /// Its fields in the texture descriptor of a storage image.
    pub fn fields(self) -> [(Field, u32); 4] {
        use crate::textures::*;
        let [column, row] = self.tile.map(|side| side.saturating_sub(1));
        [
            (SAMPLED_LAST_COLUMN, column),
            (SAMPLED_LAST_ROW, row),
            (SAMPLED_STRIDE, self.stride),
            (SAMPLED_LAYER, self.layer_samples),
        ]
    }

    /// Its bytes in the heap.
    pub fn bytes(self) -> [u8; Self::BYTES] {
        let [column, row] = self.tile.map(|side| side.saturating_sub(1) & 0xffff);
        let mut bytes = [0; Self::BYTES];
        let words = [column | row << 16, self.stride, self.layer_samples];
        bytes.iter_mut().zip(words.into_iter().flat_map(u32::to_le_bytes)).for_each(|(to, from)| *to = from);
        bytes
    }
}

/// The root descriptor, read by prologs and epilogs.
#[derive(Clone, Copy, Debug)]
pub struct RootDescriptor;

impl RootDescriptor {
    /// Its size in bytes.
    pub const BYTES: usize = 16;
    /// Byte offset of the 64-bit address of the counter of fragment invocations.
    pub const INVOCATIONS_OFFSET: u32 = 0;
    /// Byte offset of the 64-bit address of the polygon stipple: 32 words, the first row first, the first pixel in the
    /// most significant bit (OpenGL).
    pub const STIPPLE_OFFSET: u32 = 8;
}

const fn range(start: u16, halves: u16, uniform: InterfaceUniform) -> UniformRange {
    UniformRange { start, halves, source: UniformSource::Interface(uniform) }
}

/// A vertex of a primitive, in the order of its list or strip.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub enum Corner {
    /// The first one.
    #[default]
    First,
    /// The second one of a triangle. As provoking vertex, the first one of a triangle of a fan after the centre.
    Second,
    /// The last one.
    Third,
}

/// How a value is interpolated across a primitive.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Interpolation {
    /// The value of the provoking vertex.
    Flat,
    /// Linear in screen space.
    Linear,
    /// Perspective-correct: the coefficients hold the value divided by w.
    Perspective,
    /// The value of a certain vertex.
    Corner(Corner),
}

impl Interpolation {
    /// Whether it is the value of one vertex.
    pub fn is_flat(self) -> bool {
        matches!(self, Interpolation::Flat | Interpolation::Corner(_))
    }
}

/// The contents of a coefficient register.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum CoefficientSource {
    /// 1/w.
    OneOverW,
    /// Depth.
    Depth,
    /// Horizontal position within a point, 0 to 1 from left to right.
    PointX,
    /// Vertical position within a point, 0 to 1 from top to bottom.
    PointY,
    /// The viewport index from the vertex shader; flat.
    Viewport,
    /// Number of the primitive, an integer; flat. It is that of the vertex outputs if they have one, else the
    /// hardware's, which counts the primitives of a draw.
    PrimitiveId,
    /// A clip distance divided by w.
    ClipDistance(u32),
    /// A cull distance divided by w.
    CullDistance(u32),
    /// x, y or w of the clip-space position, by number 0 to 2, divided by w.
    Position(u32),
    /// x, y or w of the clip-space position of a vertex; flat.
    CornerPosition {
        /// Number 0 to 2 of x, y or w.
        component: u32,
        /// The vertex.
        corner: Corner,
    },
    /// The flag of a cull distance: all coefficients are 0 if the primitive is culled.
    Culled(u32),
    /// A component of a location.
    User {
        /// Location.
        location: u32,
        /// Component, 0 to 3.
        component: u32,
        /// Its interpolation.
        interpolation: Interpolation,
    },
}

/// The coefficients with which a fragment prolog discards culled primitives, for a vertex shader with these
/// output slots.
pub fn cull_flags(varyings: &[Varying]) -> impl Iterator<Item = CoefficientSource> {
    varyings.iter().filter_map(|varying| match varying.output {
        Output::Culled(index) => Some(CoefficientSource::Culled(index)),
        _ => None,
    })
}

impl CoefficientSource {
    /// The vertex shader output that it interpolates; `None` for values that the hardware or the driver
    /// provides.
    pub fn output(self) -> Option<Output> {
        Some(match self {
            CoefficientSource::User { location, component, .. } => Output::User { location, component },
            CoefficientSource::Viewport => Output::Viewport,
            CoefficientSource::PrimitiveId => Output::PrimitiveId,
            CoefficientSource::ClipDistance(index) => Output::ReadClipDistance(index),
            CoefficientSource::CullDistance(index) => Output::CullDistance(index),
            CoefficientSource::Position(component) => Output::ReadPosition(component),
            CoefficientSource::CornerPosition { component, .. } => Output::CornerPosition(component),
            CoefficientSource::Culled(index) => Output::Culled(index),
            _ => return None,
        })
    }

    /// Its interpolation across a primitive.
    pub fn interpolation(self) -> Interpolation {
        match self {
            CoefficientSource::User { interpolation, .. } => interpolation,
            CoefficientSource::Viewport | CoefficientSource::PrimitiveId => Interpolation::Flat,
            CoefficientSource::ClipDistance(_)
            | CoefficientSource::CullDistance(_)
            | CoefficientSource::Position(_) => Interpolation::Perspective,
            CoefficientSource::CornerPosition { corner, .. } => Interpolation::Corner(corner),
            _ => Interpolation::Linear,
        }
    }
}

/// How the depths that a shader writes relate to those of its primitive.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum DepthLayout {
    /// No guarantee.
    #[default]
    Any,
    /// Not less.
    Greater,
    /// Not greater.
    Less,
    /// Equal.
    Unchanged,
}

impl DepthLayout {
    /// Lower-case name.
    pub fn name(self) -> &'static str {
        match self {
            DepthLayout::Any => "any",
            DepthLayout::Greater => "greater",
            DepthLayout::Less => "less",
            DepthLayout::Unchanged => "unchanged",
        }
    }
}

/// Encodes sample positions for pixels of `positions.len()` samples: byte i holds the distance of sample i
/// from the pixel's corner, to the right in the low four bits and down in the high four bits, in sixteenths
/// of a pixel.
pub fn pack_sample_positions(positions: &[[f64; 2]]) -> u32 {
    let sixteenths = |x: f64| (16.0 * x) as u32 & 15;
    (0..)
        .zip(positions)
        .fold(0, |word, (sample, [x, y])| word | (sixteenths(*x) | sixteenths(*y) << 4) << (8 * sample))
}

/// The sample positions of pixels with 1, 2 or 4 samples: the standard positions of the graphics APIs.
pub fn standard_sample_positions(samples: u32) -> &'static [[f64; 2]] {
    match samples {
        2 => &[[0.75, 0.75], [0.25, 0.25]],
        4 => &[[0.375, 0.125], [0.875, 0.375], [0.125, 0.625], [0.625, 0.875]],
        _ => &[[0.5, 0.5]],
    }
}

/// Number of coefficient registers that instructions can address.
pub const MAX_COEFFICIENTS: u32 = 256;

/// Information about a fragment shader for its driver.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct FragmentInfo {
    /// The contents of the coefficient registers, from 0 on.
    pub coefficients: Vec<CoefficientSource>,
    /// Operations on inputs that the vertex shader must execute, if the fragment shader was compiled for one.
    pub moved: Vec<MovedSteps>,
    /// For each render target a mask of the components that are passed in registers, bit 0 the first; the
    /// registers of others are undefined. With `dual_source`, the second entry is the second colour of target
    /// 0.
    pub components: [u8; MAX_TARGETS as usize],
    /// The alpha of target 0 is 1 and not passed in a register.
    pub opaque: bool,
    /// There is a second colour for dual-source blending.
    pub dual_source: bool,
    /// Writes depth (r2).
    pub writes_depth: bool,
    /// The declared layout of that depth.
    pub depth_layout: DepthLayout,
    /// Writes stencil (r3l).
    pub writes_stencil: bool,
    /// Passes a mask of samples to store in r3h.
    pub writes_sample_mask: bool,
    /// Tests before the program would be too early: it kills samples, or writes their depth or stencil. The
    /// epilog runs the tests, after its own kills.
    pub late_tests: bool,
    /// Tests always run before the program.
    pub early_tests: bool,
    /// Helper lanes must run to the end, because derivatives are computed.
    pub needs_helpers: bool,
    /// The program runs per sample, with the sample's mask in r0h.
    pub sample_shading: bool,
    /// Render targets whose earlier contents matter, bit 0 the first: the program reads them, or does not write them. Earlier
    /// fragments must be shaded and stored first.
    pub reads_targets: u8,
    /// The main part stores to render targets itself, as in whole shaders.
    pub stores_targets: bool,
    /// Overlapping fragments execute a part of the program in order.
    pub interlock: bool,
}

impl FragmentInfo {
    /// Render targets written, bit 0 the first.
    pub fn targets(&self) -> u8 {
        let written = |target: &usize| self.components[*target] != 0 || (*target == 0 && self.opaque);
        (0..self.components.len()).filter(written).fold(0, |targets, target| targets | 1 << target)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colour_of_target_i_is_the_vector_that_begins_at_r_4_i_plus_1() {
        for target in 0..MAX_TARGETS {
            for component in 0..4 {
                let register = 4 * (target + 1) + component;
                assert_eq!(colour_register(target, component).map(u32::from), Some(2 * register));
            }
        }
        assert_eq!(colour_register(8, 0), None);
        assert_eq!(colour_register(0, 4), None);
    }

    #[test]
    fn dual_source_colour_is_in_r8_to_r11() {
        assert_eq!(colour_register(SECOND_SOURCE, 0), Some(16));
        assert_eq!(colour_register(SECOND_SOURCE, 3), Some(22));
    }

    #[test]
    fn r2_and_r3l_contain_depth_and_stencil_and_r3h_the_sample_mask() {
        assert_eq!([DEPTH, STENCIL, SAMPLE_MASK], [2 * 2, 2 * 3, 2 * 3 + 1]);
    }

    #[test]
    fn r0h_is_the_mask_of_samples_being_shaded() {
        assert_eq!(SAMPLES, crate::registers::NESTING_COUNTER + 1);
    }

    #[test]
    fn sample_positions_are_packed_in_sixteenths() {
        assert_eq!(pack_sample_positions(standard_sample_positions(1)), 0x88);
        assert_eq!(pack_sample_positions(standard_sample_positions(2)), 0x44cc);
        assert_eq!(pack_sample_positions(standard_sample_positions(4)), 0xea_a2_6e_26);
    }

    #[test]
    fn the_target_heap_has_a_texture_and_an_image_for_each_target() {
        let mut places: Vec<u32> = (0..MAX_TARGETS)
            .flat_map(|target| [TargetHeap::texture_offset(target), TargetHeap::image_offset(target)])
            .collect();
        places.push(TargetHeap::sampled_offset(0));
        assert!(places.windows(2).all(|pair| pair[1] - pair[0] == DESCRIPTOR_BYTES), "{places:?}");
    }

    #[test]
    fn uniforms_are_target_heap_blend_constant_root_descriptor() {
        let words = UNIFORMS.map(|range| (range.start / 2, (range.start + range.halves) / 2 - 1));
        assert_eq!(words, [(0, 1), (2, 5), (6, 7)]);
        assert!(UNIFORMS.iter().all(|range| range.start + range.halves <= RESERVED_HALVES));
    }
}
