//! Suite `emulation`: single instructions on explicit register contents, over 32 lanes.

use std::collections::BTreeMap;

use agx_emulator::{Finding, FindingKind, Memory, Simd, step_one};
use agx_isa::decode;
use agx_isa::desc::Unit;
use serde::Deserialize;

use super::Context;
use crate::outcome::{Outcome, SuiteReport};
use crate::runner::run_cases;
use crate::shared::{DataError, from_hex, read_json_lines};

/// Lanes of a SIMD-group.
const LANES: usize = 32;

/// A line of `vectors/emulation.jsonl`. Keys of maps are half indices in decimal, values hexadecimal.
#[derive(Clone, Debug, Deserialize)]
struct Vector {
    /// The instruction.
    hex: String,
    /// Its text from another disassembler.
    text: String,
    /// Active lanes before.
    exec: String,
    /// Active lanes after.
    exec_after: String,
    /// Uniform half-words.
    uniforms: BTreeMap<String, String>,
    /// Half registers before: four digits per lane, lane 0 first.
    before: BTreeMap<String, String>,
    /// Half registers written.
    after: BTreeMap<String, String>,
}

/// Runs the suite.
///
/// # Errors
/// [`DataError`] if the suite's file is invalid.
pub fn run(context: &Context<'_>) -> Result<SuiteReport, DataError> {
    let vectors: Vec<Vector> = read_json_lines(&context.shared.join("vectors/emulation.jsonl"))?;
    let items: Vec<(usize, &Vector)> = vectors.iter().enumerate().collect();
    let cases = run_cases(
        &items,
        context.filter,
        |(index, vector)| format!("{index:04} {} {}", vector.hex, vector.text),
        |(_, vector)| check(vector),
    );
    Ok(SuiteReport::new(cases))
}

/// Executes the instruction and compares; `Err` is the outcome that is not a pass.
fn check(vector: &Vector) -> Result<(), Outcome> {
    let malformed = || Outcome::Fail("malformed vector".into());
    let bytes = from_hex(&vector.hex).ok_or_else(malformed)?;
    let mut simd = Simd::new();
    for (half, value) in uniforms(vector).ok_or_else(malformed)? {
        simd.set_uniform(half, value);
    }
    for (half, values) in lanes(&vector.before).ok_or_else(malformed)? {
        for (lane, value) in values.into_iter().enumerate() {
            simd.set_register(half, lane, value);
        }
    }
    simd.set_exec(u32::from_str_radix(&vector.exec, 16).map_err(|_| malformed())?);
    step_one(&mut simd, &mut Memory::new(), &bytes).map_err(|stop| Outcome::Fail(stop.to_string()))?;
    if let Some(finding) = simd.take_findings().iter().find(|finding| !is_missing_input(finding)) {
        return Err(Outcome::Fail(format!("strict: {finding}")));
    }
    let exec = format!("{:08x}", simd.exec());
    if exec != vector.exec_after {
        return Err(Outcome::Fail(format!("wrong: active lanes {exec}, want {}", vector.exec_after)));
    }
    let is_float = decode(&bytes).is_ok_and(|(inst, _)| matches!(inst.op.desc().unit, Unit::F16 | Unit::F32));
    let after = lanes(&vector.after).ok_or_else(malformed)?;
    compare(&after, is_float, |half, lane| simd.register(half, lane)).map_err(Outcome::Fail)
}

/// Whether a finding is caused by the vectors and not by the machine: they contain only registers that their author's
/// tool read, and for a select it reads only the selected source.
fn is_missing_input(finding: &Finding) -> bool {
    matches!(finding.kind, FindingKind::UnwrittenRegister(_) | FindingKind::UnsetUniform(_))
}

/// Contents of the uniform file. The tool that recorded the vectors drops the highest index bit of uniforms in the last
/// two sources of selects, which the Mesa 25.0 AGX compiler sets: where it names u83, the instruction may read u211.
/// For selects every value is therefore also stored at the index with that bit, unless the vector has a value for it.
fn uniforms(vector: &Vector) -> Option<BTreeMap<u16, u16>> {
    const HIGHEST_BIT: u16 = 256;
    let listed = vector
        .uniforms
        .iter()
        .map(|(half, value)| Some((half.parse().ok()?, u16::from_str_radix(value, 16).ok()?)));
    let listed: BTreeMap<u16, u16> = listed.collect::<Option<_>>()?;
    if !vector.text.contains("cmpsel") {
        return Some(listed);
    }
    let mut all: BTreeMap<u16, u16> =
        listed.iter().map(|(half, value)| (half | HIGHEST_BIT, *value)).collect();
    all.extend(listed);
    Some(all)
}

/// Half registers with their values by lane.
type Halves = BTreeMap<u8, [u16; LANES]>;

fn lanes(map: &BTreeMap<String, String>) -> Option<Halves> {
    map.iter().map(|(half, digits)| Some((half.parse().ok()?, lane_values(digits)?))).collect()
}

fn lane_values(digits: &str) -> Option<[u16; LANES]> {
    let bytes = from_hex(digits)?;
    let values: Vec<u16> = bytes.as_chunks::<2>().0.iter().map(|pair| u16::from_be_bytes(*pair)).collect();
    values.try_into().ok()
}

/// Compares registers with the expected ones. For float operations all NaNs are equal.
fn compare(expected: &Halves, is_float: bool, got: impl Fn(u8, usize) -> u16) -> Result<(), String> {
    for (half, values) in expected {
        for (lane, want) in values.iter().enumerate() {
            let found = got(*half, lane);
            if found == *want {
                continue;
            }
            let (low, high) = (half & !1, half | 1);
            let both_nan = match (expected.get(&low), expected.get(&high)) {
                (Some(lows), Some(highs)) => {
                    is_nan32(lows[lane], highs[lane]) && is_nan32(got(low, lane), got(high, lane))
                }
                _ => half::f16::from_bits(*want).is_nan() && half::f16::from_bits(found).is_nan(),
            };
            if !(is_float && both_nan) {
                let name = format!("r{}{}", half >> 1, if half & 1 == 0 { 'l' } else { 'h' });
                return Err(format!("wrong: {name} lane {lane}: got {found:04x}, want {want:04x}"));
            }
        }
    }
    Ok(())
}

fn is_nan32(low: u16, high: u16) -> bool {
    f32::from_bits(u32::from(high) << 16 | u32::from(low)).is_nan()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check_pair(half: u8, want: &[(u8, u16)], is_float: bool) -> Result<(), String> {
        let expected: Halves = want.iter().map(|(half, value)| (*half, [*value; LANES])).collect();
        let registers = [0x0001u16, 0x7fc0, 0x7e01];
        compare(&expected, is_float, |index, _| registers[usize::from(index - half)])
    }

    #[test]
    fn nans_are_equal_only_in_floats() {
        let other_nan = [(10, 0x0002), (11, 0xffc0)];
        assert_eq!(check_pair(10, &other_nan, true), Ok(()));
        assert_eq!(check_pair(10, &other_nan, false), Err("wrong: r5l lane 0: got 0001, want 0002".into()));
        assert_eq!(check_pair(10, &[(12, 0x7e00)], true), Ok(()), "a half on its own is an f16");
        assert!(check_pair(10, &[(10, 0x0002), (11, 0x7f80)], true).is_ok(), "0x7f800002 is a NaN too");
        assert!(check_pair(10, &[(10, 0x0001), (11, 0x3fc0)], true).is_err());
    }

    #[test]
    fn a_wrong_vector_fails() {
        // mov_imm r0, 5 with another expected value.
        let vector = Vector {
            hex: "620105000000".into(),
            text: String::new(),
            exec: "ffffffff".into(),
            exec_after: "ffffffff".into(),
            uniforms: BTreeMap::new(),
            before: BTreeMap::new(),
            after: [("0".to_owned(), "0006".repeat(LANES))].into(),
        };
        assert!(check(&vector).is_err());
        let digits: String = (0..32).map(|lane| format!("{lane:04x}")).collect();
        assert_eq!(lane_values(&digits).map(|values| values[31]), Some(31));
        assert_eq!(lane_values("00"), None);
    }
}
