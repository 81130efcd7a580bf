//! Comparison of buffers.

use half::f16;

/// A float's type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Float {
    /// 16 bits.
    Half,
    /// 32 bits.
    Single,
    /// 64 bits.
    Double,
}

impl Float {
    /// The type called `f16`, `f32` or `f64`.
    pub fn named(name: &str) -> Option<Float> {
        match name {
            "f16" => Some(Float::Half),
            "f32" => Some(Float::Single),
            "f64" => Some(Float::Double),
            _ => None,
        }
    }

    /// Its size.
    pub fn bytes(self) -> usize {
        match self {
            Float::Half => 2,
            Float::Single => 4,
            Float::Double => 8,
        }
    }

    fn read(self, bytes: &[u8]) -> f64 {
        let word = bytes.iter().rev().fold(0u64, |word, byte| word << 8 | u64::from(*byte));
        match self {
            Float::Half => f16::from_bits(word as u16).to_f64(),
            Float::Single => f64::from(f32::from_bits(word as u32)),
            Float::Double => f64::from_bits(word),
        }
    }
}

/// `value` rounded to the type.
pub fn float_bytes(float: Float, value: f64) -> Vec<u8> {
    match float {
        Float::Half => f16::from_f64(value).to_le_bytes().to_vec(),
        Float::Single => (value as f32).to_le_bytes().to_vec(),
        Float::Double => value.to_le_bytes().to_vec(),
    }
}

/// The comparison of buffers.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Comparison {
    /// Bit for bit.
    Exact,
    /// As floats, within this times the larger of the expected magnitude and one.
    Close(Float, f64),
}

/// Compares our results with the expected ones; the error describes the first differences.
pub fn buffers(ours: &[u8], expected: &[u8], comparison: Comparison) -> Result<(), String> {
    if ours.len() != expected.len() {
        return Err(format!("{} bytes instead of {}", ours.len(), expected.len()));
    }
    let size = match comparison {
        Comparison::Exact => 4,
        Comparison::Close(float, _) => float.bytes(),
    };
    let differences: Vec<String> = ours
        .chunks(size)
        .zip(expected.chunks(size))
        .enumerate()
        .filter(|(_, (ours, expected))| !alike(ours, expected, comparison))
        .map(|(index, (ours, expected))| {
            format!("[{index}] {} instead of {}", show(ours, comparison), show(expected, comparison))
        })
        .collect();
    match differences.len() {
        0 => Ok(()),
        count => Err(format!("{count} differ: {}", differences[..count.min(4)].join(", "))),
    }
}

fn alike(ours: &[u8], expected: &[u8], comparison: Comparison) -> bool {
    let Comparison::Close(float, tolerance) = comparison else { return ours == expected };
    let (ours, expected) = (float.read(ours), float.read(expected));
    let same = ours == expected || ours.is_nan() && expected.is_nan();
    same || (ours - expected).abs() <= tolerance * expected.abs().max(1.0)
}

fn show(bytes: &[u8], comparison: Comparison) -> String {
    match comparison {
        Comparison::Exact => {
            bytes.iter().rev().fold("0x".to_owned(), |text, byte| format!("{text}{byte:02x}"))
        }
        Comparison::Close(float, _) => float.read(bytes).to_string(),
    }
}

#[test]
fn comparison_sees_what_differs() {
    let bytes = |values: [f32; 2]| values.map(f32::to_le_bytes).concat();
    let close = Comparison::Close(Float::Single, 1e-3);
    let expected = bytes([2000.0, f32::NAN]);
    assert_eq!(buffers(&bytes([2001.0, -f32::NAN]), &expected, close), Ok(()));
    assert!(buffers(&bytes([2001.0, -f32::NAN]), &expected, Comparison::Exact).is_err());
    assert!(buffers(&bytes([2003.0, f32::NAN]), &expected, close).is_err());
    assert!(buffers(&bytes([2000.0, 1.0]), &expected, close).is_err());
    assert!(buffers(&expected[..4], &expected, close).is_err());
}
