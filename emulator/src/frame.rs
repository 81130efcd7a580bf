//! The tile buffer of a render pass, depth and stencil, and the primitive being shaded.
//!
//! Render passes keep one tile at a time, as the hardware does in local memory ([`crate::render_tiles`]). Single draws have
//! the whole framebuffer.

use agx_abi::fragment::standard_sample_positions;

use crate::draw::DepthLimits;
use crate::hidden::Hidden;
use crate::history::{SampleOutcome, Watcher};

/// Pixels along the sides of the squares to whose corners coefficients are relative, for every size of tiles.
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

/// A framebuffer, or a tile of one: for each sample, bytes of colour as the program lays them out, depth and stencil.
/// Pixels have their positions in the whole framebuffer.
#[derive(Clone, PartialEq, Debug)]
pub struct Framebuffer {
    origin: [u32; 2],
    width: u32,
    height: u32,
    samples: u32,
    bytes_per_sample: u32,
    colour: Vec<u8>,
    depth: Vec<f32>,
    stencil: Vec<u8>,
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
        let mut buffer = Framebuffer {
            origin: [0; 2],
            width: 0,
            height: 0,
            samples,
            bytes_per_sample,
            colour: Vec::new(),
            depth: Vec::new(),
            stencil: Vec::new(),
            passed: 0,
            sample_positions: [0, 1, 2, 3].map(|sample| standard_position(samples, sample)),
            depth_unorm16: false,
        };
        buffer.move_to([0, 0, width, height]);
        buffer.clear(&[], 1.0, 0);
        buffer
    }

    /// Makes it the tile with these pixels: left, top, right, bottom, the last two exclusive. Its contents are undefined.
    pub(crate) fn move_to(&mut self, [left, top, right, bottom]: [u32; 4]) {
        self.origin = [left, top];
        (self.width, self.height) = (right.saturating_sub(left), bottom.saturating_sub(top));
        let count = self.width as usize * self.height as usize * self.samples as usize;
        self.colour.resize(count * self.bytes_per_sample as usize, 0);
        self.depth.resize(count, 1.0);
        self.stencil.resize(count, 0);
    }

    /// Pixels along x and y.
    pub fn size(&self) -> [u32; 2] {
        [self.width, self.height]
    }

    /// Its pixels: left, top, right, bottom, the last two exclusive.
    pub fn rectangle(&self) -> [u32; 4] {
        let [left, top] = self.origin;
        [left, top, left + self.width, top + self.height]
    }

    /// Samples per pixel.
    pub fn samples(&self) -> u32 {
        self.samples
    }

    /// The bytes of a sample; `None` outside.
    pub fn colour(&self, x: u32, y: u32, sample: u32) -> Option<&[u8]> {
        let at = self.place(x, y, sample)?;
        let bytes = self.bytes_per_sample as usize;
        self.colour.get(at * bytes..(at + 1) * bytes)
    }

    /// The bytes of a sample, mutable; `None` outside.
    pub fn colour_mut(&mut self, x: u32, y: u32, sample: u32) -> Option<&mut [u8]> {
        self.bytes_mut(self.place(x, y, sample)?)
    }

    /// The bytes of a sample by its index, mutable.
    #[inline]
    pub(crate) fn bytes_mut(&mut self, at: usize) -> Option<&mut [u8]> {
        let bytes = self.bytes_per_sample as usize;
        self.colour.get_mut(at * bytes..(at + 1) * bytes)
    }

    /// Sets depth and stencil of a sample; ignored outside.
    pub fn set_depth_stencil(&mut self, x: u32, y: u32, sample: u32, depth: f32, stencil: u8) {
        if let Some(at) = self.place(x, y, sample) {
            (self.depth[at], self.stencil[at]) = (depth, stencil);
        }
    }

    /// Position of a sample in its pixel.
    pub(crate) fn sample_position(&self, sample: u32) -> [f64; 2] {
        self.sample_positions.get(sample as usize).copied().unwrap_or([0.5, 0.5])
    }

    /// Depth and stencil of a sample; `None` outside.
    pub fn depth_stencil(&self, x: u32, y: u32, sample: u32) -> Option<(f32, u8)> {
        let at = self.place(x, y, sample)?;
        Some((*self.depth.get(at)?, *self.stencil.get(at)?))
    }

    /// Sets every sample to these bytes (truncated or filled with 0), depth and stencil.
    pub fn clear(&mut self, colour: &[u8], depth: f32, stencil: u8) {
        let bytes = self.bytes_per_sample as usize;
        self.colour.fill(0);
        if bytes > 0 && !colour.is_empty() {
            for sample in self.colour.chunks_exact_mut(bytes) {
                let len = colour.len().min(sample.len());
                sample[..len].copy_from_slice(&colour[..len]);
            }
        }
        self.clear_depth_stencil(depth, stencil);
    }

    /// Sets depth and stencil of every sample.
    pub(crate) fn clear_depth_stencil(&mut self, depth: f32, stencil: u8) {
        self.depth.fill(depth);
        self.stencil.fill(stencil);
    }

    /// Sets the bytes of all samples to this pattern, as tile memory has any contents at the start of a tile.
    pub(crate) fn spoil(&mut self, pattern: u64) {
        let pattern = pattern.to_le_bytes();
        for bytes in self.colour.chunks_mut(pattern.len()) {
            bytes.copy_from_slice(&pattern[..bytes.len()]);
        }
    }

    /// Number of samples of all pixels.
    pub(crate) fn count(&self) -> usize {
        self.depth.len()
    }

    /// The index of a sample.
    #[inline]
    pub(crate) fn place(&self, x: u32, y: u32, sample: u32) -> Option<usize> {
        let (x, y) = (x.wrapping_sub(self.origin[0]), y.wrapping_sub(self.origin[1]));
        let inside = x < self.width && y < self.height && sample < self.samples;
        let at = y as usize * self.width as usize + x as usize;
        inside.then_some(at * self.samples as usize + sample as usize)
    }

    /// Runs stencil and depth tests of one sample and updates both.
    fn test(&mut self, place: [u32; 3], depth: f32, tests: &Tests, stencil: &Stencil) -> SampleOutcome {
        let Some(at) = self.place(place[0], place[1], place[2]) else { return SampleOutcome::Uncovered };
        let depth = if self.depth_unorm16 { unorm16(depth) } else { depth };
        let (old_depth, old_stencil) = (self.depth[at], self.stencil[at]);
        let masked = |value: u8| value & stencil.read_mask;
        let stencil_passes = stencil.compare.holds(masked(stencil.reference), masked(old_stencil));
        let depth_passes = tests.depth.holds(depth, old_depth);
        let op = match (stencil_passes, depth_passes) {
            (false, _) => stencil.fail,
            (true, false) => stencil.depth_fail,
            (true, true) => stencil.pass,
        };
        let new = op.apply(old_stencil, stencil.reference);
        self.stencil[at] = (old_stencil & !stencil.write_mask) | (new & stencil.write_mask);
        let passes = stencil_passes && depth_passes;
        if passes && tests.depth_write {
            self.depth[at] = depth;
        }
        self.passed += u64::from(passes);
        match (stencil_passes, depth_passes) {
            (true, true) => SampleOutcome::Passed,
            (true, false) => SampleOutcome::DepthFailed,
            (false, _) => SampleOutcome::StencilFailed,
        }
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
#[derive(Clone, Debug)]
pub(crate) struct Frame {
    pub(crate) buffer: Framebuffer,
    pub(crate) tests: Tests,
    pub(crate) primitive: Primitive,
    pub(crate) layer: u32,
    /// Whether the program runs the tests (`sample_mask`, `zs_emit`).
    pub(crate) late_tests: bool,
    /// Limits of depth.
    pub(crate) depth_limits: DepthLimits,
    /// Watches a pixel.
    pub(crate) watcher: Option<Box<Watcher>>,
    /// Watches fragments that take the place of others, if strict mode renders tiles.
    pub(crate) hidden: Option<Hidden>,
}

impl Frame {
    /// A frame without tests and primitive.
    pub(crate) fn new(buffer: Framebuffer) -> Frame {
        Frame {
            buffer,
            tests: Tests::default(),
            primitive: Primitive::default(),
            layer: 0,
            late_tests: false,
            depth_limits: DepthLimits::default(),
            watcher: None,
            hidden: None,
        }
    }

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
        let outcome = self.buffer.test(place, depth, &tests, &face);
        if let Some(watcher) = &mut self.watcher {
            watcher.tested(place, depth, outcome);
        }
        outcome == SampleOutcome::Passed
    }
}

/// Default position of a sample in its pixel.
fn standard_position(samples: u32, sample: u32) -> [f64; 2] {
    standard_sample_positions(samples).get(sample as usize).copied().unwrap_or([0.5, 0.5])
}
