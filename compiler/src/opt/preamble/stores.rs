//! Stores to the uniform file. One instruction stores two adjacent words.

use agx_isa::inst::Size;
use agx_isa::table::Opcode;
use bumpalo::Bump;

use crate::ir::key;
use crate::ir::op::{Mods, mods};
use crate::ir::{Arithmetic, Build, Builder, Function, IrOp, ScratchSide, Src, Type, Value};

/// Maximum number of words that wait for their neighbours at a time, since each takes a register.
const MOST_WAITING: usize = 24;

/// The stores of a preamble.
pub(super) struct Stores<'s> {
    /// The modifiers for one, two and four half-words.
    masks: [Mods; 3],
    /// The destination of each value.
    homes: ScratchSide<'s, Value, Option<Home>>,
    /// Number of words that wait for their neighbours.
    waiting: usize,
}

/// The destination of a value, and the adjacent word.
#[derive(Clone, Copy)]
struct Home {
    half: u16,
    /// The adjacent value, and its counterpart in the preamble once that is computed and waits.
    beside: Option<(Value, Option<Value>)>,
}

impl<'s> Stores<'s> {
    /// Prepares for values with the given half-words.
    pub(super) fn of(f: &Function<'_>, places: &[(Value, u16)], scratch: &'s Bump) -> Stores<'s> {
        let masks = [1, 2, 4].map(|halves| mods(Opcode::UniformStore).with(key::MASK, (1 << halves) - 1));
        let mut homes: ScratchSide<'_, Value, Option<Home>> = ScratchSide::new_in(scratch, f.values.len());
        for (value, half) in places {
            homes[*value] = Some(Home { half: *half, beside: None });
        }
        let halves = u16::from(Size::B32.halves());
        for pair in places.windows(2) {
            let [(low, half), (high, next)] = [pair[0], pair[1]];
            let are_words = f.ty(low) == Type::B32 && f.ty(high) == Type::B32;
            if are_words && half.is_multiple_of(2 * halves) && next == half + halves {
                homes[low] = Some(Home { half, beside: Some((high, None)) });
                homes[high] = Some(Home { half: next, beside: Some((low, None)) });
            }
        }
        Stores { masks, homes, waiting: 0 }
    }

    /// Records that the preamble computed the value `old` of the function as `new`.
    pub(super) fn made(&mut self, b: &mut Builder<'_, '_>, old: Value, new: Value) {
        let Some(Home { half, beside }) = self.homes[old] else { return };
        match beside {
            Some((_, Some(other))) => {
                self.waiting -= 1;
                self.store_alone(old);
                let is_low = half.is_multiple_of(2 * u16::from(Size::B32.halves()));
                let (parts, half) = match is_low {
                    true => ([new, other], half),
                    false => ([other, new], half - u16::from(Size::B32.halves())),
                };
                let data = b.value(IrOp::Collect, Type::vector(16, 4), &parts.map(Src::value), &[]);
                b.effect(Opcode::UniformStore, &[data.into(), Src::uniform(half, 16)], &self.masks[2]);
            }
            Some((other, None)) if self.waiting < MOST_WAITING => {
                self.waiting += 1;
                if let Some(home) = &mut self.homes[other] {
                    home.beside = Some((old, Some(new)));
                }
            }
            _ => {
                if let Some((other, _)) = beside {
                    self.store_alone(other);
                }
                self.store(b, new, half);
            }
        }
    }

    /// Stores a value without its neighbour.
    fn store_alone(&mut self, value: Value) {
        if let Some(home) = &mut self.homes[value] {
            home.beside = None;
        }
    }
    /// Stores a value to the half-words from `half` on; wider values are stored as several of them (Mesa 25.0: a 32-bit
    /// format does not work).
    fn store(&self, b: &mut Builder<'_, '_>, value: Value, half: u16) {
        let word = if b.f.ty(value) == Type::BOOL { b.uconv(value.into(), 16) } else { value.into() };
        let count = b.f.src_ty(word).halves();
        let ty = Type::vector(16, count as u8);
        let data =
            if b.f.src_ty(word) == ty { word } else { b.value(IrOp::Collect, ty, &[word], &[]).into() };
        let mods = &self.masks[count.ilog2() as usize];
        b.effect(Opcode::UniformStore, &[data, Src::uniform(half, 16)], mods);
    }
}
