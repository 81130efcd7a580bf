//! Numbers with twice a double's precision: the sum of two doubles, the second below half a unit of the first.

use std::ops::{Add, Div, Mul, Neg, Sub};

/// A number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Wide {
    pub high: f64,
    pub low: f64,
}

/// A double as a wide number.
pub const fn w(high: f64) -> Wide {
    Wide { high, low: 0.0 }
}

impl Wide {
    fn normal(high: f64, low: f64) -> Wide {
        let sum = high + low;
        if sum.is_finite() { Wide { high: sum, low: low - (sum - high) } } else { w(sum) }
    }

    pub fn sqrt(self) -> Wide {
        if self.high <= 0.0 {
            return w(self.high.sqrt());
        }
        let root = self.high.sqrt();
        let rest = self - w(root) * w(root);
        Wide::normal(root, rest.high / (2.0 * root))
    }

    /// `number` minus this one.
    pub fn distance_from(self, number: f64) -> f64 {
        (number - self.high) - self.low
    }
}

impl Neg for Wide {
    type Output = Wide;
    fn neg(self) -> Wide {
        Wide { high: -self.high, low: -self.low }
    }
}

impl Add for Wide {
    type Output = Wide;
    fn add(self, other: Wide) -> Wide {
        let sum = self.high + other.high;
        let virtual_other = sum - self.high;
        let error = (self.high - (sum - virtual_other)) + (other.high - virtual_other);
        Wide::normal(sum, error + (self.low + other.low))
    }
}

impl Sub for Wide {
    type Output = Wide;
    fn sub(self, other: Wide) -> Wide {
        self + -other
    }
}

impl Mul for Wide {
    type Output = Wide;
    fn mul(self, other: Wide) -> Wide {
        let product = self.high * other.high;
        let error = self.high.mul_add(other.high, -product);
        Wide::normal(product, error + (self.high * other.low + self.low * other.high))
    }
}

impl Div for Wide {
    type Output = Wide;
    fn div(self, other: Wide) -> Wide {
        let quotient = self.high / other.high;
        if !quotient.is_finite() || quotient == 0.0 {
            return w(quotient);
        }
        let rest = self - other * w(quotient);
        Wide::normal(quotient, rest.high / other.high)
    }
}

#[test]
fn wide_arithmetic_is_wide() {
    let third = w(1.0) / w(3.0);
    assert!((third * w(3.0) - w(1.0)).high.abs() < 1e-31);
    let root = w(2.0).sqrt();
    assert!((root * root - w(2.0)).high.abs() < 1e-31);
    assert_eq!((w(1e16) + w(1.0)) - w(1e16), w(1.0));
}
