//! Stores to the uniform file. One instruction stores two adjacent words.

use agx_isa::inst::Size;
use agx_isa::table::Opcode;
use bumpalo::Bump;
use bumpalo::collections::Vec as ArenaVec;

use crate::ir::key;
use crate::ir::op::{Mods, mods};
use crate::ir::{Arithmetic, Build, Builder, Function, IrOp, ScratchSide, Src, Type, Value};

/// Maximum number of words that wait for their neighbours at a time, since each takes a register.
const MOST_WAITING: usize = 24;

/// Maximum number of half-words that one instruction stores.
const MOST_HALVES: usize = 4;

/// The stores of a preamble.
pub(super) struct Stores<'s> {
    /// The modifiers for one, two and four half-words.
    masks: [Mods; 3],
    /// The destination of each value.
    homes: ScratchSide<'s, Value, Option<Home>>,
    /// Number of words that wait for their neighbours.
    waiting: usize,
    /// The values that began to wait since [`flush`](Self::flush).
    began: ArenaVec<'s, Value>,
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
        Stores { masks, homes, waiting: 0, began: ArenaVec::with_capacity_in(MOST_WAITING, scratch) }
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
                self.began.push(old);
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

    /// Stores zeros where the value `old` of type `ty` will be stored only under a condition: what reads it whether the condition
    /// holds or not, and may drop the result, reads a register that was set.
    pub(super) fn clear(&self, b: &mut Builder<'_, '_>, old: Value, ty: Type) {
        let Some(Home { half, .. }) = self.homes[old] else { return };
        let zeros = [Src::imm(0, 16); MOST_HALVES];
        self.store_halves(b, &zeros[..usize::from(ty.halves())], half);
    }

    /// Stores the words that wait, because their neighbours are computed under other conditions.
    pub(super) fn flush(&mut self, b: &mut Builder<'_, '_>) {
        while let Some(old) = self.began.pop() {
            let Some(Home { half, beside: Some((other, _)) }) = self.homes[old] else { continue };
            let Some(Home { beside: Some((_, Some(new))), .. }) = self.homes[other] else { continue };
            self.store(b, new, half);
            self.store_alone(old);
            self.store_alone(other);
        }
        self.waiting = 0;
    }

    /// Stores a value without its neighbour.
    fn store_alone(&mut self, value: Value) {
        if let Some(home) = &mut self.homes[value] {
            home.beside = None;
        }
    }

    /// Stores half-words to the uniform file; wider values are stored as several of them (Mesa 25.0: a 32-bit
    /// format does not work).
    fn store(&self, b: &mut Builder<'_, '_>, value: Value, half: u16) {
        let word = if b.f.ty(value) == Type::BOOL { b.uconv(value.into(), 16) } else { value.into() };
        self.store_halves(b, &[word], half);
    }

    /// Stores parts, which are adjacent.
    fn store_halves(&self, b: &mut Builder<'_, '_>, parts: &[Src], half: u16) {
        let count: u16 = parts.iter().map(|part| b.f.src_ty(*part).halves()).sum();
        let ty = Type::vector(16, count as u8);
        let data = match parts {
            [only] if b.f.src_ty(*only) == ty => *only,
            _ => b.value(IrOp::Collect, ty, parts, &[]).into(),
        };
        let mods = &self.masks[count.ilog2() as usize];
        b.effect(Opcode::UniformStore, &[data, Src::uniform(half, 16)], mods);
    }
}
