//! Results that depend on rounding.
//!
//! Most results of a program agree with an oracle's to a few units in the last place. If a program is sensitive to
//! rounding (a difference of close numbers, a comparison at its threshold), the oracle runs again with results
//! perturbed within the compiler's precision; the machine's result must be within the range of these results. One such
//! case is a sum of products whose terms cancel, because the compiler fuses products with sums.

use agx_random::Random;

/// Number of runs with other roundings.
pub const RUNS: u64 = 24;

/// Relative difference that is always accepted.
pub const RELATIVE: f32 = 2e-6;

/// Absolute difference that is always accepted: products of small numbers may have become zero.
pub const ABSOLUTE: f32 = 1e-30;

/// The precision of an operation's result.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Precision {
    /// Exact.
    Exact,
    /// Off by a unit or two in the last place.
    Rounded,
    /// Sine and cosine: off by the error of reducing the operand.
    Angle,
    /// Powers: the error grows with the exponent.
    Power,
    /// Sums of products: off by a unit or two in the last place of the largest term, since terms are added in any
    /// order.
    Sum,
    /// Coordinates of a texture, and texels whose weights are differences of coordinates.
    Texel,
}

/// Perturbs results within the compiler's precision.
pub struct Noise {
    random: Random,
    /// The result of sine and cosine of an angle whose spacing is wider than a turn.
    lost: Option<f32>,
}

impl Noise {
    /// The perturbation of a run, from 1 to [`RUNS`].
    pub fn new(run: u64) -> Noise {
        Noise {
            random: Random::new(run << 32),
            lost: [None, Some(0.0), Some(1.0), Some(-1.0)][run as usize % 4],
        }
    }

    /// A number from −1 to 1.
    fn next(&mut self) -> f32 {
        2.0 * self.random.unit() - 1.0
    }

    /// Another result of an operation with this precision.
    pub fn round(&mut self, precision: Precision, operand: f32, result: f32) -> f32 {
        if precision == Precision::Exact {
            return result;
        }
        let number = self.next();
        if precision == Precision::Sum && operand.is_normal() && result.is_finite() {
            return result + number * (operand / (1 << 22) as f32);
        }
        if result == 0.0 {
            // The machine's products lose the sign of zero.
            return if number < 0.0 { -0.0 } else { 0.0 };
        }
        let unit = result.abs() / (1 << 22) as f32;
        match precision {
            Precision::Angle if operand.abs() > 1e6 => self.lost.unwrap_or(number),
            Precision::Angle => result + number * (5e-7 + operand.abs() * 2e-7),
            Precision::Power => result + number * unit * (1.0 + result.abs().log2().abs()),
            Precision::Texel => result + number * (unit + operand.abs() * 2e-6),
            _ if is_short(result) => result,
            _ => result + number * unit,
        }
    }
}

/// Whether few bits of the significand are used, so that the operation was probably exact.
fn is_short(number: f32) -> bool {
    number.to_bits() & 0x3ff == 0
}

/// Whether two results are the same to a few units in the last place.
pub fn close(a: f32, b: f32) -> bool {
    a == b || a.is_nan() && b.is_nan() || (a - b).abs() <= ABSOLUTE + RELATIVE * a.abs().max(b.abs())
}

/// Whether a result is within the range of others, or near them by as much as they differ.
pub fn among(found: f32, others: impl Iterator<Item = f32> + Clone) -> bool {
    if !found.is_finite() {
        return others.into_iter().any(|other| other == found || other.is_nan() && found.is_nan());
    }
    let finite = others.filter(|other| other.is_finite()).map(f64::from);
    let low = finite.clone().fold(f64::INFINITY, f64::min);
    let high = finite.fold(f64::NEG_INFINITY, f64::max);
    let slack = (high - low) + f64::from(RELATIVE) * low.abs().max(high.abs()) + f64::from(ABSOLUTE);
    (low - slack..=high + slack).contains(&f64::from(found))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sum_that_cancels_is_found_among_the_others_and_an_unrelated_number_is_not() {
        let product = |noise: &mut Noise| noise.round(Precision::Rounded, 1.1, 1.1 * 1.3);
        let sums = (1..=RUNS).map(|run| product(&mut Noise::new(run)) - 1.43);
        let fused = 1.1f32.mul_add(1.3, -1.43);
        assert!(!close(fused, 1.1 * 1.3 - 1.43) && among(fused, sums.clone()));
        assert!(!among(1e-5, sums.clone()) && !among(f32::NAN, sums));
    }

    #[test]
    fn exact_results_stay() {
        let mut noise = Noise::new(3);
        assert_eq!(noise.round(Precision::Exact, 0.3, 0.7), 0.7);
        assert_ne!(noise.round(Precision::Rounded, 0.3, 0.7), 0.7);
    }
}
