//! The tile buffer of a render pass, depth and stencil, and the primitive being shaded.
//!
//! Hardware keeps one tile at a time in local memory. Here the frame has all samples of the framebuffer; tiles only
//! determine the origin of coefficients, and the rows that threads of the host share.

use std::ops::Range;

use agx_abi::fragment::standard_sample_positions;

use crate::draw::DepthLimits;

/// Pixels along a tile's sides; coefficients are relative to the tile.
pub(crate) const TILE: u32 = 32;

/// Comparison of two depth or stencil values: `new OP old`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Comparison {
    /// Never passes.
    Never,
    /// Less.
    Less,
    /// Equal.
    Equal,
    /// Less or equal.
    LessEqual,
    /// Greater.
    Greater,
    /// Not equal.
    NotEqual,
    /// Greater or equal.
    GreaterEqual,
    /// Always passes.
    #[default]
    Always,
}

impl Comparison {
    pub(crate) fn holds<T: PartialOrd>(self, new: T, old: T) -> bool {
        match self {
            Comparison::Never => false,
            Comparison::Less => new < old,
            Comparison::Equal => new == old,
            Comparison::LessEqual => new <= old,
            Comparison::Greater => new > old,
            Comparison::NotEqual => new != old,
            Comparison::GreaterEqual => new >= old,
            Comparison::Always => true,
        }
    }
}

/// Operation on a stencil value.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum StencilOp {
    /// Keeps it.
    #[default]
    Keep,
    /// Sets it to 0.
    Zero,
    /// Sets it to the reference.
    Replace,
    /// Increments it up to 255.
    IncrementClamp,
    /// Decrements it down to 0.
    DecrementClamp,
    /// Inverts its bits.
    Invert,
    /// Increments it; 255 becomes 0.
    IncrementWrap,
    /// Decrements it; 0 becomes 255.
    DecrementWrap,
}

impl StencilOp {
    fn apply(self, old: u8, reference: u8) -> u8 {
        match self {
            StencilOp::Keep => old,
            StencilOp::Zero => 0,
            StencilOp::Replace => reference,
            StencilOp::IncrementClamp => old.saturating_add(1),
            StencilOp::DecrementClamp => old.saturating_sub(1),
            StencilOp::Invert => !old,
            StencilOp::IncrementWrap => old.wrapping_add(1),
            StencilOp::DecrementWrap => old.wrapping_sub(1),
        }
    }
}

/// Stencil state of one face.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Stencil {
    /// `reference OP stored`, both masked by `read_mask`.
    pub compare: Comparison,
    /// The reference; a fragment program that emits stencil replaces it.
    pub reference: u8,
    /// Bits compared.
    pub read_mask: u8,
    /// Bits written.
    pub write_mask: u8,
    /// If the stencil test fails.
    pub fail: StencilOp,
    /// If the depth test fails.
    pub depth_fail: StencilOp,
    /// If both pass.
    pub pass: StencilOp,
}

impl Default for Stencil {
    fn default() -> Self {
        Stencil {
            compare: Comparison::Always,
            reference: 0,
            read_mask: 0xff,
            write_mask: 0xff,
            fail: StencilOp::Keep,
            depth_fail: StencilOp::Keep,
            pass: StencilOp::Keep,
        }
    }
}

/// Depth and stencil state of a draw.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Tests {
    /// `new OP stored`.
    pub depth: Comparison,
    /// Whether passing samples replace the stored depth.
    pub depth_write: bool,
    /// Stencil of front faces, lines and points.
    pub front: Stencil,
    /// Stencil of back faces.
    pub back: Stencil,
}

/// The samples of a row of tiles.
#[derive(Clone, PartialEq, Debug)]
struct Band {
    colour: Vec<u8>,
    depth: Vec<f32>,
    stencil: Vec<u8>,
}

/// A framebuffer: for each sample, bytes of colour as the program lays them out, depth and stencil.
#[derive(Clone, PartialEq, Debug)]
pub struct Framebuffer {
    width: u32,
    height: u32,
    samples: u32,
    bytes_per_sample: u32,
    /// Number of the first row of tiles.
    first_band: u32,
    bands: Vec<Band>,
    /// Samples that passed the tests, over all draws: the occlusion counter.
    pub passed: u64,
    /// Positions of the samples in a pixel.
    pub sample_positions: [[f64; 2]; 4],
    /// Whether depth is a 16-bit normalised number.
    pub depth_unorm16: bool,
}

impl Framebuffer {
    /// A framebuffer with `samples` samples of `bytes_per_sample` bytes per pixel: colour 0, depth 1, stencil 0.
    pub fn new(width: u32, height: u32, samples: u32, bytes_per_sample: u32) -> Framebuffer {
        let band = |first: u32| {
            let rows = (height - first).min(TILE);
            let count = width as usize * rows as usize * samples as usize;
            let colour = vec![0; count * bytes_per_sample as usize];
            Band { colour, depth: vec![1.0; count], stencil: vec![0; count] }
        };
        Framebuffer {
            width,
            height,
            samples,
            bytes_per_sample,
            first_band: 0,
            bands: (0..height).step_by(TILE as usize).map(band).collect(),
            passed: 0,
            sample_positions: [0, 1, 2, 3].map(|sample| standard_position(samples, sample)),
            depth_unorm16: false,
        }
    }

    /// Pixels along x and y.
    pub fn size(&self) -> [u32; 2] {
        [self.width, self.height]
    }

    /// Samples per pixel.
    pub fn samples(&self) -> u32 {
        self.samples
    }

    /// The bytes of a sample; `None` outside.
    pub fn colour(&self, x: u32, y: u32, sample: u32) -> Option<&[u8]> {
        let (band, at) = self.place(x, y, sample)?;
        let bytes = self.bytes_per_sample as usize;
        self.bands[band].colour.get(at * bytes..(at + 1) * bytes)
    }

    /// The bytes of a sample, mutable; `None` outside.
    pub fn colour_mut(&mut self, x: u32, y: u32, sample: u32) -> Option<&mut [u8]> {
        let (band, at) = self.place(x, y, sample)?;
        let bytes = self.bytes_per_sample as usize;
        self.bands[band].colour.get_mut(at * bytes..(at + 1) * bytes)
    }

    /// Sets depth and stencil of a sample; ignored outside.
    pub fn set_depth_stencil(&mut self, x: u32, y: u32, sample: u32, depth: f32, stencil: u8) {
        if let Some((band, at)) = self.place(x, y, sample) {
            let band = &mut self.bands[band];
            (band.depth[at], band.stencil[at]) = (depth, stencil);
        }
    }

    /// Position of a sample in its pixel.
    pub(crate) fn sample_position(&self, sample: u32) -> [f64; 2] {
        self.sample_positions.get(sample as usize).copied().unwrap_or([0.5, 0.5])
    }

    /// Depth and stencil of a sample; `None` outside.
    pub fn depth_stencil(&self, x: u32, y: u32, sample: u32) -> Option<(f32, u8)> {
        let (band, at) = self.place(x, y, sample)?;
        let band = &self.bands[band];
        Some((*band.depth.get(at)?, *band.stencil.get(at)?))
    }

    /// Sets every sample to these bytes (truncated or filled with 0), depth and stencil.
    pub fn clear(&mut self, colour: &[u8], depth: f32, stencil: u8) {
        let bytes = self.bytes_per_sample as usize;
        for band in &mut self.bands {
            if bytes > 0 {
                for sample in band.colour.chunks_exact_mut(bytes) {
                    sample.fill(0);
                    let len = colour.len().min(sample.len());
                    sample[..len].copy_from_slice(&colour[..len]);
                }
            }
            band.depth.fill(depth);
            band.stencil.fill(stencil);
        }
    }

    /// The band of a sample, and its index in the band.
    fn place(&self, x: u32, y: u32, sample: u32) -> Option<(usize, usize)> {
        let band = (y / TILE).checked_sub(self.first_band)? as usize;
        let inside = x < self.width && y < self.height && sample < self.samples && band < self.bands.len();
        let at = (y % TILE) as usize * self.width as usize + x as usize;
        inside.then_some((band, at * self.samples as usize + sample as usize))
    }

    /// The rows of tiles that it has: all, unless some were split off.
    pub(crate) fn bands(&self) -> Range<u32> {
        self.first_band..self.first_band + self.bands.len() as u32
    }

    /// Splits off the rows of tiles from `band` on; the result has counts of zero.
    pub(crate) fn split_off(&mut self, band: u32) -> Framebuffer {
        let kept = (band.saturating_sub(self.first_band) as usize).min(self.bands.len());
        let bands = self.bands.split_off(kept);
        Framebuffer { first_band: self.first_band + kept as u32, bands, passed: 0, ..*self }
    }

    /// Appends rows of tiles that were split off, and adds their counts.
    pub(crate) fn append(&mut self, mut below: Framebuffer) {
        self.bands.append(&mut below.bands);
        self.passed += below.passed;
    }

    /// Runs stencil and depth tests of one sample and updates both; whether it passes.
    pub(crate) fn test(&mut self, place: [u32; 3], depth: f32, tests: &Tests, stencil: &Stencil) -> bool {
        let Some((band, at)) = self.place(place[0], place[1], place[2]) else { return false };
        let depth = if self.depth_unorm16 { unorm16(depth) } else { depth };
        let band = &mut self.bands[band];
        let (old_depth, old_stencil) = (band.depth[at], band.stencil[at]);
        let masked = |value: u8| value & stencil.read_mask;
        let stencil_passes = stencil.compare.holds(masked(stencil.reference), masked(old_stencil));
        let depth_passes = tests.depth.holds(depth, old_depth);
        let op = match (stencil_passes, depth_passes) {
            (false, _) => stencil.fail,
            (true, false) => stencil.depth_fail,
            (true, true) => stencil.pass,
        };
        let new = op.apply(old_stencil, stencil.reference);
        band.stencil[at] = (old_stencil & !stencil.write_mask) | (new & stencil.write_mask);
        let passes = stencil_passes && depth_passes;
        if passes && tests.depth_write {
            band.depth[at] = depth;
        }
        self.passed += u64::from(passes);
        passes
    }
}

/// The nearest depth that is representable in 16 bits.
fn unorm16(depth: f32) -> f32 {
    (libm::rint(f64::from(depth.clamp(0.0, 1.0)) * 65535.0) / 65535.0) as f32
}

/// A linear function of the pixel position: `a x + b y + c`.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Plane {
    /// Change per pixel to the right.
    pub a: f64,
    /// Change per pixel downwards.
    pub b: f64,
    /// Value at the framebuffer's corner.
    pub c: f64,
}

impl Plane {
    pub(crate) fn at(&self, x: f64, y: f64) -> f64 {
        self.a * x + self.b * y + self.c
    }
}

/// One coefficient register.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Coefficient {
    /// The same 32 bits everywhere (flat shading).
    Flat(u32),
    /// The same, with the bits of the second vertex, which coefficient vectors also contain.
    FlatWithSecond(u32, u32),
    /// A value linear on the screen.
    Linear(Plane),
}

/// The primitive that fragments belong to.
#[derive(Clone, Debug, Default)]
pub(crate) struct Primitive {
    pub(crate) coefficients: Vec<Coefficient>,
    pub(crate) depth: Plane,
    pub(crate) back: bool,
}

/// The primitive being shaded and its framebuffer.
#[derive(Debug)]
pub(crate) struct Frame {
    pub(crate) buffer: Framebuffer,
    pub(crate) tests: Tests,
    pub(crate) primitive: Primitive,
    pub(crate) layer: u32,
    /// Whether the program runs the tests (`sample_mask`, `zs_emit`).
    pub(crate) late_tests: bool,
    /// Limits of depth.
    pub(crate) depth_limits: DepthLimits,
}

impl Frame {
    /// Value of a coefficient register at a point; `None` if the primitive does not have the register.
    pub(crate) fn interpolate(&self, number: u32, x: f64, y: f64) -> Option<f32> {
        Some(match self.primitive.coefficients.get(number as usize)? {
            Coefficient::Flat(bits) | Coefficient::FlatWithSecond(bits, _) => f32::from_bits(*bits),
            Coefficient::Linear(plane) => plane.at(x, y) as f32,
        })
    }

    /// The vector (A, B, C) relative to the corner of the pixel's tile.
    pub(crate) fn vector(&self, number: u32, pixel: [u32; 2]) -> Option<[u32; 3]> {
        let corner = pixel.map(|at| f64::from(at / TILE * TILE));
        Some(match self.primitive.coefficients.get(number as usize)? {
            Coefficient::Flat(bits) => [0, 0, *bits],
            Coefficient::FlatWithSecond(bits, second) => [0, *second, *bits],
            Coefficient::Linear(plane) => {
                [plane.a, plane.b, plane.at(corner[0], corner[1])].map(|value| (value as f32).to_bits())
            }
        })
    }

    /// Tests one sample with the given depth, or else the interpolated one, and likewise for stencil.
    pub(crate) fn test(&mut self, place: [u32; 3], depth: Option<f32>, stencil: Option<u8>) -> bool {
        let offset = self.buffer.sample_position(place[2]);
        let x = f64::from(place[0]) + offset[0];
        let y = f64::from(place[1]) + offset[1];
        let DepthLimits { range: [least, most], written } = self.depth_limits;
        let limited = |depth: f64| depth.max(least.into()).min(most.into()) as f32;
        let depth = match depth {
            Some(depth) if written => limited(depth.into()),
            Some(depth) => depth,
            None => limited(self.primitive.depth.at(x, y)),
        };
        let mut face = if self.primitive.back { self.tests.back } else { self.tests.front };
        face.reference = stencil.unwrap_or(face.reference);
        let tests = self.tests;
        self.buffer.test(place, depth, &tests, &face)
    }
}

/// Default position of a sample in its pixel.
fn standard_position(samples: u32, sample: u32) -> [f64; 2] {
    standard_sample_positions(samples).get(sample as usize).copied().unwrap_or([0.5, 0.5])
}
