//! Reads and writes operands of all lanes at once: registers, uniforms, immediates.

use agx_isa::inst::{Operand, OperandFlags, Size, Tag};

use crate::group::{Group, LANES, PerLane};

/// Half-words of the uniform file.
pub(crate) const UNIFORMS: usize = 512;

/// The uniform file of a dispatch.
#[derive(Clone, Debug)]
pub(crate) struct Uniforms {
    halves: Box<[u16; UNIFORMS]>,
    set: [u64; UNIFORMS / 64],
}

impl Uniforms {
    /// The values that the driver sets; other half-words are `garbage` and marked as never set.
    pub(crate) fn new(values: &[u16], garbage: &[u16; UNIFORMS]) -> Uniforms {
        let mut uniforms = Uniforms { halves: Box::new(*garbage), set: [0; UNIFORMS / 64] };
        for (half, value) in values.iter().take(UNIFORMS).enumerate() {
            uniforms.write(half as u16, *value);
        }
        uniforms
    }

    /// Marks half-words as never set and fills them with garbage.
    pub(crate) fn forget(&mut self, range: &std::ops::Range<u16>, garbage: &[u16; UNIFORMS]) {
        for half in range.clone().take_while(|half| usize::from(*half) < UNIFORMS) {
            self.halves[usize::from(half)] = garbage[usize::from(half)];
            self.set[usize::from(half / 64)] &= !(1 << (half % 64));
        }
    }

    /// Sets a half-word. Writes past the file are ignored.
    pub(crate) fn write(&mut self, half: u16, value: u16) {
        if let Some(place) = self.halves.get_mut(usize::from(half)) {
            *place = value;
            self.set[usize::from(half / 64)] |= 1 << (half % 64);
        }
    }

    /// A value of `size` from half-word `half`; half-words past the file read as 0.
    pub(crate) fn read(&self, half: u16, size: Size) -> u64 {
        (0..u16::from(size.halves())).rev().fold(0, |value, at| {
            let half = usize::from(half.wrapping_add(at));
            value << 16 | u64::from(self.halves.get(half).copied().unwrap_or(0))
        })
    }

    /// Whether the half-word was set by the driver or a preamble.
    pub(crate) fn is_set(&self, half: u16) -> bool {
        self.set.get(usize::from(half / 64)).is_some_and(|word| word >> (half % 64) & 1 != 0)
    }
}

/// The location of a source.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Place {
    /// A number from the instruction.
    Immediate(u64),
    /// A register by half index.
    Register(u8),
    /// A uniform by half-word index.
    Uniform(u16),
}

/// A source, resolved at decoding.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Src {
    pub(crate) place: Place,
    pub(crate) size: Size,
    pub(crate) flags: OperandFlags,
}

impl Src {
    /// Resolves a source operand; an absent one reads as 0.
    pub(crate) fn new(operand: Operand) -> Src {
        let place = match operand.tag {
            Tag::Reg => Place::Register(operand.value as u8),
            Tag::Uniform => Place::Uniform(operand.value as u16),
            _ => Place::Immediate(u64::from(operand.value)),
        };
        Src { place, size: operand.size, flags: operand.flags }
    }

    /// The same source, read with another width.
    pub(crate) fn sized(mut self, size: Size) -> Src {
        self.size = size;
        self
    }

    /// The register's half index.
    pub(crate) fn register(&self) -> Option<u8> {
        match self.place {
            Place::Register(half) => Some(half),
            _ => None,
        }
    }
}

/// A destination, resolved at decoding.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Dst {
    pub(crate) half: u8,
    pub(crate) size: Size,
}

impl Dst {
    /// Resolves a destination operand.
    pub(crate) fn new(operand: Operand) -> Option<Dst> {
        (operand.tag == Tag::Reg).then_some(Dst { half: operand.value as u8, size: operand.size })
    }

    /// The destination `count` registers later.
    pub(crate) fn following(self, count: u32) -> Dst {
        let step = count as u8 * self.size.halves();
        Dst { half: self.half.wrapping_add(step), size: self.size }
    }
}

impl Group {
    /// A register of one lane. Half indices wrap around at 256.
    pub(crate) fn read(&self, half: u8, size: Size, lane: usize) -> u64 {
        (0..size.halves())
            .rev()
            .fold(0, |value, at| value << 16 | u64::from(self.half(half.wrapping_add(at), lane)))
    }

    /// A source in all lanes, active or not.
    pub(crate) fn gather(&self, uniforms: &Uniforms, src: &Src) -> PerLane<u64> {
        let mut values = [0; LANES];
        self.gather_into(uniforms, src, &mut values);
        values
    }

    /// The same, into existing storage.
    #[inline]
    pub(crate) fn gather_into(&self, uniforms: &Uniforms, src: &Src, values: &mut PerLane<u64>) {
        let half = match src.place {
            Place::Immediate(value) => return values.fill(value),
            Place::Uniform(half) => return values.fill(uniforms.read(half, src.size)),
            Place::Register(half) => half,
        };
        let word = |at: u8| &self.words[usize::from(half.wrapping_add(at) >> 1)];
        // The usual sizes separately: with constant shifts the loops are vectorised.
        match src.size {
            Size::B16 => {
                let shift = 16 * u32::from(half & 1);
                values.iter_mut().zip(word(0)).for_each(|(to, word)| *to = u64::from(word >> shift & 0xffff));
            }
            Size::B32 if half & 1 == 0 => {
                values.iter_mut().zip(word(0)).for_each(|(to, word)| *to = u64::from(*word));
            }
            Size::B64 if half & 1 == 0 => {
                for (to, (low, high)) in values.iter_mut().zip(word(0).iter().zip(word(2))) {
                    *to = u64::from(*high) << 32 | u64::from(*low);
                }
            }
            size => {
                for (lane, value) in values.iter_mut().enumerate() {
                    *value = self.read(half, size, lane);
                }
            }
        }
    }

    /// Writes a destination in the lanes of `exec`.
    pub(crate) fn scatter(&mut self, dst: Dst, values: &PerLane<u64>, exec: u32) {
        lanes_of(exec).for_each(|lane| self.write(dst, values[lane], lane));
    }

    /// Sets a register of one lane before the program starts, and marks it as written.
    pub(crate) fn define(&mut self, dst: Dst, value: u64, lane: usize) {
        self.write(dst, value, lane);
        for at in 0..dst.size.halves() {
            self.defined[usize::from(dst.half.wrapping_add(at))] |= 1 << lane;
        }
    }

    /// Writes a destination in one lane.
    pub(crate) fn write(&mut self, dst: Dst, value: u64, lane: usize) {
        for at in 0..dst.size.halves() {
            self.set_half(dst.half.wrapping_add(at), lane, (value >> (16 * at)) as u16);
        }
    }
}

/// The set bits of a mask, as lane numbers.
pub(crate) fn lanes_of(mut mask: u32) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let lane = mask.trailing_zeros();
        mask &= mask.wrapping_sub(1);
        (lane < 32).then_some(lane as usize)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::group::HALVES;

    #[test]
    fn wide_registers_are_little_endian_halves() {
        let mut group = Group::new(&[[0; LANES]; HALVES / 2], !0);
        group.write(Dst { half: 10, size: Size::B64 }, 0x4444_3333_2222_1111, 3);
        assert_eq!(group.read(10, Size::B16, 3), 0x1111);
        assert_eq!(group.read(12, Size::B32, 3), 0x4444_3333);
        let all = group.gather(&Uniforms::new(&[], &[0; UNIFORMS]), &Src::new(Operand::reg(11, Size::B16)));
        assert_eq!(all[3], 0x2222);
        assert_eq!(all[2], 0);
    }

    #[test]
    fn inactive_lanes_keep_their_value() {
        let mut group = Group::new(&[[0x7_0007; LANES]; HALVES / 2], !0);
        group.scatter(Dst { half: 4, size: Size::B32 }, &[0x5_0006; LANES], 0b10);
        assert_eq!(group.read(4, Size::B32, 1), 0x5_0006);
        assert_eq!(group.read(4, Size::B32, 0), 0x7_0007);
        assert_eq!(lanes_of(0x8000_0101).collect::<Vec<_>>(), [0, 8, 31]);
    }

    #[test]
    fn uniforms_know_what_was_set() {
        let mut uniforms = Uniforms::new(&[1, 2], &[9; UNIFORMS]);
        uniforms.write(100, 3);
        uniforms.write(512, 4);
        assert_eq!(uniforms.read(0, Size::B32), 0x2_0001);
        assert_eq!(uniforms.read(511, Size::B32), 9, "past the file reads 0");
        assert!(uniforms.is_set(1) && uniforms.is_set(100) && !uniforms.is_set(2) && !uniforms.is_set(600));
    }
}
