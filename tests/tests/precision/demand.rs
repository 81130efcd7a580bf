//! Vulkan's precision limits: the maximum absolute error of a result, for operands and the exact result. If an
//! operation inherits the precision of a formula, the errors of all steps of the formula are propagated to first order.

use std::f64::consts::LN_2;

/// A float format.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Format {
    pub bits: u32,
}

impl Format {
    /// Binary digits of a significand.
    fn digits(self) -> i32 {
        match self.bits {
            16 => 11,
            32 => 24,
            _ => 53,
        }
    }

    /// Exponent of the smallest normal number.
    pub fn least_exponent(self) -> i32 {
        match self.bits {
            16 => -14,
            32 => -126,
            _ => -1022,
        }
    }

    /// Unit in the last place of numbers like `x`; below the smallest normal number, that of the smallest normal
    /// number.
    pub fn ulp(self, x: f64) -> f64 {
        let exponent = if x == 0.0 { i32::MIN } else { binary_exponent(x) };
        power_of_two(exponent.max(self.least_exponent()) - self.digits() + 1)
    }

    /// Smallest number too large for the format, if it is a double.
    pub fn overflow(self) -> f64 {
        match self.bits {
            16 => 65536.0,
            32 => 2f64.powi(128),
            _ => f64::INFINITY,
        }
    }

    /// Half a unit: one correctly rounded step.
    pub fn rounding(self, x: f64) -> f64 {
        self.ulp(x) / 2.0
    }

    /// Smallest normal number; smaller results may become zero.
    pub fn tiny(self) -> f64 {
        power_of_two(self.least_exponent())
    }

    pub fn exp(self, x: f64, result: f64) -> f64 {
        let units = if self.bits == 16 { 1.0 } else { 3.0 };
        (units + 2.0 * x.abs()) * self.ulp(result)
    }

    pub fn log(self, x: f64, result: f64) -> f64 {
        match (0.5..=2.0).contains(&x) {
            true => 2f64.powi(if self.bits == 16 { -7 } else { -21 }),
            false => 3.0 * self.ulp(result),
        }
    }

    /// exp2(y · log2(x)).
    pub fn pow(self, x: f64, y: f64, result: f64) -> f64 {
        let binary = x.log2();
        let exponent = y * binary;
        let error = y.abs() * self.log(x, binary) + self.rounding(exponent);
        self.exp(exponent, result) + result * (error * LN_2).exp_m1()
    }

    /// 2.5 units for divisors whose reciprocal is a normal number.
    pub fn divide(self, divisor: f64, result: f64) -> f64 {
        let limit = 2f64.powi(-self.least_exponent());
        match (1.0 / limit..=limit).contains(&divisor.abs()) {
            true => 2.5 * self.ulp(result),
            false => f64::INFINITY,
        }
    }

    pub fn inverse_sqrt(self, result: f64) -> f64 {
        2.0 * self.ulp(result)
    }

    /// 1 / inversesqrt(x) of an x that has an error of `error`.
    pub fn sqrt(self, x: f64, error: f64) -> f64 {
        let root = x.sqrt();
        let carried = if error >= x { (x + error).sqrt() } else { error / (2.0 * (x - error).sqrt()) };
        root * self.inverse_sqrt(1.0 / root) * root + 2.5 * self.ulp(root) + carried
    }

    pub fn sine(self, x: f64) -> f64 {
        match x.abs() <= std::f64::consts::PI {
            true => 2f64.powi(if self.bits == 16 { -7 } else { -11 }),
            false => f64::INFINITY,
        }
    }

    /// sin / cos.
    pub fn tan(self, x: f64, result: f64) -> f64 {
        let (error, sine, cosine) = (self.sine(x), x.sin().abs(), x.cos().abs());
        match error < cosine {
            true => (sine + error) / (cosine - error) - result.abs() + 2.5 * self.ulp(result),
            false => f64::INFINITY,
        }
    }

    pub fn atan(self, result: f64) -> f64 {
        (if self.bits == 16 { 5.0 } else { 4096.0 }) * self.ulp(result)
    }

    /// atan2(x, √(1 − x²)), or with swapped operands.
    pub fn asin(self, x: f64, result: f64) -> f64 {
        let rest = 1.0 - x * x;
        self.atan(result) + x.abs() * self.sqrt(rest, self.rounding(x * x) + self.rounding(rest))
    }

    /// (eˣ ± e⁻ˣ) · ½.
    pub fn hyperbolic(self, x: f64, result: f64) -> f64 {
        let (up, down) = (x.exp(), (-x).exp());
        (self.exp(x, up) + self.exp(x, down)) / 2.0 + 2.0 * self.rounding(result)
    }

    /// sinh / cosh.
    pub fn tanh(self, x: f64, result: f64) -> f64 {
        let (sine, cosine) = (x.sinh(), x.cosh());
        let relative = self.hyperbolic(x, cosine) / cosine;
        self.hyperbolic(x, sine) / cosine + result.abs() * relative + 2.5 * self.ulp(result)
    }

    /// log(x + √(x² + sign)).
    pub fn area(self, x: f64, sign: f64, result: f64) -> f64 {
        let square = x * x;
        if square >= self.overflow() {
            return f64::INFINITY;
        }
        let under = square + sign;
        let root_error = self.sqrt(under, self.rounding(square) + self.rounding(under));
        let sum = result.exp();
        let error = root_error + self.rounding(sum);
        if error >= sum { f64::INFINITY } else { self.log(sum, result) - (-error / sum).ln_1p() }
    }

    /// log((1 + x) / (1 − x)) · ½.
    pub fn atanh(self, x: f64, result: f64) -> f64 {
        let (above, below) = (1.0 + x, 1.0 - x);
        let quotient = above / below;
        let relative = self.rounding(above) / above + self.rounding(below) / below;
        let error = relative * quotient + 2.5 * self.ulp(quotient);
        let carried = if error >= quotient { f64::INFINITY } else { error / (quotient - error) };
        (self.log(quotient, quotient.ln()) + carried) / 2.0 + self.rounding(result)
    }

    /// x − y · n for the integer n next to x / y in the direction of `whole`.
    pub fn remainder(self, x: f64, y: f64, whole: fn(f64) -> f64, result: f64) -> f64 {
        let quotient = x / y;
        let error = self.divide(y, quotient);
        let count = whole(quotient);
        let may_step = whole(quotient - error) != whole(quotient + error);
        let step = if may_step { y.abs() * (whole(quotient + error) - whole(quotient - error)) } else { 0.0 };
        step + self.rounding(count * y) + self.rounding(result)
    }

    /// A sum of products, each step rounded.
    pub fn dot(self, products: &[f64]) -> f64 {
        let mut sum = 0.0;
        let mut error = 0.0;
        for product in products {
            sum += product;
            error += self.rounding(*product) + self.rounding(sum);
        }
        error
    }

    /// sqrt(dot(x, x)) where the components have the errors `errors`.
    pub fn length(self, x: &[f64], errors: &[f64]) -> f64 {
        let squares: Vec<f64> = x.iter().map(|x| x * x).collect();
        let carried: f64 = x.iter().zip(errors).map(|(x, error)| 2.0 * x.abs() * error).sum();
        self.sqrt(squares.iter().sum(), self.dot(&squares) + carried)
    }
}

/// Exact, including denormals.
fn power_of_two(exponent: i32) -> f64 {
    match exponent {
        -1022.. => f64::from_bits(((exponent + 1023) as u64) << 52),
        _ => f64::from_bits(1 << (exponent + 1074)),
    }
}

fn binary_exponent(x: f64) -> i32 {
    let field = (x.to_bits() >> 52 & 0x7ff) as i32;
    if field == 0 { binary_exponent(x * 2f64.powi(60)) - 60 } else { field - 1023 }
}
