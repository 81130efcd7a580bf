//! The results of a program, word by word, and their comparison between machine and interpreter.

use std::fmt;

use agx_tgsi::{Class, Opcode, SemanticName};

use super::is_close;
use crate::outcome::Outcome;
use crate::rounding::{Noise, Precision, RUNS, among};

/// The location of a word.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Place {
    /// A word of a buffer.
    Buffer {
        /// Set of the buffer.
        set: u32,
        /// Its binding.
        binding: u32,
        /// Number of the word.
        word: usize,
    },
    /// A word of an image.
    Image {
        /// The unit.
        unit: u32,
        /// Number of the word.
        word: usize,
    },
    /// A component of an output of a vertex.
    Vertex {
        /// The vertex.
        vertex: usize,
        /// Semantic and its index.
        semantic: (SemanticName, u32),
        /// The component.
        component: u32,
    },
    /// A component of a render target at a pixel.
    Pixel {
        /// Column and row.
        at: (u32, u32),
        /// The target.
        target: usize,
        /// The component.
        component: usize,
    },
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::Buffer { set, binding, word } => write!(f, "buffer {set}.{binding} word {word}"),
            Place::Image { unit, word } => write!(f, "image {unit} word {word}"),
            Place::Vertex { vertex, semantic: (name, index), component } => {
                write!(f, "vertex {vertex}, {}[{index}].{component}", name.name())
            }
            Place::Pixel { at: (x, y), target, component } => {
                write!(f, "pixel {x}, {y}, COLOR[{target}].{component}")
            }
        }
    }
}

/// A word of the results.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Left {
    /// Location.
    pub place: Place,
    /// The word.
    pub word: u32,
}

/// The precision of the results of an opcode.
pub fn precision(opcode: Opcode) -> Precision {
    use Opcode::{Cos, Dp2, Dp2a, Dp3, Dp4, Dph, Pow, Scs, Sin};
    match opcode {
        Sin | Cos | Scs => Precision::Angle,
        Pow | Opcode::Lit => Precision::Power,
        Dp2 | Dp3 | Dp4 | Dp2a | Dph => Precision::Sum,
        _ if matches!(opcode.info().class, Class::Texture | Class::View) => Precision::Texel,
        _ => Precision::Rounded,
    }
}

/// Compares the machine's results with the interpreter's: each word must be equal within `tolerance`, or within the
/// interpreter's results with other roundings. Both lists have the same locations.
///
/// # Errors
/// The first word that no rounding explains.
pub fn agree(
    found: &[u32],
    tolerance: f32,
    leave: &mut dyn FnMut(&mut agx_tgsi::interpret::Rounding<'_>) -> Result<Vec<Left>, Outcome>,
) -> Result<usize, Outcome> {
    let wanted = leave(&mut |_, _, result| result)?;
    if found.len() != wanted.len() {
        return Err(Outcome::Fail(format!("{} words instead of {}", found.len(), wanted.len())));
    }
    let mut others: Option<Vec<Vec<Left>>> = None;
    for (at, (found, wanted)) in found.iter().zip(&wanted).enumerate() {
        if is_close(*found, wanted.word, tolerance) {
            continue;
        }
        let others = match &mut others {
            Some(others) => others,
            empty => empty.insert((1..=RUNS).map(|run| otherwise(run, leave)).collect::<Result<_, _>>()?),
        };
        let words = others.iter().filter_map(|run| run.get(at)).map(|left| left.word).chain([wanted.word]);
        if !is_among(*found, words) {
            let [a, b] = [*found, wanted.word].map(f32::from_bits);
            return Err(Outcome::Fail(format!(
                "{}: {found:#010x} ({a}) instead of {:#010x} ({b})",
                wanted.place, wanted.word
            )));
        }
    }
    Ok(wanted.len())
}

/// The interpreter's results with other roundings.
fn otherwise(
    run: u64,
    leave: &mut dyn FnMut(&mut agx_tgsi::interpret::Rounding<'_>) -> Result<Vec<Left>, Outcome>,
) -> Result<Vec<Left>, Outcome> {
    let mut noise = Noise::new(run);
    leave(&mut |opcode, operand, result| noise.round(precision(opcode), operand, result))
}

/// Whether a word equals one of others, or is a float within their range. Small integers look like subnormal floats,
/// which programs do not compute, so they have no range.
fn is_among(found: u32, others: impl Iterator<Item = u32> + Clone) -> bool {
    let is_integer = |word: u32| f32::from_bits(word).is_subnormal();
    if others.clone().chain([found]).any(is_integer) {
        return others.into_iter().any(|other| other == found);
    }
    among(f32::from_bits(found), others.map(f32::from_bits))
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLACE: Place = Place::Image { unit: 0, word: 0 };

    /// The result of `agree` for a program that computes `1.1 × 1.3 − 1.43`.
    fn of_cancelling_terms(found: u32) -> Result<usize, Outcome> {
        agree(&[found], 1e-6, &mut |rounding| {
            let product = rounding(Opcode::Mad, 1.1, 1.1 * 1.3);
            Ok(vec![Left { place: PLACE, word: (product - 1.43).to_bits() }])
        })
    }

    #[test]
    fn contraction_explains_what_is_left_of_terms_that_cancel_but_no_more() {
        assert_eq!(of_cancelling_terms(1.1f32.mul_add(1.3, -1.43).to_bits()), Ok(1));
        assert!(of_cancelling_terms(1e-3f32.to_bits()).is_err());
        assert!(of_cancelling_terms(3).is_err());
    }

    #[test]
    fn integers_have_no_neighbours() {
        assert!(is_among(3, [2, 3, 4].into_iter()));
        assert!(!is_among(3, [2, 4].into_iter()));
    }
}
