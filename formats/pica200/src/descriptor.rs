//! Operand descriptors: write mask of the destination, and swizzles and signs of the sources.

use std::fmt;

/// The identity selector.
pub const IDENTITY: [u8; 4] = [0, 1, 2, 3];

/// Names of components.
pub const COMPONENTS: [char; 4] = ['x', 'y', 'z', 'w'];

/// An operand descriptor as a word: write mask in bits 3 to 0, with bit 3 for x; then for each source a sign bit and a
/// selector of eight bits whose top two are component x.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub struct Descriptor(pub u32);

impl Descriptor {
    /// A descriptor that writes every component and does not change its sources.
    pub fn identity() -> Descriptor {
        (1..=3).fold(Descriptor(0xf), |descriptor, number| descriptor.with_selector(number, IDENTITY))
    }

    /// Whether component `index` (0 for x) is written.
    pub const fn writes(self, index: usize) -> bool {
        index < 4 && self.0 >> (3 - index) & 1 != 0
    }

    /// Sets the write mask.
    #[must_use]
    pub fn with_mask(self, mask: [bool; 4]) -> Descriptor {
        let bits = mask.iter().fold(0, |bits, written| bits << 1 | u32::from(*written));
        Descriptor(self.0 & !0xf | bits)
    }

    /// The lowest bit of a source's fields, counted from 1.
    const fn shift(number: usize) -> u32 {
        4 + 9 * (number as u32 - 1)
    }

    /// Whether the source, counted from 1 to 3, is negated.
    pub const fn negates(self, number: usize) -> bool {
        self.0 >> Descriptor::shift(number) & 1 != 0
    }

    /// Sets whether a source is negated.
    #[must_use]
    pub const fn with_negation(self, number: usize, negated: bool) -> Descriptor {
        let bit = 1 << Descriptor::shift(number);
        Descriptor(if negated { self.0 | bit } else { self.0 & !bit })
    }

    /// For each component of the source, counted from 1 to 3, the component of the register that it reads.
    pub fn selector(self, number: usize) -> [u8; 4] {
        let bits = self.0 >> (Descriptor::shift(number) + 1);
        [6, 4, 2, 0].map(|shift| (bits >> shift & 3) as u8)
    }

    /// Sets the selector of a source.
    #[must_use]
    pub fn with_selector(self, number: usize, selector: [u8; 4]) -> Descriptor {
        let shift = Descriptor::shift(number) + 1;
        let bits = selector.iter().fold(0, |bits, component| bits << 2 | u32::from(component & 3));
        Descriptor(self.0 & !(0xff << shift) | bits << shift)
    }

    /// The bits of the mask and the first `sources` sources.
    pub fn relevant(sources: usize) -> u32 {
        (1..=sources).fold(0xf, |bits, number| bits | 0x1ff << Descriptor::shift(number))
    }
}

/// Prints a mask as `.xz`; prints nothing if all components are set.
pub struct MaskText(pub Descriptor);

impl fmt::Display for MaskText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let written: String =
            COMPONENTS.iter().enumerate().filter(|(i, _)| self.0.writes(*i)).map(|(_, name)| *name).collect();
        if written.len() == 4 { Ok(()) } else { write!(f, ".{written}") }
    }
}

/// Prints a selector as `.xxyz`, shortened if the last component repeats; prints nothing for the identity.
pub struct SelectorText(pub [u8; 4]);

impl fmt::Display for SelectorText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0 == IDENTITY {
            return Ok(());
        }
        let mut names: Vec<char> = self.0.iter().map(|index| COMPONENTS[usize::from(index & 3)]).collect();
        while names.len() > 1 && names[names.len() - 1] == names[names.len() - 2] {
            names.pop();
        }
        write!(f, ".{}", names.into_iter().collect::<String>())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_known_descriptor_is_the_identity() {
        let known = Descriptor(0x0d86_c36f);
        assert_eq!(known, Descriptor::identity());
        assert_eq!(known.selector(3), IDENTITY);
        assert!(!known.negates(1));
    }

    #[test]
    fn parts_are_independent() {
        let descriptor = Descriptor(0)
            .with_mask([true, false, false, true])
            .with_selector(2, [3, 3, 0, 1])
            .with_negation(2, true)
            .with_negation(3, true)
            .with_negation(3, false);
        assert_eq!(descriptor.selector(2), [3, 3, 0, 1]);
        assert_eq!(descriptor.selector(1), [0; 4]);
        assert_eq!([1, 2, 3].map(|number| descriptor.negates(number)), [false, true, false]);
        assert_eq!(format!("{}{}", MaskText(descriptor), SelectorText([1, 2, 2, 2])), ".xw.yz");
    }
}
