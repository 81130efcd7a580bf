//! Tile loads and stores: the contents of a render target at the pixel.

use agx_abi::tile::{ColourFormat, Numeric, TileFormat};
use agx_isa::table::Opcode;
use agx_isa::table::names::{Format, Value as _};

use crate::ir::build::alu::{FloatCond, float};
use crate::ir::key;
use crate::ir::op::{Mods, mods};
use crate::ir::{Arithmetic, Build, Builder, Src, Type};

/// Wait mask: earlier fragments at the pixel must have passed this point before tests run.
pub const WAIT_TESTS: u64 = 1;

/// Wait mask before the tile is read (Mesa 25.0 AGX compiler).
pub const WAIT_READS: u64 = 8;

/// Wait mask before the tile or memory is written, or memory written by other fragments is read.
pub const WAIT_ALL: u64 = 12;

/// Waits for earlier fragments at the pixel.
pub fn wait(b: &mut Builder<'_, '_>, mask: u64) {
    b.effect(Opcode::Pixwait, &[Src::imm(mask, 16)], &mods(Opcode::Pixwait));
}

/// Modifiers of an access to the components in `mask`, starting at byte `offset` of a sample.
pub fn access(op: Opcode, format: TileFormat, mask: u8, offset: u16) -> Mods {
    mods(op)
        .with(key::FORMAT, Format::from_code(format.code()))
        .with(key::MASK, mask.into())
        .with(key::OFFSET, offset.into())
}

/// The mask of the components that a format stores.
pub fn kept_mask(format: ColourFormat) -> u8 {
    (1 << format.desc().components) - 1
}

/// Loads words of `bits` bits from the lowest sample of a mask.
pub fn load_words(
    b: &mut Builder<'_, '_>,
    (format, offset): (TileFormat, u16),
    samples: Src,
    mask: u8,
    bits: u8,
) -> Vec<Src> {
    let count = mask.count_ones() as usize;
    let ty = Type::vector(bits, count as u8);
    let loaded =
        b.value(Opcode::LdTile, ty, &[samples, Src::NONE], &access(Opcode::LdTile, format, mask, offset));
    b.split(loaded.into(), Type::scalar(bits), count).to_vec()
}

/// Loads the components of a target in the lowest sample of a mask, as 32-bit numbers; components that the
/// format lacks are 0, 0, 0, 1.
pub fn load(b: &mut Builder<'_, '_>, format: ColourFormat, offset: u16, samples: Src) -> [Src; 4] {
    let (desc, is_half) = (format.desc(), format.is_half());
    let mask = kept_mask(format);
    let words = load_words(b, (desc.tile, offset), samples, mask, if is_half { 16 } else { 32 });
    let mut words = words.into_iter();
    [0, 1, 2, 3].map(|at: usize| match words.next() {
        Some(word) if is_half => b.fconv(word, 32),
        // Loads zero-extend.
        Some(word) if desc.numeric == Numeric::Sint && desc.bits[at] < 32 => {
            let distance = Src::imm32(32 - u32::from(desc.bits[at]));
            let high = b.shl(word, distance);
            b.sshr(high, distance)
        }
        Some(word) => word,
        None => absent(format, at),
    })
}

/// The value of a component that a format lacks.
pub fn absent(format: ColourFormat, component: usize) -> Src {
    match (component == 3, format.is_integer()) {
        (false, _) => Src::imm32(0),
        (true, true) => Src::imm32(1),
        (true, false) => float(1.0, 32),
    }
}

/// Stores the components in `mask` of a colour, 32 bits each, to the samples of a mask.
pub fn store(
    b: &mut Builder<'_, '_>,
    (format, offset): (ColourFormat, u16),
    colour: &[Src; 4],
    mask: u8,
    samples: Src,
) {
    let bits = if format.is_half() { 16 } else { 32 };
    let parts: Vec<Src> = (0..4).filter(|at| mask >> at & 1 != 0).map(|at| colour[at]).collect();
    let parts: Vec<Src> = parts.into_iter().map(|part| b.fconv(part, bits)).collect();
    store_words(b, (format.desc().tile, offset), &parts, mask, samples);
}

/// Stores words of equal width as the components in `mask` to the samples of a mask.
pub fn store_words(
    b: &mut Builder<'_, '_>,
    (format, offset): (TileFormat, u16),
    parts: &[Src],
    mask: u8,
    samples: Src,
) {
    let bits = parts.first().map_or(32, |part| b.f.width(*part));
    let data = b.collect(Type::vector(bits, parts.len() as u8), parts);
    b.effect(Opcode::StTile, &[data, samples, Src::NONE], &access(Opcode::StTile, format, mask, offset));
}

/// The representable value of a colour: integers are clamped to their bits, and fixed-point components to
/// their range if stores do not clamp them because the tile holds halves, or if `clamps` is set.
pub fn in_range(b: &mut Builder<'_, '_>, colour: [Src; 4], format: ColourFormat, clamps: bool) -> [Src; 4] {
    let desc = format.desc();
    let mut at = 0;
    colour.map(|x| {
        let bits = desc.bits[at];
        at += 1;
        match desc.numeric {
            Numeric::Unorm | Numeric::Srgb if clamps || format.is_half() => b.fsat(x),
            Numeric::Snorm if clamps => clamp(b, x, -1.0, 1.0),
            Numeric::Uint if bits < 32 && bits > 0 => b.umin(x, Src::imm32((1 << bits) - 1)),
            Numeric::Sint if bits < 32 && bits > 0 => {
                let half = 1_u32 << (bits - 1);
                let low = b.imax(x, Src::imm32(half.wrapping_neg()));
                b.imin(low, Src::imm32(half - 1))
            }
            _ => x,
        }
    })
}

/// Clamps a float to a range; NaN gives 0.
pub fn clamp(b: &mut Builder<'_, '_>, x: Src, low: f64, high: f64) -> Src {
    if (low, high) == (0.0, 1.0) {
        return b.fsat(x);
    }
    let number = b.fcmp(FloatCond::EQ, x, x);
    let x = b.select(number, x, float(0.0, 32));
    let above = b.fmax(x, float(low, 32));
    b.fmin(above, float(high, 32))
}
