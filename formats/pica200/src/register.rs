//! Registers: sources, destinations, and the parts of conditions.

use std::fmt;

/// Number of input, output and temporary registers each.
pub const VECTOR_REGISTERS: usize = 16;
/// Number of float uniforms.
pub const FLOAT_UNIFORMS: usize = 96;
/// Number of integer uniforms.
pub const INT_UNIFORMS: usize = 4;
/// Number of boolean uniforms.
pub const BOOL_UNIFORMS: usize = 16;

/// A source register.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Source {
    /// v0 to v15: attributes of the vertex.
    Input(u8),
    /// r0 to r15.
    Temporary(u8),
    /// c0 to c95.
    Uniform(u8),
}

impl Source {
    /// The register for a number of up to 7 bits.
    pub const fn from_number(number: u8) -> Source {
        match number {
            0..0x10 => Source::Input(number),
            0x10..0x20 => Source::Temporary(number - 0x10),
            _ => Source::Uniform((number & 0x7f) - 0x20),
        }
    }

    /// Its number in instruction words.
    pub const fn number(self) -> u8 {
        match self {
            Source::Input(index) => index,
            Source::Temporary(index) => index + 0x10,
            Source::Uniform(index) => index + 0x20,
        }
    }
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Source::Input(index) => write!(f, "v{index}"),
            Source::Temporary(index) => write!(f, "r{index}"),
            Source::Uniform(index) => write!(f, "c{index}"),
        }
    }
}

/// A destination register.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Dest {
    /// o0 to o15.
    Output(u8),
    /// r0 to r15.
    Temporary(u8),
}

impl Dest {
    /// The register for a number of 5 bits.
    pub const fn from_number(number: u8) -> Dest {
        match number {
            0..0x10 => Dest::Output(number),
            _ => Dest::Temporary(number & 0xf),
        }
    }

    /// Its number in instruction words.
    pub const fn number(self) -> u8 {
        match self {
            Dest::Output(index) => index,
            Dest::Temporary(index) => index + 0x10,
        }
    }
}

impl fmt::Display for Dest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Dest::Output(index) => write!(f, "o{index}"),
            Dest::Temporary(index) => write!(f, "r{index}"),
        }
    }
}

/// An address register that is added to the number of a uniform.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Address {
    /// a0.x, set by mova.
    A0X,
    /// a0.y, set by mova.
    A0Y,
    /// aL, set by loops.
    Loop,
}

impl Address {
    /// The register for a field of two bits; `None` for 0.
    pub const fn from_number(number: u8) -> Option<Address> {
        match number {
            1 => Some(Address::A0X),
            2 => Some(Address::A0Y),
            3 => Some(Address::Loop),
            _ => None,
        }
    }

    /// Its name in assembly.
    pub const fn name(self) -> &'static str {
        ["a0.x", "a0.y", "aL"][self as usize]
    }
}

/// The float uniform that `c[base + offset]` reads. An offset outside −128…127 counts as 0, and the sum wraps
/// at 128. The result is `None` for sums of 96 and more: every component reads as 1.
pub const fn relative_uniform(base: u8, offset: i32) -> Option<u8> {
    let offset = if offset < -128 || offset > 127 { 0 } else { offset };
    let index = (base as i32 + offset) & 0x7f;
    if index < FLOAT_UNIFORMS as i32 { Some(index as u8) } else { None }
}

/// A comparison.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Compare {
    /// Equal; false with NaN.
    Eq,
    /// Not equal; true with NaN.
    Ne,
    /// Less.
    Lt,
    /// Less or equal.
    Le,
    /// Greater.
    Gt,
    /// Greater or equal.
    Ge,
    /// Always true; two encodings have this effect.
    Always6,
    /// Always true.
    Always7,
}

/// Every comparison, by number.
pub const COMPARISONS: [(Compare, &str); 8] = [
    (Compare::Eq, "eq"),
    (Compare::Ne, "ne"),
    (Compare::Lt, "lt"),
    (Compare::Le, "le"),
    (Compare::Gt, "gt"),
    (Compare::Ge, "ge"),
    (Compare::Always6, "6"),
    (Compare::Always7, "7"),
];

impl Compare {
    /// The comparison for a field of three bits.
    pub const fn from_number(number: u8) -> Compare {
        COMPARISONS[(number & 7) as usize].0
    }

    /// Its name in assembly.
    pub const fn name(self) -> &'static str {
        COMPARISONS[self as usize].1
    }
}

/// Combination of the tests of cmp.x and cmp.y.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Combine {
    /// Either test.
    Or,
    /// Both tests.
    And,
    /// The test of x.
    X,
    /// The test of y.
    Y,
}

/// A condition on cmp.x and cmp.y.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Condition {
    /// How the tests are combined.
    pub combine: Combine,
    /// Reference value for cmp.x.
    pub x: bool,
    /// Reference value for cmp.y.
    pub y: bool,
}

impl Condition {
    /// Whether the condition holds for the given condition codes.
    pub const fn holds(self, cmp_x: bool, cmp_y: bool) -> bool {
        let (x, y) = (cmp_x == self.x, cmp_y == self.y);
        match self.combine {
            Combine::Or => x || y,
            Combine::And => x && y,
            Combine::X => x,
            Combine::Y => y,
        }
    }
}

impl fmt::Display for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = |expected: bool| if expected { "" } else { "!" };
        let (x, y) = (sign(self.x), sign(self.y));
        match self.combine {
            Combine::Or => write!(f, "{x}cmp.x || {y}cmp.y"),
            Combine::And => write!(f, "{x}cmp.x && {y}cmp.y"),
            Combine::X => write!(f, "{x}cmp.x"),
            Combine::Y => write!(f, "{y}cmp.y"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_round_trip() {
        for number in 0..0x80 {
            assert_eq!(Source::from_number(number).number(), number);
        }
        for number in 0..0x20 {
            assert_eq!(Dest::from_number(number).number(), number);
        }
    }

    #[test]
    fn relative_addresses_wrap_and_have_bounds() {
        assert_eq!(relative_uniform(10, 5), Some(15));
        assert_eq!(relative_uniform(10, -11), None);
        assert_eq!(relative_uniform(90, 127), Some(89));
        assert_eq!(relative_uniform(90, 128), Some(90));
        assert_eq!(relative_uniform(95, 1), None);
        assert_eq!(relative_uniform(0, -128), Some(0));
    }
}
