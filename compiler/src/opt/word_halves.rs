//! Reads the halves of words, and bytes at their lower ends, where shifts and masks would extract them.
//!
//! Registers of 16 bits are the halves of the 32-bit ones, so that `split` costs nothing. An integer operand extends a
//! half by itself, with or without its sign, and conversions to float read 16 or 8 bits. Shifts run on a unit with a
//! fourth of the throughput of the others.
//!
//! * `x >> 16`, `x & 0xffff` and `(x << 16) >> 16` are extended halves.
//! * A conversion of an extended half or byte to float reads the half or byte, or what the byte was cut from.
//!
//! Runs after address formation, which looks for shifts. The words are not uniform: uniform computations are in the
//! preamble.
//!
//! Before: stage source to lowered. After: the same.

use agx_isa::table::Opcode;
use agx_isa::table::names::Truth;

use crate::ir::key;
use crate::ir::op::mods;
use crate::ir::{Build, Function, InstData, IrOp, Op, Rewrite, Rewriter, Src, Type};

/// Half of a word, as an extension to 32 bits reads it.
#[derive(Clone, Copy)]
struct Half {
    word: Src,
    /// The upper one.
    high: bool,
    signed: bool,
}

/// Reads the halves of words where shifts and masks would extract them.
pub fn opt_word_halves(f: &mut Function<'_>) {
    let may_have = |op: Op| f.present.may_have_op(op);
    let mut insts = f.layout.iter().flat_map(|segment| &f.block(segment.block).insts);
    if !SHIFTS.into_iter().chain(CONVERSIONS).any(may_have) || !insts.any(|inst| reads_less(&f.insts[*inst]))
    {
        return;
    }
    f.map_insts(|r, inst| {
        let data = r.f.insts[inst];
        match data.op {
            Op::Ir(IrOp::Ushr | IrOp::Sshr) | Op::Hw(Opcode::Bitop) => extend(r, &data),
            op if CONVERSIONS.contains(&op) => convert(r, &data),
            _ => Rewrite::Keep,
        }
    });
}

/// Conversions to float that may read less than their source.
const CONVERSIONS: [Op; 4] =
    [Op::Hw(Opcode::U32ToF), Op::Hw(Opcode::S32ToF), Op::Hw(Opcode::U16ToF), Op::Hw(Opcode::S16ToF)];

/// Shifts, without which and [`CONVERSIONS`] words are hardly taken apart.
const SHIFTS: [Op; 2] = [Op::Ir(IrOp::Ushr), Op::Ir(IrOp::Sshr)];

/// Whether an instruction may read less than a word: most functions have none.
fn reads_less(data: &InstData<'_>) -> bool {
    match data.op {
        Op::Ir(IrOp::Ushr | IrOp::Sshr) => constant(data.srcs[1]) == Some(16),
        Op::Hw(Opcode::Bitop) => matches!(mask(data), Some(0xff | 0xffff)),
        op => CONVERSIONS.contains(&op) && data.srcs[0].as_value().is_some(),
    }
}

/// Extends a half instead of extracting it.
fn extend(r: &mut Rewriter<'_, '_>, data: &InstData<'_>) -> Rewrite {
    let Some(half) = Half::of(r.f, data) else { return Rewrite::Keep };
    let part = half.read(r);
    r.push(if half.signed { IrOp::Sconv } else { IrOp::Uconv }, data.dsts, &[part], &[]);
    Rewrite::Remove
}

/// Converts a half or a byte instead of its extension.
fn convert(r: &mut Rewriter<'_, '_>, data: &InstData<'_>) -> Rewrite {
    let Some((op, part)) = narrower(r, data) else { return Rewrite::Keep };
    r.push(op, data.dsts, &[part], data.mods);
    Rewrite::Remove
}

/// The conversion with fewer bits that has the same result, and its source.
fn narrower(r: &mut Rewriter<'_, '_>, data: &InstData<'_>) -> Option<(Opcode, Src)> {
    let signed = matches!(data.op, Op::Hw(Opcode::S32ToF | Opcode::S16ToF));
    let source = r.f.def(data.srcs[0]).filter(|_| data.srcs[0].flags.is_empty())?;
    match source.op {
        Op::Ir(IrOp::Uconv) => match r.f.width(source.srcs[0]) {
            8 => Some((Opcode::U8ToF, uncut(r, source.srcs[0]))),
            16 => Some((Opcode::U16ToF, source.srcs[0])),
            _ => None,
        },
        Op::Ir(IrOp::Sconv) if signed => match r.f.width(source.srcs[0]) {
            8 => Some((Opcode::S8ToF, uncut(r, source.srcs[0]))),
            16 => Some((Opcode::S16ToF, source.srcs[0])),
            _ => None,
        },
        Op::Hw(Opcode::Bitop) if mask(&source) == Some(0xff) => {
            let half = match r.f.def(source.srcs[0]) {
                // The mask's source is a half already.
                Some(extended) if extended.op == Op::Ir(IrOp::Uconv) && r.f.width(extended.srcs[0]) == 16 => {
                    return Some((Opcode::U8ToF, extended.srcs[0]));
                }
                _ => Half { word: source.srcs[0], high: false, signed },
            };
            half.is_word(r.f).then(|| (Opcode::U8ToF, half.read(r)))
        }
        Op::Ir(IrOp::Sshr) if signed && constant(source.srcs[1]) == Some(24) => {
            let up = r.f.def(source.srcs[0]).filter(|up| up.op == Op::Ir(IrOp::Shl))?;
            let high = match constant(up.srcs[1])? {
                24 => false,
                8 => true,
                _ => return None,
            };
            let half = Half { word: up.srcs[0], high, signed };
            half.is_word(r.f).then(|| (Opcode::S8ToF, half.read(r)))
        }
        _ => None,
    }
}

/// What a byte was cut from, or the byte itself: a conversion of a byte reads the low one alone.
fn uncut(r: &mut Rewriter<'_, '_>, byte: Src) -> Src {
    let cut = r.f.def(byte).filter(|cut| cut.op == Op::Ir(IrOp::Uconv));
    let Some(whole) = cut.map(|cut| cut.srcs[0]).filter(|whole| whole.as_value().is_some()) else {
        return byte;
    };
    let low = Half { word: whole, high: false, signed: false };
    if let Some(half) = second_byte(r.f, whole) {
        return r.op(IrOp::Ushr, 16, &[half, Src::imm(8, 16)]);
    }
    match r.f.width(whole) {
        16 => whole,
        32 if low.is_word(r.f) => low.read(r),
        _ => byte,
    }
}

/// The half whose second byte is the low byte of `word`.
fn second_byte(f: &Function<'_>, word: Src) -> Option<Src> {
    let shift = f.def(word).filter(|shift| shift.op == Op::Ir(IrOp::Ushr))?;
    let extended = f.def(shift.srcs[0]).filter(|_| constant(shift.srcs[1]) == Some(8))?;
    match (extended.op, extended.srcs) {
        (Op::Ir(IrOp::Uconv | IrOp::Sconv), [half]) if f.width(*half) == 16 => Some(*half),
        _ => None,
    }
}

impl Half {
    /// The half that a shift or mask extracts.
    fn of(f: &Function<'_>, data: &InstData<'_>) -> Option<Half> {
        if f.ty(*data.dsts.first()?) != Type::B32 {
            return None;
        }
        let [source, amount] = [data.srcs[0], data.srcs[1]];
        let half = match data.op {
            Op::Hw(_) => {
                (mask(data) == Some(0xffff)).then_some(Half { word: source, high: false, signed: false })
            }
            _ if constant(amount) != Some(16) => None,
            op => {
                let signed = op == Op::Ir(IrOp::Sshr);
                let moved_up = f
                    .def(source)
                    .filter(|up| signed && up.op == Op::Ir(IrOp::Shl) && constant(up.srcs[1]) == Some(16));
                let word = moved_up.map_or(source, |up| up.srcs[0]);
                Some(Half { word, high: moved_up.is_none(), signed })
            }
        };
        half.filter(|half| half.is_word(f))
    }

    /// Whether the word is in a register.
    fn is_word(self, f: &Function<'_>) -> bool {
        let scalar = self.word.as_value().is_some_and(|value| f.ty(value) == Type::B32);
        scalar && self.word.flags.is_empty()
    }

    /// The half as a value of 16 bits.
    fn read(self, r: &mut Rewriter<'_, '_>) -> Src {
        let parts = [r.f.add_value(Type::B16), r.f.add_value(Type::B16)];
        r.push(IrOp::Split, &parts, &[self.word], &mods(IrOp::Split));
        Src::value(parts[usize::from(self.high)])
    }
}

/// The constant with which an operation masks its first source.
fn mask(data: &InstData<'_>) -> Option<u64> {
    constant(data.srcs[1]).filter(|_| data.get(key::TABLE) == Truth::AND)
}

fn constant(src: Src) -> Option<u64> {
    src.as_imm().filter(|_| src.flags.is_empty())
}
