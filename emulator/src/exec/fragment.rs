//! Fragment and vertex operations: tile buffer, tests, interpolation, varyings.
//!
//! Rules from the Mesa 25.0 AGX compiler and applegpu: a killed sample stays killed, a sample is tested once, and
//! stores to the tile affect only live samples.

use agx_isa::inst::{Inst, Size, Tag};
use agx_isa::key::{self, Key};
use half::f16;

use crate::core::Core;
use crate::exec::fields::Fields;
use crate::exec::memory::Layout;
use crate::findings::{FindingKind, Observation};
use crate::frame::Frame;
use crate::group::{Group, PerLane};
use crate::pixels::{Pixels, SLOTS};
use crate::registers::{Dst, Src, lanes_of};

const NOT_FRAGMENT: FindingKind = FindingKind::Unsupported("a fragment operation outside a fragment program");
const NOT_VERTEX: FindingKind = FindingKind::Unsupported("a varying store outside a vertex program");

/// `ld_tile` and `st_tile`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tile {
    layout: Layout,
    samples: Src,
    /// Explicit pixel coordinates: x, then y in the next half register.
    coords: Option<Dst>,
    /// Bytes within a sample.
    offset: u32,
}

impl Tile {
    /// Resolves a load (`data` is then `dst`) or a store.
    pub(crate) fn new(inst: &Inst, data: Key) -> Option<Tile> {
        let fields = Fields::new(inst);
        Some(Tile {
            layout: Layout::new(inst, data)?,
            samples: fields.source(key::SAMPLES).sized(Size::B16),
            coords: Dst::new(fields.get(key::COORDS)),
            offset: fields.number(key::OFFSET),
        })
    }

    /// Loads from the lowest sample of the mask.
    pub(crate) fn load(&self, group: &mut Group, core: &mut Core<'_>) -> Result<(), Observation> {
        let masks = group.gather(core.uniforms, &self.samples);
        let frame = core.frame.as_deref_mut().ok_or(NOT_FRAGMENT)?;
        for lane in lanes_of(group.exec) {
            let [x, y] = self.pixel(group, lane)?;
            let sample = (masks[lane] as u16).trailing_zeros();
            let bytes = frame.buffer.colour(x, y, sample).map(<[u8]>::to_vec);
            self.layout.load(group, lane, |component, len| {
                let at = self.offset as usize + (component * self.layout.format.bytes()) as usize;
                let found = bytes.as_ref().and_then(|bytes| bytes.get(at..at + len as usize));
                Ok::<_, Observation>(found.map_or(0, |found| {
                    found.iter().rev().fold(0, |value, byte| value << 8 | u32::from(*byte))
                }))
            })?;
        }
        Ok(())
    }

    /// Stores to the live samples of the mask.
    pub(crate) fn store(&self, group: &Group, core: &mut Core<'_>) -> Result<(), Observation> {
        let masks = group.gather(core.uniforms, &self.samples);
        let mut early = 0;
        let frame = core.frame.as_deref_mut().ok_or(NOT_FRAGMENT)?;
        for lane in lanes_of(group.exec) {
            // Compute programs have a tile but no pixels, so no sample is killed.
            let (alive, tested) =
                group.pixels.as_deref().map_or((!0, !0), |pixels| (pixels.live[lane], pixels.tested[lane]));
            let live = masks[lane] as u16 & alive;
            if frame.late_tests && live & !tested != 0 {
                early |= 1 << lane;
            }
            let [x, y] = self.pixel(group, lane)?;
            for sample in lanes_of(u32::from(live)) {
                let Some(place) = frame.buffer.place(x, y, sample as u32) else { continue };
                let Some(bytes) = frame.buffer.bytes_mut(place) else { continue };
                self.layout.store(group, lane, |component, len, value| {
                    let at = self.offset as usize + (component * self.layout.format.bytes()) as usize;
                    if let Some(hidden) = &mut frame.hidden {
                        hidden.store(place, at..at + len as usize);
                    }
                    if let Some(place) = bytes.get_mut(at..at + len as usize) {
                        place.copy_from_slice(&value.to_le_bytes()[..len as usize]);
                    }
                    Ok::<_, Observation>(())
                })?;
            }
        }
        if let Some(lane) = lanes_of(early).next() {
            core.note(FindingKind::TileStoreBeforeTest, lane);
        }
        Ok(())
    }

    fn pixel(&self, group: &Group, lane: usize) -> Result<[u32; 2], Observation> {
        Ok(match self.coords {
            None => group.pixels.as_deref().ok_or(NOT_FRAGMENT)?.position[lane],
            Some(coords) => [0, 1].map(|at| group.read(coords.half.wrapping_add(at), Size::B16, lane) as u32),
        })
    }
}

/// `sample_mask` and `zs_emit`, which kill and test samples.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Decide {
    /// Samples concerned.
    target: Src,
    /// Samples of the target to test; the others are killed. `None` for `zs_emit`, which tests all.
    live: Option<Src>,
    depth: Option<Dst>,
    stencil: Option<Dst>,
}

impl Decide {
    /// Resolves `sample_mask`.
    pub(crate) fn sample_mask(inst: &Inst) -> Decide {
        let fields = Fields::new(inst);
        let mask = |key| fields.source(key).sized(Size::B16);
        Decide { target: mask(key::TARGET), live: Some(mask(key::LIVE)), depth: None, stencil: None }
    }

    /// Resolves `zs_emit`: depth is first, stencil in the half register after it.
    pub(crate) fn emit(inst: &Inst) -> Option<Decide> {
        let fields = Fields::new(inst);
        let first = Dst::new(fields.get(key::DATA))?;
        let (z, s) = (fields.flag(key::Z), fields.flag(key::S));
        let depth = Dst { half: first.half, size: Size::B32 };
        let stencil = Dst { half: first.half.wrapping_add(if z { 2 } else { 0 }), size: Size::B16 };
        Some(Decide {
            target: fields.source(key::SAMPLES).sized(Size::B16),
            live: None,
            depth: z.then_some(depth),
            stencil: s.then_some(stencil),
        })
    }

    /// Tests or kills.
    pub(crate) fn run(&self, group: &mut Group, core: &mut Core<'_>) -> Result<(), Observation> {
        let targets = group.gather(core.uniforms, &self.target);
        let lives = match &self.live {
            Some(live) => group.gather(core.uniforms, live),
            None => [u64::MAX; crate::group::LANES],
        };
        let mut pixels = group.pixels.take().ok_or(NOT_FRAGMENT)?;
        let (mut twice, mut late) = (0, 0);
        let frame = core.frame.as_deref_mut().ok_or(NOT_FRAGMENT)?;
        for lane in lanes_of(group.exec) {
            let target = targets[lane] as u16 & pixels.covered[lane];
            let killed = target & !(lives[lane] as u16);
            let tested = target & !killed & pixels.live[lane];
            if tested & pixels.tested[lane] != 0 {
                twice |= 1 << lane;
            }
            if killed & pixels.tested[lane] != 0 {
                late |= 1 << lane;
            }
            let value = |dst: Dst| group.read(dst.half, dst.size, lane);
            let depth = self.depth.map(|dst| f32::from_bits(value(dst) as u32));
            let stencil = self.stencil.map(|dst| value(dst) as u8);
            if let Some(watcher) = &mut frame.watcher {
                watcher.killed(pixels.position[lane], killed & pixels.live[lane]);
            }
            let failed = failures(frame, &pixels, lane, tested, depth, stencil);
            pixels.live[lane] &= !(killed | failed);
            pixels.tested[lane] |= tested;
        }
        group.pixels = Some(pixels);
        if let Some(lane) = lanes_of(twice).next() {
            core.note(FindingKind::SampleTestedTwice, lane);
        }
        if let Some(lane) = lanes_of(late).next() {
            core.note(FindingKind::SampleKilledAfterTest, lane);
        }
        Ok(())
    }
}

/// The samples of `tested` that fail.
fn failures(
    frame: &mut Frame,
    pixels: &Pixels,
    lane: usize,
    tested: u16,
    depth: Option<f32>,
    stencil: Option<u8>,
) -> u16 {
    let [x, y] = pixels.position[lane];
    lanes_of(u32::from(tested)).fold(0, |failed, sample| {
        let passes = frame.test([x, y, sample as u32], depth, stencil);
        if passes { failed } else { failed | 1 << sample }
    })
}

/// The number of a coefficient register.
#[derive(Clone, Copy, Debug)]
enum Number {
    Fixed(u32),
    InRegister(u8),
}

impl Number {
    fn new(inst: &Inst, key: Key) -> Number {
        let operand = inst.get(key);
        match operand.tag {
            Tag::Reg => Number::InRegister(operand.value as u8),
            _ => Number::Fixed(operand.value),
        }
    }

    fn get(self, group: &Group, lane: usize) -> u32 {
        match self {
            Number::Fixed(number) => number,
            Number::InRegister(half) => group.read(half, Size::B16, lane) as u32,
        }
    }
}

/// Position in the pixel at which a value is interpolated.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Where {
    Centre,
    Sample,
    Centroid,
}

/// `iter` and `iterproj`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Interpolate {
    dst: Dst,
    count: u32,
    first: Number,
    /// The coefficient register of 1/w, for perspective.
    w: Option<Number>,
    place: Where,
    sample: Src,
}

impl Interpolate {
    /// Resolves an interpolation.
    pub(crate) fn new(inst: &Inst, perspective: bool) -> Option<Interpolate> {
        let fields = Fields::new(inst);
        Some(Interpolate {
            dst: Dst::new(fields.get(key::DST))?,
            count: if fields.flag(key::COUNT) { fields.number(key::COUNT) } else { 4 },
            first: Number::new(inst, key::A),
            w: perspective.then(|| Number::new(inst, key::W)),
            place: [Where::Centre, Where::Sample, Where::Centroid, Where::Sample]
                [fields.number(key::INTERP) as usize & 3],
            sample: fields.source(key::SAMPLE).sized(Size::B16),
        })
    }

    /// Interpolates consecutive coefficients in the active lanes.
    pub(crate) fn run(&self, group: &mut Group, core: &mut Core<'_>) -> Result<(), Observation> {
        let samples = group.gather(core.uniforms, &self.sample);
        let frame = core.frame.as_deref().ok_or(NOT_FRAGMENT)?;
        let missing = FindingKind::Unsupported("a coefficient register that the draw does not set");
        for lane in lanes_of(group.exec) {
            let [x, y] = self.point(group, frame, lane, samples[lane] as u32)?;
            let w = match self.w {
                Some(w) => Some(frame.interpolate(w.get(group, lane), x, y).ok_or(missing.clone())?),
                None => None,
            };
            let first = self.first.get(group, lane);
            for at in 0..self.count {
                let value = frame.interpolate(first.wrapping_add(at), x, y).ok_or(missing.clone())?;
                let value = w.map_or(value, |w| (f64::from(value) / f64::from(w)) as f32);
                let bits = match self.dst.size {
                    Size::B16 => u64::from(f16::from_f32(value).to_bits()),
                    _ => u64::from(value.to_bits()),
                };
                group.write(self.dst.following(at), bits, lane);
            }
        }
        Ok(())
    }

    fn point(&self, group: &Group, frame: &Frame, lane: usize, sample: u32) -> Result<[f64; 2], Observation> {
        let pixels = group.pixels.as_deref().ok_or(NOT_FRAGMENT)?;
        let samples = frame.buffer.samples();
        let all = (1_u32 << samples) - 1;
        let covered = u32::from(pixels.covered[lane]);
        let [dx, dy] = match self.place {
            Where::Sample => frame.buffer.sample_position(sample),
            Where::Centroid if covered != 0 && covered != all => {
                frame.buffer.sample_position(covered.trailing_zeros())
            }
            Where::Centre | Where::Centroid => [0.5, 0.5],
        };
        let [x, y] = pixels.position[lane].map(f64::from);
        Ok([x + dx, y + dy])
    }
}

/// `ldcf`: a coefficient vector relative to the pixel's tile.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LoadCoefficient {
    dst: Dst,
    number: Number,
}

impl LoadCoefficient {
    /// Resolves the destination and the coefficient.
    pub(crate) fn new(inst: &Inst) -> Option<LoadCoefficient> {
        let dst = Dst::new(Fields::new(inst).get(key::DST))?;
        Some(LoadCoefficient { dst, number: Number::new(inst, key::A) })
    }

    /// Writes A, B, C to three registers of the active lanes.
    pub(crate) fn run(&self, group: &mut Group, core: &mut Core<'_>) -> Result<(), Observation> {
        let frame = core.frame.as_deref().ok_or(NOT_FRAGMENT)?;
        for lane in lanes_of(group.exec) {
            let pixels = group.pixels.as_deref().ok_or(NOT_FRAGMENT)?;
            let vector = frame.vector(self.number.get(group, lane), pixels.position[lane]);
            let missing = FindingKind::Unsupported("a coefficient register that the draw does not set");
            for (at, bits) in vector.ok_or(missing)?.into_iter().enumerate() {
                group.write(self.dst.following(at as u32), u64::from(bits), lane);
            }
        }
        Ok(())
    }
}

/// `st_var`: one word of vertex output.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StoreVarying {
    data: Dst,
    slot: Src,
    last: bool,
}

impl StoreVarying {
    /// Resolves data and slot.
    pub(crate) fn new(inst: &Inst) -> Option<StoreVarying> {
        let fields = Fields::new(inst);
        let data = Dst { size: Size::B32, ..Dst::new(fields.get(key::DATA))? };
        Some(StoreVarying {
            data,
            slot: fields.source(key::INDEX).sized(Size::B16),
            last: fields.flag(key::LAST),
        })
    }

    /// Stores the active lanes' values.
    pub(crate) fn run(&self, group: &mut Group, core: &mut Core<'_>) -> Result<(), Observation> {
        let slots: PerLane<u64> = group.gather(core.uniforms, &self.slot);
        let mut outputs = group.outputs.take().ok_or(NOT_VERTEX)?;
        if outputs.finished {
            core.notes.push(FindingKind::VaryingAfterLast.into());
        }
        for lane in lanes_of(group.exec) {
            let value = group.read(self.data.half, Size::B32, lane) as u32;
            outputs.slots[slots[lane] as usize % SLOTS][lane] = value;
        }
        outputs.finished |= self.last;
        group.outputs = Some(outputs);
        Ok(())
    }
}
