//! Results as lines: a type and hexadecimal bytes. `u8` may differ by 2, `f32` by one part in a thousand.

use crate::shared::from_hex;

/// The lines with results.
pub fn of(text: &str) -> Vec<String> {
    text.lines()
        .filter(|line| line.starts_with("u8 ") || line.starts_with("f32 "))
        .map(String::from)
        .collect()
}

/// Compares lines.
///
/// # Errors
/// A sentence about the difference.
pub fn compare(expected: &[String], found: &[String]) -> Result<(), String> {
    if expected.len() != found.len() || expected.is_empty() {
        return Err(format!("{} lines of results; expected {}", found.len(), expected.len()));
    }
    for (number, (expected, found)) in expected.iter().zip(found).enumerate() {
        let (kind, digits) = expected.split_once(' ').unwrap_or_default();
        let (other, found) = found.split_once(' ').unwrap_or_default();
        let (Some(expected), Some(found)) = (from_hex(digits), from_hex(found)) else {
            return Err(format!("line {number} is not hexadecimal"));
        };
        if (kind, expected.len()) != (other, found.len()) {
            return Err(format!(
                "line {number}: {} bytes of {other}; expected {} of {kind}",
                found.len(),
                expected.len()
            ));
        }
        let wrong = match kind {
            "f32" => far_floats(&expected, &found),
            _ => expected.iter().zip(&found).filter(|(a, b)| a.abs_diff(**b) > 2).count(),
        };
        if wrong > 0 {
            return Err(format!("line {number}: {wrong} values of {kind} differ"));
        }
    }
    Ok(())
}

/// Number of floats that differ by more than one part in a thousand.
fn far_floats(expected: &[u8], found: &[u8]) -> usize {
    let float = |bytes: &[u8; 4]| f32::from_le_bytes(*bytes);
    let pairs = expected.as_chunks::<4>().0.iter().zip(found.as_chunks::<4>().0);
    // NaN differs from everything.
    let is_near = |a: f32, b: f32| (a - b).abs() <= 1e-3 * a.abs().max(1e-3);
    pairs.filter(|(a, b)| !is_near(float(a), float(b))).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_compared_by_their_type() {
        let lines = |lines: &[&str]| lines.iter().map(|line| (*line).to_owned()).collect::<Vec<_>>();
        let compare = |a: &[&str], b: &[&str]| compare(&lines(a), &lines(b));
        assert_eq!(compare(&["u8 0510"], &["u8 0712"]), Ok(()));
        assert!(compare(&["u8 0510"], &["u8 0810"]).is_err());
        assert_eq!(compare(&["f32 0000803f"], &["f32 0100803f"]), Ok(()));
        assert!(compare(&["f32 0000803f"], &["f32 0000813f"]).is_err());
        assert!(compare(&["f32 0000803f"], &["f32 0000c07f"]).is_err(), "a NaN");
        assert!(compare(&["u8 05"], &["u8 0505"]).is_err());
        assert!(compare(&[], &[]).is_err(), "nothing was compared");
    }
}
