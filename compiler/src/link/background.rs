//! Builds the IR of background programs: for each target a colour, and its store.
//!
//! No fragments are shaded before these programs, so they do not wait (Mesa 26.1 does the same).

use agx_abi::pass;
use agx_abi::tile::{ColourFormat, Numeric, TileLayout};
use agx_isa::sr::Sr;
use agx_isa::table::Opcode;
use agx_isa::table::names::Dimension;

use super::pass_targets::{BackgroundOp, PassTargets, ResolveMode};
use crate::error::{CompileError, PartError};
use crate::ir::build::alu::float;
use crate::ir::build::spilled::Spilled;
use crate::ir::build::tile;
use crate::ir::key;
use crate::ir::op::mods;
use crate::ir::{Access, Arithmetic, Build, Builder, Function, IrOp, Src, Type};

/// All samples of a pixel, as a mask operand.
const ALL_SAMPLES: Src = Src::imm(0xff, 16);

/// The sampler register of loads; there is only this one.
const LOAD_SAMPLER: u8 = 0;

/// The resources that a background program uses, as masks of targets, bit 0 the first.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Used {
    /// Targets with a clear colour.
    pub cleared: u8,
    /// Targets whose texture is loaded.
    pub loaded: u8,
    /// Targets stored to memory instead of the tile.
    pub spilled: u8,
}

/// A target, its format, and its operation.
pub(super) type Given<'o> = (u32, ColourFormat, &'o BackgroundOp);

/// Builds the program.
pub(super) fn build(
    f: &mut Function<'_>,
    targets: &PassTargets,
    operations: &[Given<'_>],
) -> Result<Used, CompileError> {
    let mut background = Background {
        b: Builder::start(f),
        targets,
        layout: targets.layout(),
        pixel: None,
        used: Used::default(),
    };
    for operation in operations {
        check(targets, operation)?;
        background.give(operation);
    }
    let Background { b, used, .. } = background;
    b.finish();
    Ok(used)
}

fn check(targets: &PassTargets, (target, format, op): &Given<'_>) -> Result<(), CompileError> {
    let BackgroundOp::Resolve { samples, mode } = op else { return Ok(()) };
    let name = format.desc().name;
    let refused = match (samples, mode) {
        _ if targets.samples != 1 => Some(format!("in a pass of {} samples; expected 1", targets.samples)),
        (2 | 4, ResolveMode::Average) if format.is_integer() => {
            Some(format!("to the mean of {name}, whose components are integers"))
        }
        (2 | 4, _) => None,
        _ => Some(format!("of an image of {samples} samples; expected 2 or 4")),
    };
    match refused {
        Some(what) => Err(PartError::Resolve { target: *target, what }.into()),
        None => Ok(()),
    }
}

struct Background<'t, 'f, 'a> {
    b: Builder<'f, 'a>,
    targets: &'t PassTargets,
    layout: TileLayout,
    /// Column and row of the pixel, and its layer.
    pixel: Option<(Src, Src)>,
    used: Used,
}

impl Background<'_, '_, '_> {
    /// Sets the contents of a target.
    fn give(&mut self, (target, format, op): &Given<'_>) {
        let bit = 1 << target;
        let spilled = self.layout.spilled & bit != 0;
        if spilled && **op == BackgroundOp::Load {
            return;
        }
        match op {
            BackgroundOp::Clear => {
                self.used.cleared |= bit;
                let colour = self.clear_colour(*target, *format);
                self.store(*target, *format, &colour, None);
            }
            BackgroundOp::Load => {
                self.used.loaded |= bit;
                for sample in 0..self.targets.samples {
                    let sample = (self.targets.samples > 1).then_some(sample);
                    let colour = self.load(*target, sample);
                    self.store(*target, *format, &colour, sample);
                }
            }
            BackgroundOp::Resolve { samples, mode } => {
                self.used.loaded |= bit;
                let colour = self.resolved(*target, *format, *samples, *mode);
                self.store(*target, *format, &colour, None);
            }
        }
    }

    /// The clear colour, converted to the range of the target.
    fn clear_colour(&mut self, target: u32, format: ColourFormat) -> [Src; 4] {
        let colour = [0, 1, 2, 3].map(|at| Src::uniform(pass::clear_colour(target) + 2 * at, 32));
        tile::in_range(&mut self.b, colour, format, false)
    }

    /// Column and row of the pixel, and its layer.
    fn pixel(&mut self) -> (Src, Src) {
        if let Some(pixel) = self.pixel {
            return pixel;
        }
        let [x, y, layer] = [Sr::THREAD_X, Sr::THREAD_Y, Sr::GROUP_Z].map(|register| {
            let register = mods(Opcode::Mfsr).with(key::SR, register);
            self.b.value(Opcode::Mfsr, Type::B32, &[], &register).into()
        });
        let coords = self.b.collect(Type::vector(32, 2), &[x, y]);
        *self.pixel.insert((coords, layer))
    }

    /// The four components of the image of a target at the pixel, in one sample if it is multisampled.
    fn load(&mut self, target: u32, sample: Option<u8>) -> [Src; 4] {
        let (coords, layer) = self.pixel();
        let none = Src::NONE;
        let layer = if self.targets.layered { layer } else { none };
        let texture = Src::imm(pass::state_register(target).into(), 16);
        let sampler = Src::imm(LOAD_SAMPLER.into(), 16);
        let sample_number = sample.map_or(none, |sample| Src::imm32(sample.into()));
        let srcs = [texture, none, sampler, coords, layer, none, none, none, sample_number];
        let dimension = dimension(self.targets.layered, sample.is_some());
        let access = [Access::READONLY.bits(), dimension.get(), 0];
        let loaded = self.b.value(IrOp::LoadTexture, Type::vector(32, 4), &srcs, &access);
        let parts = self.b.split(loaded.into(), Type::B32, 4);
        [parts[0], parts[1], parts[2], parts[3]]
    }

    /// The combined samples of the image of a target.
    fn resolved(&mut self, target: u32, format: ColourFormat, samples: u8, mode: ResolveMode) -> [Src; 4] {
        let mut colour = self.load(target, Some(0));
        let rest = if mode == ResolveMode::First { 0 } else { samples };
        for sample in 1..rest {
            let other = self.load(target, Some(sample));
            for (known, other) in colour.iter_mut().zip(other) {
                *known = self.combined(*known, other, format, mode);
            }
        }
        if mode == ResolveMode::Average {
            colour = colour.map(|sum| self.b.fmul(sum, float(1.0 / f64::from(samples), 32)));
        }
        colour
    }

    /// The sum, minimum or maximum of two components.
    fn combined(&mut self, a: Src, b: Src, format: ColourFormat, mode: ResolveMode) -> Src {
        let greatest = mode == ResolveMode::Greatest;
        let build = &mut self.b;
        match (format.desc().numeric, greatest) {
            _ if mode == ResolveMode::Average => build.fadd(a, b),
            (Numeric::Uint, false) => build.umin(a, b),
            (Numeric::Uint, true) => build.umax(a, b),
            (Numeric::Sint, false) => build.imin(a, b),
            (Numeric::Sint, true) => build.imax(a, b),
            (_, false) => build.fmin(a, b),
            (_, true) => build.fmax(a, b),
        }
    }

    /// Stores the colour of all samples or of one.
    fn store(&mut self, target: u32, format: ColourFormat, colour: &[Src; 4], sample: Option<u8>) {
        let mask = |sample: u8| Src::imm(1 << sample, 16);
        match self.layout.offsets.get(target as usize).copied().flatten() {
            Some(offset) => {
                let samples = sample.map_or(ALL_SAMPLES, mask);
                tile::store(&mut self.b, (format, offset), colour, tile::kept_mask(format), samples);
            }
            None => {
                self.used.spilled |= 1 << target;
                for sample in 0..self.targets.samples {
                    let place = (mask(sample), self.targets.samples);
                    let place = Spilled::new(&mut self.b, target, place, LOAD_SAMPLER);
                    place.put(&mut self.b, colour);
                }
            }
        }
    }
}

/// The image dimension for the attachments of a pass.
pub(super) fn dimension(layered: bool, multisampled: bool) -> Dimension {
    match (layered, multisampled) {
        (false, false) => Dimension::D2,
        (true, false) => Dimension::D2_ARRAY,
        (false, true) => Dimension::D2_MULTISAMPLED,
        (true, true) => Dimension::D2_MULTISAMPLED_ARRAY,
    }
}
