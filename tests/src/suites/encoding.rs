//! Suite `encoding`: instructions of real programs decode, encode to the same bytes, and have the operands of
//! applegpu's text, except for the intentional differences in [`agx_isa::dialect::compare`].

use agx_isa::dialect::{Agreement, compare};
use agx_isa::{decode, encode};

use super::Context;
use crate::outcome::{Outcome, SuiteReport};
use crate::runner::run_cases;
use crate::shared::{DataError, from_hex, read_text, to_hex};

/// An instruction with its text from another disassembler.
#[derive(Clone, Debug)]
struct Vector<'t> {
    hex: &'t str,
    text: &'t str,
}

/// Runs the suite.
///
/// # Errors
/// [`DataError`] if the suite's file is invalid.
pub fn run(context: &Context<'_>) -> Result<SuiteReport, DataError> {
    let path = context.shared.join("vectors/encoding.tsv");
    let text = read_text(&path)?;
    let mut vectors = Vec::new();
    for (index, line) in text.lines().enumerate().skip(1) {
        let mut columns = line.split('\t');
        let (Some(hex), Some(_), Some(text)) = (columns.next(), columns.next(), columns.next()) else {
            let message = "three columns expected".into();
            return Err(DataError::Malformed { path, line: index + 1, message });
        };
        vectors.push(Vector { hex, text });
    }
    let cases = run_cases(
        &vectors,
        context.filter,
        |vector| format!("{} {}", vector.hex, vector.text),
        |vector| check(vector.hex, vector.text),
    );
    Ok(SuiteReport::new(cases))
}

/// Decodes, encodes and compares.
fn check(hex: &str, text: &str) -> Outcome {
    let Some(bytes) = from_hex(hex) else {
        return Outcome::Fail("the vector is not hexadecimal text".into());
    };
    let (inst, length) = match decode(&bytes) {
        Ok(decoded) => decoded,
        Err(error) => return Outcome::Fail(format!("decode: {error}")),
    };
    if length != bytes.len() {
        return Outcome::Fail(format!("wrong: decoded {length} of {} bytes", bytes.len()));
    }
    match encode(&inst) {
        Ok(encoded) if encoded[..] == bytes[..] => match compare(&inst, text) {
            Agreement::Same | Agreement::OnPurpose(_) => Outcome::Pass,
            Agreement::Different(ours) => Outcome::Fail(format!("wrong: reads {ours}")),
        },
        Ok(encoded) => Outcome::Fail(format!("wrong: encodes to {}", to_hex(&encoded))),
        Err(error) => Outcome::Fail(format!("encode: {error}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rubbish_fails() {
        for hex in ["", "0", "zz", "ffffffffffffffffffffffff"] {
            assert!(matches!(check(hex, ""), Outcome::Fail(_)), "{hex}");
        }
    }

    #[test]
    fn an_instruction_passes_only_whole() {
        // wait 0, as the Mesa 25.0 AGX compiler writes it.
        assert_eq!(check("3800", "wait 0"), Outcome::Pass);
        assert!(matches!(check("3800", "wait 1"), Outcome::Fail(reason) if reason.contains("wait 0")));
        // A scan that the other disassembler does not name is still compared operand by operand.
        let scan = "simd_op 0b0, 0b0010000000011100, r2, r5";
        assert_eq!(check("6f894a728000", scan), Outcome::Pass);
        assert!(matches!(check("6f894a728000", &scan.replace("r5", "r6")), Outcome::Fail(_)));
        assert!(matches!(check("6f8d4c72c000", "simd_op 0b0, 0b0010000000011100, r3, r6"), Outcome::Fail(_)));
        assert!(
            matches!(check("38003800", "wait 0"), Outcome::Fail(reason) if reason.contains("2 of 4 bytes"))
        );
    }
}
