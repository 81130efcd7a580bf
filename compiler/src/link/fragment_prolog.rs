//! Fragment prologs, which perform the API's discards before a fragment shader runs.
//!
//! The prolog kills samples and the epilog tests the others, so the epilog's key records it
//! ([`super::EpilogKey::tested`]). If the main part requires early tests, the prolog runs them.

use agx_abi::fragment::{self, CoefficientSource, RootDescriptor};
use agx_isa::sr::Sr;
use agx_isa::table::Opcode;

use crate::error::CompileError;
use crate::ir::build::alu::IntCond;
use crate::ir::build::tile;
use crate::ir::key;
use crate::ir::op::mods;
use crate::ir::{Access, Arithmetic, Build, Builder, Function, IrOp, Src, Type};

/// Everything that affects a fragment prolog: equal keys give equal bytes.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct FragmentPrologKey {
    /// Samples that the API's sample mask keeps, bit 0 the first.
    pub sample_mask: u8,
    /// Discard pixels by the stipple pattern of 32 by 32 bits that the root descriptor names.
    pub stipple: bool,
    /// Coefficient registers of flags that are 0 across a primitive to be culled: one for each cull distance.
    pub culled: Vec<u8>,
    /// The program runs per sample, with the sample's mask in r0h.
    pub sample_shading: bool,
    /// Count fragments, at the address in the root descriptor, before any are discarded.
    pub counts: bool,
    /// The main part requires early tests. Discarded samples must not be tested, so the prolog also runs the
    /// tests if it discards anything.
    pub early_tests: bool,
    /// The main part writes memory. If it also requires early tests, the prolog runs them, as in Mesa 26.1:
    /// hidden-surface removal drops fragments of programs without tests of their own, though they passed.
    pub writes_memory: bool,
}

impl Default for FragmentPrologKey {
    /// Nothing is discarded.
    fn default() -> Self {
        FragmentPrologKey {
            sample_mask: 0xff,
            stipple: false,
            culled: Vec::new(),
            counts: false,
            sample_shading: false,
            early_tests: false,
            writes_memory: false,
        }
    }
}

/// All samples of a pixel, as a mask operand.
const ALL_SAMPLES: Src = Src::imm(0xff, 16);

/// The second operand of `sample_mask` that kills nothing: a pixel has at most four samples, and sources
/// disagree on the position of the upper two bits of a constant there.
pub(super) const EVERY_LIVE: Src = Src::imm(0x3f, 16);

/// The hardware's code of atomic addition.
const ATOMIC_ADD: u32 = 0;

/// Mask of the column and row of the stipple pattern.
const PATTERN: u32 = 31;

/// Builds the prolog; returns whether it kills or tests samples.
pub(super) fn build(f: &mut Function<'_>, key: &FragmentPrologKey) -> Result<bool, CompileError> {
    let mut b = Builder::start(f);
    let shaded = key
        .sample_shading
        .then(|| Src::value(b.value(IrOp::Preload, Type::B16, &[], &[fragment::SAMPLES.into()])));
    let samples = shaded.unwrap_or(ALL_SAMPLES);
    if key.counts {
        count(&mut b, shaded);
    }
    let mut kills = false;
    let mut kill = |b: &mut Builder<'_, '_>, dead: Src| {
        kills = true;
        b.effect(Opcode::SampleMask, &[dead, Src::imm(0, 16)], &mods(Opcode::SampleMask));
    };
    if key.sample_mask != 0xff {
        let dead = Src::imm(u64::from(!key.sample_mask), 16);
        let dead = if key.sample_shading { b.and(samples, dead) } else { dead };
        kill(&mut b, dead);
    }
    let mut discarded = None;
    if key.stipple {
        discarded = Some(stippled(&mut b));
    }
    for register in &key.culled {
        let culled = is_culled(&mut b, *register);
        discarded = Some(discarded.map_or(culled, |other| b.or(other, culled)));
    }
    if let Some(discarded) = discarded {
        let dead = b.select(discarded, samples, Src::imm(0, 16));
        kill(&mut b, dead);
    }
    let tests = key.early_tests && (kills || key.writes_memory);
    if tests {
        tile::wait(&mut b, tile::WAIT_TESTS);
        b.effect(Opcode::SampleMask, &[samples, EVERY_LIVE], &mods(Opcode::SampleMask));
    }
    if let Some(shaded) = shaded {
        b.effect(IrOp::Export, &[shaded], &[fragment::SAMPLES.into()]);
    }
    b.finish();
    Ok(kills || tests)
}

/// Adds 1 to the counter for each lane that is not a helper and, for per-sample shading, that covers the
/// sample.
fn count(b: &mut Builder<'_, '_>, shaded: Option<Src>) {
    let register = |b: &mut Builder<'_, '_>, sr: Sr| {
        Src::value(b.value(Opcode::Mfsr, Type::B32, &[], &mods(Opcode::Mfsr).with(key::SR, sr)))
    };
    let mut live = register(b, Sr::IS_ACTIVE);
    if let Some(shaded) = shaded {
        let covered = register(b, Sr::SAMPLE_MASK);
        let shaded = b.uconv(shaded, 32);
        let covered = b.and(covered, shaded);
        let is_live = b.icmp(IntCond::NE, live, Src::imm32(0));
        live = b.select(is_live, covered, Src::imm32(0));
    }
    let live = b.icmp(IntCond::NE, live, Src::imm32(0));
    // Helpers add 0, since prologs have no control flow.
    let one = b.select(live, Src::imm32(1), Src::imm32(0));
    let address = address_at(b, RootDescriptor::INVOCATIONS_OFFSET);
    b.effect(IrOp::AtomicGlobal, &[address, Src::imm32(0), one], &[ATOMIC_ADD]);
}

/// Loads an address from the root descriptor.
fn address_at(b: &mut Builder<'_, '_>, offset: u32) -> Src {
    let root = Src::uniform(fragment::UNIFORMS[2].start, 64);
    let access = [Access::READONLY.bits(), 8];
    let words = b.value(IrOp::LoadGlobal, Type::vector(32, 2), &[root, Src::imm32(offset)], &access);
    b.collect(Type::B64, &[words.into()])
}

/// Whether the pattern's bit of the pixel is clear: rows go down, and the most significant bit is the first
/// pixel.
fn stippled(b: &mut Builder<'_, '_>) -> Src {
    let [x, y] = [Sr::THREAD_X, Sr::THREAD_Y].map(|sr| {
        let place = b.value(Opcode::Mfsr, Type::B32, &[], &mods(Opcode::Mfsr).with(key::SR, sr));
        b.and(place.into(), Src::imm32(PATTERN))
    });
    let address = address_at(b, RootDescriptor::STIPPLE_OFFSET);
    let row = b.shl(y, Src::imm32(2));
    let access = [Access::READONLY.bits(), 4];
    let pattern = b.value(IrOp::LoadGlobal, Type::B32, &[address, row], &access);
    let distance = b.isub(Src::imm32(PATTERN), x);
    let bit = b.ushr(pattern.into(), distance);
    let bit = b.and(bit, Src::imm32(1));
    b.icmp(IntCond::EQ, bit, Src::imm32(0))
}

/// Whether a coefficient is 0 everywhere: the distance was negative at every vertex.
fn is_culled(b: &mut Builder<'_, '_>, register: u8) -> Src {
    let mods = mods(Opcode::Ldcf);
    let vector = b.value(Opcode::Ldcf, Type::vector(32, 3), &[Src::imm(register.into(), 16)], &mods);
    let terms = b.split(vector.into(), Type::B32, 3);
    let any = b.or(terms[0], terms[1]);
    let any = b.or(any, terms[2]);
    // Negative zero counts as zero.
    let magnitude = b.shl(any, Src::imm32(1));
    b.icmp(IntCond::EQ, magnitude, Src::imm32(0))
}

impl FragmentPrologKey {
    /// Whether a shader needs a prolog.
    pub fn is_needed(&self) -> bool {
        self.counts || self.discards() || (self.early_tests && self.writes_memory)
    }

    /// Whether it may discard anything, so that tests must not precede it.
    pub fn discards(&self) -> bool {
        self.sample_mask != 0xff || self.stipple || !self.culled.is_empty()
    }

    /// Appends the coefficients of cull-distance flags to those of a main part: see
    /// [`agx_abi::fragment::cull_flags`].
    pub fn with_cull_distances(
        mut self,
        coefficients: &mut Vec<CoefficientSource>,
        culled: impl IntoIterator<Item = CoefficientSource>,
    ) -> Self {
        for source in culled {
            let found = coefficients.iter().position(|other| *other == source);
            let at = found.unwrap_or_else(|| {
                coefficients.push(source);
                coefficients.len() - 1
            });
            self.culled.push(at as u8);
        }
        self
    }
}
