//! Operands to test.

use agx_random::Random;

use super::demand::Format;

/// Edge cases.
const EDGES: [f64; 24] = [
    0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 2.0, 1.5, 2.5, -2.5, 3.0, 0.1, -0.1, 0.25, 0.75, 1e-3, -1e-3, 0.999,
    1.001, 10.0, -10.0, 100.0, 3.1, -1.6,
];

/// A number of the format: of any exponent, or between −32 and 32, or an edge.
fn random_number(random: &mut Random, format: Format) -> f64 {
    let choice = random.next_u64() % 16;
    let uniform = (random.next_u64() >> 16) as f64 / (1u64 << 48) as f64;
    rounded(
        match choice {
            0 => EDGES[random.below(EDGES.len())],
            1..6 => uniform * 64.0 - 32.0,
            6..9 => uniform * 4.0 - 2.0,
            _ => {
                let least = format.least_exponent() - if format.bits == 32 { 0 } else { 8 };
                let exponent = least + (random.next_u64() % (-format.least_exponent() * 2 + 1) as u64) as i32;
                let sign = if random.flip() { 1.0 } else { -1.0 };
                sign * (1.0 + uniform) * 2f64.powi(exponent / 2) * 2f64.powi(exponent - exponent / 2)
            }
        },
        format,
    )
}

/// The nearest number of the format to `x`; finite, and not a denormal single, which may be flushed to zero.
fn rounded(x: f64, format: Format) -> f64 {
    let rounded = match format.bits {
        16 => half::f16::from_f64(x).to_f64(),
        32 => f64::from(x as f32),
        _ => x,
    };
    let is_flushed = format.bits == 32 && rounded.abs() < format.tiny();
    if !rounded.is_finite() || is_flushed { 1.0 } else { rounded }
}

/// Operands of `floats` numbers each for which `is_wanted` is true; their number is a multiple of `group`. For one half
/// float: all values.
pub fn samples(format: Format, floats: usize, group: usize, is_wanted: impl Fn(&[f64]) -> bool) -> Vec<f64> {
    let mut samples = Vec::new();
    if (format.bits, floats) == (16, 1) {
        let all = (0..=u16::MAX).map(|bits| half::f16::from_bits(bits).to_f64());
        samples.extend(all.filter(|x| x.is_finite() && is_wanted(&[*x])));
    } else {
        let count = if format.bits == 64 { 2048 } else { 16384 };
        let mut random = Random::new(1);
        let mut operands = vec![0.0; floats];
        for _ in 0..20 * count {
            operands.fill_with(|| random_number(&mut random, format));
            if is_wanted(&operands) {
                samples.extend_from_slice(&operands);
            }
            if samples.len() == count * floats {
                break;
            }
        }
    }
    let last = samples[samples.len() - floats..].to_vec();
    while !(samples.len() / floats).is_multiple_of(group) {
        samples.extend_from_slice(&last);
    }
    samples
}

/// The numbers in the buffer's encoding.
pub fn bytes(samples: &[f64], format: Format) -> Vec<u8> {
    let bytes = |x: &f64| match format.bits {
        16 => half::f16::from_f64(*x).to_le_bytes().to_vec(),
        32 => (*x as f32).to_le_bytes().to_vec(),
        _ => x.to_le_bytes().to_vec(),
    };
    samples.iter().flat_map(bytes).collect()
}

/// The number in a buffer's bytes.
pub fn number(bytes: &[u8]) -> f64 {
    match *bytes {
        [a, b] => half::f16::from_le_bytes([a, b]).to_f64(),
        [a, b, c, d] => f32::from_le_bytes([a, b, c, d]).into(),
        _ => f64::from_le_bytes(bytes.try_into().expect("eight bytes")),
    }
}
