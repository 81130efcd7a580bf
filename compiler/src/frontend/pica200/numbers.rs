//! Number semantics selected by the key: exact or fast, in single precision or rounded to 24 bits.
//!
//! Exact: a product of zero and infinity is zero, products are rounded before sums, sums of dot products
//! start with zero. The interpreter of the format's crate is the reference.

use crate::ir::build::alu::{FloatCond, IntCond, float};
use crate::ir::builder::Builder;
use crate::ir::{Arithmetic, Src};

/// The number semantics.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Numbers {
    /// Products of zero and infinity are zero.
    pub exact: bool,
    /// Results are rounded to 24 bits.
    pub round24: bool,
}

/// Magnitude bits of 2⁻⁶³, whose 24-bit pattern means zero.
const TINY: u32 = (127 - 63) << 23;
/// Magnitude bits of 2⁶⁴, the first number out of range.
const HUGE: u32 = (127 + 64) << 23;
/// Bits of infinity.
const INFINITY: u32 = 0x7f80_0000;

impl Numbers {
    /// A result in the hardware's precision.
    pub fn round(self, b: &mut Builder<'_, '_>, value: Src) -> Src {
        if !self.round24 {
            return value;
        }
        let word = |bits: u32| Src::imm32(bits);
        let sign = b.and(value, word(0x8000_0000));
        let magnitude = b.and(value, word(0x7fff_ffff));
        let last = b.ushr(magnitude, word(7));
        let odd = b.and(last, word(1));
        let half = b.iadd(magnitude, word(0x3f));
        let up = b.iadd(half, odd);
        let cut = b.and(up, word(!0x7f));
        let is_huge = b.icmp(IntCond::UGE, cut, word(HUGE));
        let limited = b.select(is_huge, word(INFINITY), cut);
        let is_tiny = b.icmp(IntCond::ULE, cut, word(TINY));
        let limited = b.select(is_tiny, word(0), limited);
        let rounded = b.or(limited, sign);
        let is_nan = b.icmp(IntCond::UGT, magnitude, word(INFINITY));
        b.select(is_nan, value, rounded)
    }

    /// a · b.
    pub fn product(self, b: &mut Builder<'_, '_>, x: Src, y: Src) -> Src {
        let product = b.fmul(x, y);
        if !self.exact {
            return self.round(b, product);
        }
        // The sum of the factors is NaN if one of them is; the product of infinities with different signs is
        // not NaN.
        let sum = b.fadd(x, y);
        let has_nan = b.fcmp(FloatCond::NE, sum, sum);
        let replaced = b.select(has_nan, product, float(0.0, 32));
        let is_nan = b.fcmp(FloatCond::NE, product, product);
        let rounded = self.round(b, product);
        b.select(is_nan, replaced, rounded)
    }

    /// a + b.
    pub fn sum(self, b: &mut Builder<'_, '_>, x: Src, y: Src) -> Src {
        let sum = b.fadd(x, y);
        self.round(b, sum)
    }

    /// x · y + z, with the product rounded.
    pub fn multiply_add(self, b: &mut Builder<'_, '_>, x: Src, y: Src, z: Src) -> Src {
        if !self.exact && !self.round24 {
            return b.ffma(x, y, z);
        }
        let product = self.product(b, x, y);
        self.sum(b, product, z)
    }

    /// The sum of the products of pairs, in order.
    pub fn dot(self, b: &mut Builder<'_, '_>, pairs: &[(Src, Src)]) -> Src {
        let mut total: Option<Src> = self.exact.then(|| float(0.0, 32));
        for (x, y) in pairs {
            total = Some(match total {
                None => self.product(b, *x, *y),
                Some(total) if self.exact || self.round24 => {
                    let product = self.product(b, *x, *y);
                    self.sum(b, total, product)
                }
                Some(total) => b.ffma(*x, *y, total),
            });
        }
        total.unwrap_or(float(0.0, 32))
    }
}
