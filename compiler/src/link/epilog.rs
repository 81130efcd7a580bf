//! Fragment epilogs, which follow the main part of a fragment shader.
//!
//! The main part passes colours, depth, stencil and sample mask in registers. The epilog converts alpha to
//! coverage, runs deferred tests, blends, and stores to the tile. After the tests the hardware tracks which
//! samples are live: it drops stores to dead samples.

use crate::ir::key;
use agx_abi::SamplerBinding;
use agx_abi::fragment::{self, FragmentInfo, MAX_TARGETS, SECOND_SOURCE};
use agx_abi::textures::MAX_SAMPLERS;
use agx_abi::tile::{ColourFormat, Numeric, TileFormat, TileLayout};
use agx_isa::table::Opcode;

use super::blend::{Blending, Colours, LogicOp};
use super::fragment_prolog::EVERY_LIVE;
use crate::error::{CompileError, PartError};
use crate::ir::build::alu::float;
use crate::ir::build::spilled::Spilled;
use crate::ir::build::tile;
use crate::ir::op::mods;
use crate::ir::{Arithmetic, Build, Builder, Function, IrOp, Src, Type};

/// A render target and the operations on its colour.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Target {
    /// Its format.
    pub format: ColourFormat,
    /// Components written, bit 0 red.
    pub write_mask: u8,
    /// How the colour is blended; `None` replaces the destination.
    pub blend: Option<Blending>,
    /// The colour that it takes.
    pub source: ColourSource,
}

/// The colour of a fragment shader that a target takes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum ColourSource {
    /// That of the location with the number of the target.
    #[default]
    Own,
    /// That of another location.
    Location(u8),
    /// None: the target stays as it is.
    None,
}

impl Target {
    /// A target that takes colours unchanged.
    pub fn new(format: ColourFormat) -> Target {
        Target { format, write_mask: 0xf, blend: None, source: ColourSource::Own }
    }
}

/// Everything that affects an epilog: equal keys give equal bytes.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub struct EpilogKey {
    /// Targets of the pass.
    pub targets: [Option<Target>; MAX_TARGETS as usize],
    /// Samples of a pixel: 1, 2 or 4.
    pub samples: u8,
    /// Replaces blending, except on floats and sRGB.
    pub logic_op: Option<LogicOp>,
    /// The alpha of target 0 becomes coverage.
    pub alpha_to_coverage: bool,
    /// Alpha is replaced by 1 afterwards.
    pub alpha_to_one: bool,
    /// Components of colours that the main part passes in registers, for each location.
    pub components: [u8; MAX_TARGETS as usize],
    /// The alpha of target 0 is 1 and not passed in a register.
    pub opaque: bool,
    /// Colour 1 is the second source of target 0.
    pub dual_source: bool,
    /// The main part passes a depth in r2.
    pub depth: bool,
    /// The main part passes a stencil value in r3l.
    pub stencil: bool,
    /// The main part passes a sample mask in r3h.
    pub sample_mask: bool,
    /// Tests have run before the program, unless the epilog kills samples.
    pub tested: bool,
    /// Tests always run before the program.
    pub early_tests: bool,
    /// The program runs per sample, with the sample's mask in r0h.
    pub sample_shading: bool,
    /// Sampler register for loads ([`agx_abi::SamplerBinding::Loads`]), for spilled targets that are read.
    pub load_sampler: Option<u8>,
}

impl EpilogKey {
    /// The key for a main part, with one sample and no targets.
    pub fn new(info: &FragmentInfo) -> EpilogKey {
        EpilogKey {
            targets: [None; MAX_TARGETS as usize],
            samples: 1,
            logic_op: None,
            alpha_to_coverage: false,
            alpha_to_one: false,
            components: info.components,
            opaque: info.opaque,
            dual_source: info.dual_source,
            depth: info.writes_depth,
            stencil: info.writes_stencil,
            sample_mask: info.writes_sample_mask,
            tested: !info.late_tests,
            early_tests: info.early_tests,
            sample_shading: info.sample_shading,
            load_sampler: None,
        }
    }

    /// Whether a spilled target is read, which requires [`load_sampler`](Self::load_sampler).
    pub fn reads_spilled(&self) -> bool {
        let spilled = self.layout().spilled;
        (0..MAX_TARGETS as usize).any(|at| {
            spilled >> at & 1 != 0
                && self.is_stored(at)
                && self.place(at).is_some_and(|place| self.reads(&place))
        })
    }

    /// Sets the sampler register through which spilled targets are read, if any are: appends it to those of
    /// the main part unless it is already among them.
    ///
    /// # Errors
    /// A limit if the main part uses all sampler registers.
    pub fn with_load_sampler(mut self, samplers: &mut Vec<SamplerBinding>) -> Result<Self, CompileError> {
        if self.reads_spilled() {
            let known = samplers.iter().position(|sampler| *sampler == SamplerBinding::Loads);
            if known.is_none() && samplers.len() >= MAX_SAMPLERS {
                return Err(PartError::SamplersUsed { most: MAX_SAMPLERS }.into());
            }
            self.load_sampler = Some(known.unwrap_or(samplers.len()) as u8);
            if known.is_none() {
                samplers.push(SamplerBinding::Loads);
            }
        }
        Ok(self)
    }

    /// The positions of the targets in the tile.
    pub fn layout(&self) -> TileLayout {
        TileLayout::new(&self.targets.map(|target| target.map(|target| target.format)), self.samples.into())
    }

    /// The location whose colour a target takes, unless it is the second source.
    fn location(&self, target: usize) -> Option<usize> {
        let location = match (*self.targets.get(target)?)?.source {
            ColourSource::Own => target,
            ColourSource::Location(location) => location.into(),
            ColourSource::None => return None,
        };
        let second = self.dual_source && location as u32 == SECOND_SOURCE;
        (location < self.components.len() && !second).then_some(location)
    }

    fn check(&self) -> Result<(), CompileError> {
        if !matches!(self.samples, 1 | 2 | 4) {
            return Err(PartError::Samples { samples: self.samples }.into());
        }
        let dual = self.targets.iter().flatten().filter_map(|target| target.blend);
        if !self.dual_source && dual.into_iter().any(|blend| blend.is_dual()) {
            return Err(PartError::NoSecondColour.into());
        }
        let advanced = |target: &&Target| {
            matches!(target.blend, Some(Blending::Advanced(_))) && target.format.is_integer()
        };
        if let Some(target) = self.targets.iter().flatten().find(advanced) {
            let name = target.format.desc().name;
            return Err(PartError::IntegerBlend { format: name }.into());
        }
        if self.early_tests && (self.depth || self.stencil) {
            return Err(PartError::EarlyTests.into());
        }
        if self.load_sampler.is_none() && self.reads_spilled() {
            return Err(PartError::NoSampler.into());
        }
        Ok(())
    }

    /// Whether the target receives a colour.
    fn is_stored(&self, index: usize) -> bool {
        let is_passed =
            |at| self.components.get(at).is_some_and(|mask| *mask != 0) || (at == 0 && self.opaque);
        self.location(index).is_some_and(is_passed)
    }

    /// The location of a target, if it exists and is in the tile or in memory.
    fn place(&self, index: usize) -> Option<Place> {
        let (target, layout) = (self.targets[index]?, self.layout());
        let home = match layout.offsets[index] {
            Some(offset) => Home::Tile(offset),
            None => Home::Memory(index as u32),
        };
        Some(Place { target, home, kept: tile::kept_mask(target.format) })
    }

    /// Whether the contents of the target are read before the store.
    fn reads(&self, place: &Place) -> bool {
        self.logic_op.filter(|_| place.takes_logic()).is_some_and(LogicOp::reads_destination)
            || place.target.blend.is_some() && place.takes_blending(self.logic_op)
            || place.is_merged()
    }
}

/// All samples of a pixel, as a mask operand.
const ALL_SAMPLES: Src = Src::imm(0xff, 16);

/// Effects of an epilog other than stores to the tile.
#[derive(Clone, Copy, Debug)]
pub(super) struct Effects {
    /// It runs tests or kills samples.
    pub late_tests: bool,
    /// It stores to spilled targets.
    pub writes_memory: bool,
    /// Targets that it reads or leaves as they are, bit 0 the first.
    pub reads_targets: u8,
    /// It stores to targets in the tile.
    pub stores_targets: bool,
}

/// Builds the epilog.
pub(super) fn build(f: &mut Function<'_>, key: &EpilogKey) -> Result<Effects, CompileError> {
    key.check()?;
    let mut epilog = Epilog::start(f, key);
    if key.opaque {
        epilog.colours[0][3] = float(1.0, 32);
    }
    let late_tests = epilog.decide();
    if key.alpha_to_one {
        epilog.colours.iter_mut().for_each(|colour| colour[3] = float(1.0, 32));
    }
    epilog.store_targets();
    let Epilog { writes_memory, reads_targets, stores_targets, .. } = epilog;
    epilog.finish();
    Ok(Effects { late_tests, writes_memory, reads_targets, stores_targets })
}

struct Epilog<'k, 'f, 'a> {
    b: Builder<'f, 'a>,
    key: &'k EpilogKey,
    /// Colours from the main part; 0 where it passes none.
    colours: [[Src; 4]; MAX_TARGETS as usize],
    /// Depth and stencil in the form of `zs_emit`.
    depth_stencil: Option<Src>,
    /// The mask of the samples being shaded.
    shaded: Option<Src>,
    /// The samples to store to.
    stored: Src,
    waited: bool,
    writes_memory: bool,
    reads_targets: u8,
    stores_targets: bool,
}

impl<'k, 'f, 'a> Epilog<'k, 'f, 'a> {
    /// Reads the registers passed by the main part.
    fn start(f: &'f mut Function<'a>, key: &'k EpilogKey) -> Self {
        let mut b = Builder::start(f);
        let mut preload =
            |ty: Type, half: u8| Src::value(b.value(IrOp::Preload, ty, &[], &[u32::from(half)]));
        let shaded = key.sample_shading.then(|| preload(Type::B16, fragment::SAMPLES));
        let depth_stencil = match (key.depth, key.stencil) {
            (true, true) => Some(preload(Type::vector(32, 2), fragment::DEPTH)),
            (true, false) => Some(preload(Type::B32, fragment::DEPTH)),
            (false, true) => Some(preload(Type::B16, fragment::STENCIL)),
            (false, false) => None,
        };
        let emitted = key.sample_mask.then(|| preload(Type::B16, fragment::SAMPLE_MASK));
        let mut colours = [[float(0.0, 32); 4]; MAX_TARGETS as usize];
        for (target, colour) in (0..).zip(&mut colours) {
            for (component, value) in (0..).zip(colour) {
                if key.components[target as usize] >> component & 1 != 0
                    && let Some(half) = fragment::colour_register(target, component)
                {
                    *value = preload(Type::B32, half);
                }
            }
        }
        let stored = match (shaded, emitted) {
            (Some(mask), None) => mask,
            (Some(mask), Some(emitted)) => b.and(mask, emitted),
            (None, Some(emitted)) => emitted,
            (None, None) => ALL_SAMPLES,
        };
        Epilog {
            b,
            key,
            colours,
            depth_stencil,
            shaded,
            stored,
            waited: false,
            writes_memory: false,
            reads_targets: 0,
            stores_targets: false,
        }
    }

    /// The samples that the program runs for.
    fn shaded(&self) -> Src {
        self.shaded.unwrap_or(ALL_SAMPLES)
    }

    /// Performs the decisions about samples that the main part deferred; returns whether samples are tested
    /// or killed.
    fn decide(&mut self) -> bool {
        let covered = self.key.alpha_to_coverage.then(|| self.coverage_of_alpha());
        if self.key.early_tests {
            // The tests are done and samples can no longer be killed: only stores can be masked.
            if let Some(covered) = covered {
                self.stored = self.b.and(self.stored, covered);
            }
            return false;
        }
        if self.key.tested && covered.is_none() {
            return false;
        }
        tile::wait(&mut self.b, tile::WAIT_TESTS);
        let target = self.shaded();
        let Some(data) = self.depth_stencil else {
            let srcs = [target, covered.unwrap_or(EVERY_LIVE)];
            self.b.effect(Opcode::SampleMask, &srcs, &mods(Opcode::SampleMask));
            return true;
        };
        if let Some(covered) = covered {
            let dead = self.b.not(covered);
            let dead = self.b.and(dead, target);
            self.b.effect(Opcode::SampleMask, &[dead, Src::imm(0, 16)], &mods(Opcode::SampleMask));
        }
        let flags =
            mods(Opcode::ZsEmit).with(key::DEPTH, self.key.depth).with(key::STENCIL, self.key.stencil);
        self.b.effect(Opcode::ZsEmit, &[target, data], &flags);
        true
    }

    /// The lowest samples of a pixel, as many as alpha times their number, rounded.
    fn coverage_of_alpha(&mut self) -> Src {
        let b = &mut self.b;
        let alpha = b.fsat(self.colours[0][3]);
        let count = b.fmul(alpha, float(self.key.samples.into(), 32));
        let count = b.fadd(count, float(0.5, 32));
        let count = b.float_to_int(count, false, 32);
        let bit = b.shl(Src::imm32(1), count);
        let mask = b.isub(bit, Src::imm32(1));
        b.uconv(mask, 16)
    }

    fn store_targets(&mut self) {
        for index in 0..MAX_TARGETS as usize {
            let Some(place) = self.key.place(index) else { continue };
            if self.key.is_stored(index) && place.target.write_mask & place.kept != 0 {
                self.store_target(index, place);
            } else {
                // Its pixels show what was drawn before.
                self.reads_targets |= 1 << index;
            }
        }
        if self.writes_memory {
            Spilled::show_stores(&mut self.b);
        }
    }

    /// Stores the colour of a target, separately for each sample if it depends on the destination.
    fn store_target(&mut self, index: usize, place: Place) {
        let Some(location) = self.key.location(index) else { return };
        let source = self.numbers(self.colours[location], place.target.format);
        let reads = self.key.reads(&place);
        if !std::mem::replace(&mut self.waited, true) {
            tile::wait(&mut self.b, tile::WAIT_ALL);
        }
        // Components and samples that are not stored show what was drawn before.
        let is_part = place.kept & !place.target.write_mask != 0
            || (self.key.early_tests && self.stored != self.shaded());
        self.reads_targets |= u8::from(reads || is_part) << index;
        self.stores_targets |= place.spilled().is_none();
        let at_once = !reads && place.spilled().is_none();
        if at_once || self.key.samples == 1 || self.key.sample_shading {
            self.store_samples(index, place, &source, self.stored, !at_once);
            return;
        }
        for sample in 0..self.key.samples {
            let only = Src::imm(1 << sample, 16);
            let samples = if self.stored == ALL_SAMPLES { only } else { self.b.and(self.stored, only) };
            self.store_sample(index, place, &source, [only, samples]);
        }
    }

    fn store_samples(&mut self, index: usize, place: Place, source: &[Src; 4], samples: Src, reads: bool) {
        // If the destination is read, one sample is shaded: its own mask applies, whether or not it is
        // stored.
        let read = if reads { self.shaded() } else { samples };
        self.store_sample(index, place, source, [read, samples]);
    }

    /// Reads the destination of the lowest sample of the first mask if needed, and stores to those of the
    /// second mask.
    fn store_sample(&mut self, index: usize, place: Place, source: &[Src; 4], [read, written]: [Src; 2]) {
        let format = place.target.format;
        if let Some(op) = self.key.logic_op.filter(|_| place.takes_logic()) {
            self.store_logic(place, source, op, [read, written]);
            return;
        }
        let mut colour = *source;
        let blend = place.target.blend.filter(|_| place.takes_blending(self.key.logic_op));
        if blend.is_some() || place.is_merged() {
            let destination = self.load(place, read);
            if let Some(blend) = blend {
                let second = match self.key.dual_source && self.key.location(index) == Some(0) {
                    true => self.numbers(self.colours[SECOND_SOURCE as usize], format),
                    false => [float(0.0, 32); 4],
                };
                let constant = [0, 1, 2, 3].map(|at| Src::uniform(BLEND_CONSTANT + 2 * at, 32));
                let constant = self.numbers(constant, format);
                let colours = Colours { source: *source, second, destination, constant };
                colour = colours.blend(&mut self.b, &blend);
                colour = self.clamped_for_halves(colour, format);
            }
            for at in (0..4).filter(|at| place.is_merged() && place.target.write_mask >> at & 1 == 0) {
                colour[at] = destination[at];
            }
        }
        self.store(place, &colour, [read, written]);
    }

    /// A colour in the range of a target. Blending computes with the values that fixed-point components can
    /// hold; otherwise stores clamp.
    fn numbers(&mut self, colour: [Src; 4], format: ColourFormat) -> [Src; 4] {
        let blended = self.key.targets.iter().flatten().any(|target| target.blend.is_some());
        tile::in_range(&mut self.b, colour, format, blended)
    }

    fn clamped_for_halves(&mut self, colour: [Src; 4], format: ColourFormat) -> [Src; 4] {
        let wanted = format.is_half() && format.desc().numeric == Numeric::Unorm;
        if wanted { colour.map(|x| self.b.fsat(x)) } else { colour }
    }

    /// Components of the destination as 32-bit numbers; components that the format lacks are 0, 0, 0, 1.
    fn load(&mut self, place: Place, samples: Src) -> [Src; 4] {
        match self.spilled(place, samples) {
            Some(spilled) => spilled.load(&mut self.b, place.target.format),
            None => tile::load(&mut self.b, place.target.format, place.offset(), samples),
        }
    }

    /// The one sample of a mask of a spilled target.
    fn spilled(&mut self, place: Place, samples: Src) -> Option<Spilled> {
        let target = place.spilled()?;
        let EpilogKey { samples: count, load_sampler, .. } = *self.key;
        Some(Spilled::new(&mut self.b, target, (samples, count), load_sampler.unwrap_or(0)))
    }

    /// Stores the components that are both written and part of the format.
    fn store(&mut self, place: Place, colour: &[Src; 4], [read, samples]: [Src; 2]) {
        if let Some(spilled) = self.spilled(place, read) {
            self.writes_memory = true;
            return spilled.store(&mut self.b, colour, samples);
        }
        let format = place.target.format;
        let mask =
            if format.desc().tile.is_packed() { place.kept } else { place.kept & place.target.write_mask };
        tile::store(&mut self.b, (format, place.offset()), colour, mask, samples);
    }

    /// Applies a logic operation. Components held as floats in the tile are converted to integers and back.
    fn store_logic(&mut self, place: Place, source: &[Src; 4], op: LogicOp, [read, written]: [Src; 2]) {
        let desc = place.target.format.desc();
        let integer = match desc.tile {
            _ if place.spilled().is_some() => None,
            TileFormat::U8Norm | TileFormat::S8Norm | TileFormat::I8 => Some(TileFormat::I8),
            TileFormat::U16Norm | TileFormat::S16Norm => Some(TileFormat::I16),
            TileFormat::I16 if place.target.format.is_integer() => Some(TileFormat::I16),
            TileFormat::I32 => Some(TileFormat::I32),
            _ => None,
        };
        let mask = if integer.is_some() { place.kept & place.target.write_mask } else { place.kept };
        let mut old = match (integer, op.reads_destination() || place.is_merged()) {
            (_, false) => Vec::new(),
            (Some(format), true) => tile::load_words(&mut self.b, (format, place.offset()), read, mask, 32),
            (None, true) => self.load(place, read).to_vec(),
        }
        .into_iter();
        let mut parts = Vec::new();
        for at in (0..4).filter(|at| mask >> at & 1 != 0) {
            let scale = Scale::new(desc.numeric, desc.bits[at]);
            let before = old.next().unwrap_or(Src::imm32(0));
            if integer.is_none() && place.target.write_mask >> at & 1 == 0 {
                parts.push(before);
                continue;
            }
            let destination = if integer.is_some() { before } else { scale.quantize(&mut self.b, before) };
            let quantized = scale.quantize(&mut self.b, source[at]);
            let combined = op.apply(&mut self.b, quantized, destination);
            // Integer stores keep the low bits.
            parts.push(if integer.is_some() { combined } else { scale.value(&mut self.b, combined) });
        }
        match integer {
            Some(format) => {
                tile::store_words(&mut self.b, (format, place.offset()), &parts, mask, written);
            }
            None => {
                let mut colour = [float(0.0, 32); 4];
                for (at, part) in parts.into_iter().enumerate() {
                    colour[at] = part;
                }
                self.store(place, &colour, [read, written]);
            }
        }
    }

    /// Preserves the registers of the sample loop and ends the program.
    fn finish(mut self) {
        if let Some(shaded) = self.shaded {
            self.b.effect(IrOp::Export, &[shaded], &[fragment::SAMPLES.into()]);
        }
        self.b.finish();
    }
}

/// Half-word of the first component of the blend constant.
const BLEND_CONSTANT: u16 = fragment::UNIFORMS[1].start;

/// The location of a target.
#[derive(Clone, Copy)]
enum Home {
    /// In the tile, starting at this byte of a sample.
    Tile(u16),
    /// In memory, as this target of the heap.
    Memory(u32),
}

/// A target and its location.
#[derive(Clone, Copy)]
struct Place {
    target: Target,
    home: Home,
    /// Components that its format stores.
    kept: u8,
}

impl Place {
    /// The target's number, if it is in memory.
    fn spilled(&self) -> Option<u32> {
        match self.home {
            Home::Tile(_) => None,
            Home::Memory(target) => Some(target),
        }
    }

    /// Whether components are stored together and not all of them are written: the others keep their values.
    fn is_merged(&self) -> bool {
        let together = self.target.format.desc().tile.is_packed() || self.spilled().is_some();
        together && self.target.write_mask & self.kept != self.kept
    }

    fn takes_logic(&self) -> bool {
        !matches!(self.target.format.desc().numeric, Numeric::Float | Numeric::Srgb)
    }

    /// Whether it is blended: a logic operation disables blending, and integers are never blended.
    fn takes_blending(&self, logic: Option<LogicOp>) -> bool {
        logic.is_none() && !self.target.format.is_integer()
    }

    /// First byte of a sample in the tile.
    fn offset(&self) -> u16 {
        match self.home {
            Home::Tile(offset) => offset,
            Home::Memory(_) => 0,
        }
    }
}

/// Conversion between numbers and their integer representation in memory.
struct Scale {
    numeric: Numeric,
    bits: u8,
}

impl Scale {
    fn new(numeric: Numeric, bits: u8) -> Scale {
        Scale { numeric, bits }
    }

    fn mask(&self) -> u32 {
        u32::MAX >> (32 - self.bits.clamp(1, 32))
    }

    /// The largest integer of the range.
    fn largest(&self) -> f64 {
        let mask = self.mask();
        f64::from(if self.numeric == Numeric::Snorm { mask >> 1 } else { mask })
    }

    fn quantize(&self, b: &mut Builder<'_, '_>, x: Src) -> Src {
        let signed = match self.numeric {
            Numeric::Unorm => false,
            Numeric::Snorm => true,
            _ => return x,
        };
        let x = tile::clamp(b, x, if signed { -1.0 } else { 0.0 }, 1.0);
        let scaled = b.fmul(x, float(self.largest(), 32));
        let rounded = b.rint(scaled);
        b.float_to_int(rounded, signed, 32)
    }

    /// The number represented by the low bits of an integer.
    fn value(&self, b: &mut Builder<'_, '_>, x: Src) -> Src {
        let distance = Src::imm32(32 - u32::from(self.bits.clamp(1, 32)));
        match self.numeric {
            Numeric::Uint => b.and(x, Src::imm32(self.mask())),
            Numeric::Sint | Numeric::Snorm => {
                let high = b.shl(x, distance);
                let integer = b.sshr(high, distance);
                if self.numeric == Numeric::Sint {
                    return integer;
                }
                let number = b.int_to_float(integer, true, 32);
                b.fmul(number, float(1.0 / self.largest(), 32))
            }
            _ => self.number(b, x),
        }
    }

    /// The number represented by the low bits of an unsigned integer.
    fn number(&self, b: &mut Builder<'_, '_>, x: Src) -> Src {
        let x = b.and(x, Src::imm32(self.mask()));
        let number = b.int_to_float(x, false, 32);
        b.fmul(number, float(1.0 / self.largest(), 32))
    }
}
