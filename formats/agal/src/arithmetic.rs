//! The component-wise operations, each rounded to a 32-bit float.
//!
//! Numbers are IEEE 754. Transcendental functions are computed in double precision and rounded. Where the
//! document is silent:
//!
//! * 0 · ∞ is NaN, as in Direct3D 10 and IEEE 754; if one operand of `min` or `max` is NaN, the result is the
//!   other;
//! * `rcp` and `rsq` of ±0 are ±∞; `sqt`, `rsq` and `log` of a negative number are NaN; `log` of ±0 is −∞;
//! * `pow` is 2^(y · log2 x), so a negative base gives NaN, except that x^0 is 1 for every x, as in C;
//! * `sat` of NaN is 0; comparisons with NaN are false, so `sne` gives 1; `sgn` of NaN is 0.

/// The smaller operand.
pub fn min(a: f32, b: f32) -> f32 {
    if b.is_nan() || a < b { a } else { b }
}

/// The larger operand.
pub fn max(a: f32, b: f32) -> f32 {
    if b.is_nan() || a > b { a } else { b }
}

/// Clamps to 0 … 1.
pub fn saturate(a: f32) -> f32 {
    if a > 0.0 { min(a, 1.0) } else { 0.0 }
}

/// `a` minus the largest integer that is not above it.
pub fn fraction(a: f32) -> f32 {
    a - libm::floorf(a)
}

/// Square root.
pub fn square_root(a: f32) -> f32 {
    libm::sqrtf(a)
}

/// Reciprocal of the square root.
pub fn reciprocal_root(a: f32) -> f32 {
    (1.0 / libm::sqrt(f64::from(a))) as f32
}

/// Binary logarithm.
pub fn logarithm(a: f32) -> f32 {
    if a == 0.0 { f32::NEG_INFINITY } else { libm::log2(f64::from(a)) as f32 }
}

/// Power of two.
pub fn exponential(a: f32) -> f32 {
    libm::exp2(f64::from(a)) as f32
}

/// `a` to the power of `b`.
pub fn power(a: f32, b: f32) -> f32 {
    if b == 0.0 {
        return 1.0;
    }
    let logarithm = if a == 0.0 { f64::NEG_INFINITY } else { libm::log2(f64::from(a)) };
    libm::exp2(f64::from(b) * logarithm) as f32
}

/// Sine of radians.
pub fn sine(a: f32) -> f32 {
    libm::sin(f64::from(a)) as f32
}

/// Cosine of radians.
pub fn cosine(a: f32) -> f32 {
    libm::cos(f64::from(a)) as f32
}

/// The sign as −1, 0 or 1.
pub fn sign(a: f32) -> f32 {
    if a > 0.0 {
        1.0
    } else if a < 0.0 {
        -1.0
    } else {
        0.0
    }
}
