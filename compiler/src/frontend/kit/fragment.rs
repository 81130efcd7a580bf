//! Inputs and outputs of fragment shaders.
//!
//! Inputs come from coefficients and special registers. Colours, depth and stencil are passed in fixed
//! registers to the epilog, which tests, blends and stores.

use agx_abi::fragment::{self, MAX_TARGETS, SECOND_SOURCE};
use agx_abi::linking::VertexOutputs;
use agx_abi::tile::TilePass;
use agx_abi::{FragmentInfo, Stage, UniformSource};
use agx_isa::sr::Sr;

pub use super::fragment_modes::FragmentModes;
use super::{Kit, compute, coverage, linking};
use crate::CompileKey;
use crate::error::{CompileError, KitError};
use crate::ir::build::alu::{IntCond, float};
use crate::ir::build::spilled::Spilled;
use crate::ir::build::tile;
use crate::ir::vocabulary::{Input, Mode, Place};
use crate::ir::{Arithmetic, Block, Build, IrOp, Src, Type};

/// Maximum number of clip or cull distances.
const MAX_DISTANCES: u32 = 8;

/// State of a fragment shader.
#[derive(Default)]
pub struct FragmentStage {
    /// The information for the driver.
    pub info: FragmentInfo,
    /// The render pass, if the key specifies it.
    pub tile: Option<TilePass>,
    /// The outputs of the vertex shader, if known.
    pub(super) before: Option<VertexOutputs>,
    pub(super) coverage: coverage::Coverage,
    /// Blocks in which the shader has waited for earlier fragments at the pixel, with the wait masks.
    waited: Vec<(Block, u64)>,
}

impl FragmentStage {
    /// The initial state for a key.
    pub(super) fn new(stage: Stage, key: &CompileKey) -> Self {
        let sample_shading = key.sample_shading && stage == Stage::Fragment;
        let info = FragmentInfo { sample_shading, ..FragmentInfo::default() };
        let (tile, before) = (key.tile.clone(), key.vertex_outputs.clone());
        FragmentStage { info, tile, before, ..FragmentStage::default() }
    }
}

/// An input of a fragment shader other than a varying.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FragmentInput {
    /// Component 0 to 3 of the screen position: x, y, depth, 1/w.
    FragCoord(u32),
    /// Component 0 or 1 of the position within a point, from its upper left.
    PointCoord(u32),
    /// Whether the primitive is front-facing: a boolean.
    FrontFacing,
    /// Whether the lane is a helper: a boolean.
    HelperInvocation,
    /// Number of the sample, if the shader runs per sample.
    SampleId,
    /// Component 0 or 1 of the sample's position in its pixel.
    SamplePosition(u32),
    /// Samples that the primitive covers.
    SampleMask,
    /// The layer being rendered.
    Layer,
    /// The viewport index.
    Viewport,
    /// Number of the primitive.
    PrimitiveId,
    /// The view index.
    ViewIndex,
    /// A clip distance.
    ClipDistance(u32),
    /// A cull distance.
    CullDistance(u32),
}

/// Components of a varying that are read together.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Varying {
    /// The input: `Input::user` of location and component.
    pub input: Input,
    /// How it is interpolated.
    pub mode: Mode,
    /// Whether to interpolate at a position that the primitive covers.
    pub centroid: bool,
    /// Number of consecutive components.
    pub count: u8,
    /// Bits of each: 32, or 16 if it is not flat.
    pub bits: u8,
}

/// A word that a fragment shader writes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FragmentOutput {
    /// A component of the colour of a render target.
    Colour {
        /// The target.
        target: u32,
        /// Component, 0 to 3.
        component: u32,
    },
    /// A component of the second colour of dual-source blending.
    SecondColour {
        /// Component, 0 to 3.
        component: u32,
    },
    /// Depth.
    Depth,
    /// Stencil reference.
    Stencil,
    /// Mask of the samples to keep.
    SampleMask,
}

/// Begins a fragment shader. Must be called before anything else is built.
pub fn begin(kit: &mut Kit<'_, '_>, modes: FragmentModes) {
    kit.uniforms.reserve(&fragment::UNIFORMS);
    let info = &mut kit.fragment.info;
    info.early_tests = modes.early_tests;
    info.depth_layout = modes.depth_layout;
    info.sample_shading |= modes.sample_shading;
    coverage::begin(kit, modes);
}

/// The components of a varying. If the shader runs per sample, they are interpolated at the sample.
pub fn varying(kit: &mut Kit<'_, '_>, varying: Varying) -> Vec<Src> {
    let (place, sample) = place(kit, varying.centroid);
    let ty = Type::vector(varying.bits, varying.count);
    interpolate(kit, varying.input, varying.mode, (place, sample.as_slice()), ty)
}

/// The interpolation position of an input: at the sample if the shader runs per sample.
pub fn place(kit: &mut Kit<'_, '_>, centroid: bool) -> (Place, Option<Src>) {
    match coverage::shaded_sample(kit) {
        Some(sample) => (Place::Sample, Some(sample)),
        None if centroid => (Place::Centroid, None),
        None => (Place::Centre, None),
    }
}

/// An input interpolated at a position: for a sample, `at` is its number in 16 bits; for an offset, the
/// distance to the right of and below the centre.
pub fn interpolate(
    kit: &mut Kit<'_, '_>,
    input: Input,
    mode: Mode,
    (place, at): (Place, &[Src]),
    ty: Type,
) -> Vec<Src> {
    let (place, at) = if mode.is_flat() { (Place::Centre, &[][..]) } else { (place, at) };
    let numbers = (input.0..).take(ty.comps.into()).map(Input);
    let known = linking::known_inputs(kit, numbers);
    let mods = [input.0, mode as u32, place as u32];
    let vector = kit.b.value(IrOp::Interpolate, ty, at, &mods);
    let parts = kit.b.split(Src::value(vector), Type::scalar(ty.bits), ty.comps.into());
    let word = |(known, part): (Option<Src>, Src)| known.map_or(part, |word| kit.b.fconv(word, ty.bits));
    known.into_iter().zip(parts).map(word).collect()
}

/// A single component of an input interpolated at a position.
pub fn interpolate_one(
    kit: &mut Kit<'_, '_>,
    input: Input,
    mode: Mode,
    at: (Place, &[Src]),
    ty: Type,
) -> Src {
    interpolate(kit, input, mode, at, ty).first().copied().unwrap_or(Src::NONE)
}

fn word(kit: &mut Kit<'_, '_>, input: Input, mode: Mode) -> Src {
    let (place, sample) = place(kit, false);
    interpolate_one(kit, input, mode, (place, sample.as_slice()), Type::B32)
}

fn flat(kit: &mut Kit<'_, '_>, input: Input) -> Src {
    interpolate_one(kit, input, Mode::Flat, (Place::Centre, &[]), Type::B32)
}

/// An input other than a varying, 32 bits unless it is a boolean; `None` for a nonexistent component, and for
/// the sample number if the shader does not run per sample.
pub fn input(kit: &mut Kit<'_, '_>, input: FragmentInput) -> Option<Src> {
    Some(match input {
        FragmentInput::FragCoord(axis @ 0..=1) => {
            let within = position_in_pixel(kit, axis);
            let pixel = compute::register(kit, Sr::THREAD_X.axis(axis as u8));
            let corner = kit.b.int_to_float(pixel, false, 32);
            kit.b.fadd(corner, within)
        }
        FragmentInput::FragCoord(2) => word(kit, Input::DEPTH, Mode::Linear),
        FragmentInput::FragCoord(3) => word(kit, Input::ONE_OVER_W, Mode::Linear),
        FragmentInput::PointCoord(0) => word(kit, Input::POINT_X, Mode::Linear),
        FragmentInput::PointCoord(1) => word(kit, Input::POINT_Y, Mode::Linear),
        FragmentInput::FrontFacing => {
            let back = compute::register(kit, Sr::BACK_FACING);
            kit.b.icmp(IntCond::EQ, back, Src::imm32(0))
        }
        FragmentInput::HelperInvocation => coverage::is_helper(kit),
        FragmentInput::SampleId => {
            let sample = coverage::shaded_sample(kit)?;
            kit.b.uconv(sample, 32)
        }
        FragmentInput::SamplePosition(axis @ 0..=1) => position_in_pixel(kit, axis),
        FragmentInput::SampleMask => {
            let covered = coverage::covered_samples(kit);
            let mask = kit.uniforms.get(UniformSource::SampleMask, 0, 32);
            kit.b.and(covered, mask)
        }
        FragmentInput::Layer => compute::register(kit, Sr::GROUP_Z),
        FragmentInput::Viewport => flat(kit, Input::VIEWPORT),
        FragmentInput::PrimitiveId => flat(kit, Input::PRIMITIVE_ID),
        FragmentInput::ViewIndex => kit.uniforms.get(UniformSource::ViewIndex, 0, 32),
        FragmentInput::ClipDistance(index @ 0..MAX_DISTANCES) => {
            word(kit, Input::clip_distance(index), Mode::Perspective)
        }
        FragmentInput::CullDistance(index @ 0..MAX_DISTANCES) => {
            word(kit, Input::cull_distance(index), Mode::Perspective)
        }
        _ => return None,
    })
}

/// The shaded position relative to the pixel's corner, to the right (axis 0) or down (axis 1).
fn position_in_pixel(kit: &mut Kit<'_, '_>, axis: u32) -> Src {
    let Some(sample) = coverage::shaded_sample(kit) else { return float(0.5, 32) };
    let positions = kit.uniforms.get(UniformSource::SamplePositions, 0, 32);
    let first = kit.b.shl(sample, Src::imm(3, 16));
    let first = kit.b.iadd(first, Src::imm(u64::from(axis).wrapping_mul(4), 16));
    let sixteenths = kit.b.ushr(positions, first);
    let sixteenths = kit.b.and(sixteenths, Src::imm32(15));
    let sixteenths = kit.b.int_to_float(sixteenths, false, 32);
    kit.b.fmul(sixteenths, float(1.0 / 16.0, 32))
}

/// Orders the fragments of a pixel from here on.
///
/// # Errors
/// The shader is not a fragment shader.
pub fn begin_interlock(kit: &mut Kit<'_, '_>) -> Result<(), CompileError> {
    if kit.stage != Stage::Fragment {
        return Err(KitError::NotFragment { what: "an interlock" }.into());
    }
    kit.fragment.info.interlock = true;
    tile::wait(&mut kit.b, tile::WAIT_ALL);
    Ok(())
}

/// Reads a render target at the pixel: the sample with number `sample`, else the lowest one that the lane
/// shades. Returns four 32-bit components.
///
/// # Errors
/// The key does not specify the target's format.
pub fn read_target(
    kit: &mut Kit<'_, '_>,
    target: u32,
    sample: Option<Src>,
) -> Result<[Src; 4], CompileError> {
    if kit.stage != Stage::Fragment {
        return Err(KitError::NotFragment { what: "a read of a render target" }.into());
    }
    let pass = kit.fragment.tile.as_ref();
    let Some((format, pass)) = pass.and_then(|pass| Some((pass.format(target)?, pass))) else {
        return Err(KitError::TargetFormat { target }.into());
    };
    let (layout, samples) = (pass.layout(), pass.samples);
    if !matches!(samples, 1 | 2 | 4) {
        return Err(KitError::Samples { samples }.into());
    }
    debug_assert!(target < MAX_TARGETS);
    let mask = match sample.map(|sample| kit.b.uconv(sample, 16)) {
        None => coverage::shaded_samples(kit),
        Some(sample) => match sample.as_imm() {
            Some(sample) => Src::imm(1 << (sample & 7), 16),
            None => kit.b.shl(Src::imm(1, 16), sample),
        },
    };
    kit.fragment.info.reads_targets |= 1 << target;
    Ok(match layout.offsets.get(target as usize).copied().flatten() {
        Some(offset) => {
            wait_for_pixel(kit, tile::WAIT_READS);
            tile::load(&mut kit.b, format, offset, mask)
        }
        None => {
            let sampler = kit.bindings.sampler_of_loads()?.as_imm().unwrap_or_default();
            wait_for_pixel(kit, tile::WAIT_ALL);
            let spilled = Spilled::new(&mut kit.b, target, (mask, samples), sampler as u8);
            spilled.load(&mut kit.b, format)
        }
    })
}

/// Waits for earlier fragments at the pixel, unless this was already done on every path.
fn wait_for_pixel(kit: &mut Kit<'_, '_>, mask: u64) {
    let (here, entry) = (kit.b.block(), kit.b.f.entry());
    let is_known =
        |(block, waited): &(Block, u64)| (*block == here || *block == entry) && waited & mask == mask;
    if !kit.fragment.waited.iter().any(is_known) {
        tile::wait(&mut kit.b, mask);
        kit.fragment.waited.push((here, mask));
    }
}

/// Exports the outputs, 32-bit words in any order, to their registers, and finishes coverage. If an output
/// occurs more than once, the last one counts.
///
/// # Errors
/// A render target out of range.
pub fn end(kit: &mut Kit<'_, '_>, outputs: &[(FragmentOutput, Src)]) -> Result<(), CompileError> {
    let mut exports: Vec<(u8, Src)> = Vec::new();
    let mut mask = None;
    let early_tests = kit.fragment.info.early_tests;
    for (output, word) in outputs {
        match *output {
            FragmentOutput::Colour { target, component } => {
                exports.push((colour(kit, target, component)?, *word));
            }
            FragmentOutput::SecondColour { component } => {
                kit.fragment.info.dual_source = true;
                exports.push((colour(kit, SECOND_SOURCE, component)?, *word));
            }
            // After early tests, depth and stencil cannot be changed.
            FragmentOutput::Depth | FragmentOutput::Stencil if early_tests => {}
            FragmentOutput::Depth => kit.b.effect(IrOp::WriteDepth, &[*word], &[]),
            FragmentOutput::Stencil => {
                let reference = kit.b.uconv(*word, 16);
                kit.b.effect(IrOp::WriteStencil, &[reference], &[]);
            }
            FragmentOutput::SampleMask => mask = Some(*word),
        }
    }
    coverage::end(kit, mask, &mut exports);
    exports.sort_by_key(|(register, _)| *register);
    exports.reverse();
    exports.dedup_by_key(|(register, _)| *register);
    for (register, value) in exports.into_iter().rev() {
        // An export has the source position of the instruction that computes it.
        kit.b.line = kit.b.f.def(value).map_or(0, |data| data.line);
        kit.b.effect(IrOp::Export, &[value], &[u32::from(register)]);
    }
    Ok(())
}

/// The register of a colour component, which is marked as written.
fn colour(kit: &mut Kit<'_, '_>, target: u32, component: u32) -> Result<u8, CompileError> {
    let register =
        fragment::colour_register(target, component).ok_or(KitError::Target { target, most: MAX_TARGETS })?;
    if let Some(components) = kit.fragment.info.components.get_mut(target as usize) {
        *components |= 1 << component;
    }
    Ok(register)
}
