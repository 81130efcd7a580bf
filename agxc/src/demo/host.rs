//! Shared by the expectations: conversions between bytes and numbers, a small random generator, tolerant comparisons.

/// Bytes of 32-bit floats.
pub fn float_bytes(values: impl IntoIterator<Item = f32>) -> Vec<u8> {
    values.into_iter().flat_map(f32::to_le_bytes).collect()
}

/// Bytes of 32-bit words.
pub fn word_bytes(values: impl IntoIterator<Item = u32>) -> Vec<u8> {
    values.into_iter().flat_map(u32::to_le_bytes).collect()
}

/// 32-bit words of `bytes`.
pub fn words(bytes: &[u8]) -> Vec<u32> {
    let word = |four: &[u8]| u32::from_le_bytes([four[0], four[1], four[2], four[3]]);
    bytes.chunks_exact(4).map(word).collect()
}

/// 32-bit floats of `bytes`.
pub fn floats(bytes: &[u8]) -> Vec<f32> {
    words(bytes).into_iter().map(f32::from_bits).collect()
}

/// A xorshift generator, with the same numbers on every host.
pub struct Random(u32);

impl Random {
    /// A generator for `seed`, which must not be zero.
    pub fn new(seed: u32) -> Self {
        Random(seed)
    }

    /// The next word.
    pub fn word(&mut self) -> u32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 17;
        self.0 ^= self.0 << 5;
        self.0
    }

    /// The next number in [-1, 1), a multiple of 2⁻²³, so that it is exact in both precisions.
    pub fn signed(&mut self) -> f32 {
        (self.word() >> 8) as f32 / (1 << 23) as f32 - 1.0
    }
}

/// Greatest absolute difference of `found` and `wanted`.
///
/// # Errors
/// The first element that differs by more than `tolerance`, NaNs included.
pub fn compare(found: &[f32], wanted: &[f64], tolerance: f64) -> Result<f64, String> {
    if found.len() != wanted.len() {
        return Err(format!("{} elements instead of {}", found.len(), wanted.len()));
    }
    let mut worst = 0.0_f64;
    for (index, (found, wanted)) in found.iter().zip(wanted).enumerate() {
        let difference = (f64::from(*found) - wanted).abs();
        if difference.is_nan() || difference > tolerance {
            return Err(format!("element {index}: expected {wanted} within {tolerance:e}, got {found}"));
        }
        worst = worst.max(difference);
    }
    Ok(worst)
}

/// The tolerance of a picture: `share` of its pixels must agree within `steps` of 255 in every channel.
pub struct PictureTolerance {
    /// Maximum difference in a channel.
    pub steps: u8,
    /// Minimum fraction of pixels that agree.
    pub share: f64,
}

/// Compares rgba8 pixels. Returns a sentence with the share of pixels that agree.
///
/// # Errors
/// The number of pixels that differ, and the first of them.
pub fn compare_picture(found: &[u8], wanted: &[u32], tolerance: &PictureTolerance) -> Result<String, String> {
    let found = words(found);
    if found.len() != wanted.len() {
        return Err(format!("{} pixels instead of {}", found.len(), wanted.len()));
    }
    let differs = |index: &usize| {
        let pairs = found[*index].to_le_bytes().into_iter().zip(wanted[*index].to_le_bytes());
        pairs.into_iter().any(|(a, b)| a.abs_diff(b) > tolerance.steps)
    };
    let bad: Vec<usize> = (0..wanted.len()).filter(differs).collect();
    let share = 1.0 - bad.len() as f64 / wanted.len() as f64;
    let (steps, percent) = (tolerance.steps, tolerance.share * 100.0);
    match bad.first() {
        Some(first) if share < tolerance.share => Err(format!(
            "{} of {} pixels differ by more than {steps}/255, first pixel {first}: {:08x} instead of {:08x}",
            bad.len(),
            wanted.len(),
            found[*first],
            wanted[*first],
        )),
        _ => {
            Ok(format!("{:.2} % of the pixels are within {steps}/255 (required: {percent} %)", share * 100.0))
        }
    }
}

/// Packs a colour as the shaders do: red lowest, opaque.
pub fn pack(colour: [f64; 3]) -> u32 {
    let byte = |channel: f64| (channel.clamp(0.0, 1.0) * 255.0 + 0.5) as u32;
    byte(colour[0]) | byte(colour[1]) << 8 | byte(colour[2]) << 16 | 0xff00_0000
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comparisons_find_what_is_wrong() {
        assert_eq!(compare(&[1.0, 2.0], &[1.0, 2.5], 0.5), Ok(0.5));
        assert!(
            compare(&[1.0, 2.0], &[1.0, 2.5], 0.4).unwrap_err().starts_with("element 1: expected 2.5 within")
        );
        assert!(compare(&[f32::NAN], &[0.0], 1e9).is_err());
        assert!(compare(&[], &[0.0], 1.0).is_err());
    }

    #[test]
    fn pictures_may_differ_in_few_pixels_only() {
        let tolerance = PictureTolerance { steps: 1, share: 0.5 };
        let wanted = [0x1010_1010, 0x2020_2020];
        assert!(compare_picture(&word_bytes([0x1010_1011, 0x2020_2000]), &wanted, &tolerance).is_ok());
        assert!(compare_picture(&word_bytes([0x1010_1020, 0x2020_2000]), &wanted, &tolerance).is_err());
    }
}
