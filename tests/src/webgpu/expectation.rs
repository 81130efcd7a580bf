//! The accepted results of a case of a WebGPU test.

use serde_json::Value as Json;

use super::value::Value;

/// Accepted results.
#[derive(Clone, PartialEq, Debug)]
pub enum Expectation {
    /// A closed interval. A NaN is only in the unbounded one.
    Interval(f64, f64),
    /// Any of these.
    Any(Vec<Expectation>),
    /// One for each element or column.
    Elements(Vec<Expectation>),
    /// Exactly these numbers in order; zeros are equal regardless of their sign, and a NaN equals nothing.
    Exact(Vec<f64>),
    /// Every result.
    Anything,
}

impl Expectation {
    /// Reads the test data's notation.
    ///
    /// # Errors
    /// A sentence with the part that is not understood.
    pub fn parse(json: &Json) -> Result<Expectation, String> {
        let malformed = || format!("expectation of unknown form: {json}");
        let object = json.as_object().ok_or_else(malformed)?;
        let list = |value: &Json| -> Result<Vec<Expectation>, String> {
            value.as_array().ok_or_else(malformed)?.iter().map(Expectation::parse).collect()
        };
        let numbers = |value: &Json| -> Result<Vec<f64>, String> {
            value.as_array().ok_or_else(malformed)?.iter().map(|n| number(n).ok_or_else(malformed)).collect()
        };
        let mut keys = object.iter().filter(|(key, _)| *key != "t");
        match (keys.next().map(|(key, value)| (key.as_str(), value)), keys.next()) {
            (Some(("i", bounds)), None) => match numbers(bounds)?[..] {
                [low, high] => Ok(Expectation::Interval(low, high)),
                _ => Err(malformed()),
            },
            (Some(("any", value)), None) => list(value).map(Expectation::Any),
            (Some(("p" | "a", value)), None) => list(value).map(Expectation::Elements),
            (Some(("v", value)), None) => numbers(value).map(Expectation::Exact),
            (Some(("m", columns)), None) => {
                let columns = columns.as_array().ok_or_else(malformed)?;
                let columns = columns.iter().map(numbers).collect::<Result<Vec<_>, _>>()?;
                Ok(Expectation::Exact(columns.concat()))
            }
            (Some(("skip" | "pass", Json::Bool(true))) | Some(("skipundef", Json::Null)), None) => {
                Ok(Expectation::Anything)
            }
            (Some(("skipundef", value)), None) => Expectation::parse(value),
            _ => Err(malformed()),
        }
    }

    /// Whether `got` is accepted. A value with another shape than expected is not.
    pub fn accepts(&self, got: &Value) -> bool {
        match (self, got) {
            (Expectation::Anything, _) => true,
            (Expectation::Any(choices), _) => choices.iter().any(|choice| choice.accepts(got)),
            (Expectation::Exact(expected), _) => got.numbers() == *expected,
            (Expectation::Interval(low, high), Value::Number(number)) if number.is_nan() => {
                *low == f64::NEG_INFINITY && *high == f64::INFINITY
            }
            (Expectation::Interval(low, high), Value::Number(number)) => low <= number && number <= high,
            (Expectation::Elements(expected), Value::List(elements)) => {
                expected.len() == elements.len()
                    && expected.iter().zip(elements).all(|(expected, element)| expected.accepts(element))
            }
            (Expectation::Interval(..), Value::List(_)) | (Expectation::Elements(_), Value::Number(_)) => {
                false
            }
        }
    }
}

/// A number of the test data: JSON numbers, and strings for booleans and numbers that JSON cannot represent.
fn number(json: &Json) -> Option<f64> {
    match json {
        Json::Number(number) => number.as_f64(),
        Json::Bool(value) => Some(f64::from(u8::from(*value))),
        Json::String(text) => match text.as_str() {
            "true" => Some(1.0),
            "false" => Some(0.0),
            "Infinity" => Some(f64::INFINITY),
            "-Infinity" => Some(f64::NEG_INFINITY),
            text => text.parse().ok(),
        },
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Asserts which values `expectation` accepts and rejects.
    fn check(expectation: &str, accepted: &[Value], refused: &[Value]) {
        let json = serde_json::from_str(expectation).expect("JSON");
        let parsed = Expectation::parse(&json).expect(expectation);
        for value in accepted {
            assert!(parsed.accepts(value), "{expectation} must accept {value}");
        }
        for value in refused {
            assert!(!parsed.accepts(value), "{expectation} must refuse {value}");
        }
    }

    fn n(number: f64) -> Value {
        Value::Number(number)
    }

    fn l(numbers: &[f64]) -> Value {
        Value::List(numbers.iter().copied().map(Value::Number).collect())
    }

    #[test]
    fn intervals_are_closed() {
        let nan = n(f64::NAN);
        check(
            r#"{"i":[-1,2.5]}"#,
            &[n(-1.0), n(2.5), n(0.0)],
            &[n(2.500001), n(-1.1), nan.clone(), l(&[0.0])],
        );
        check(r#"{"i":["-Infinity","Infinity"]}"#, &[n(1e300), nan.clone(), n(f64::INFINITY)], &[l(&[1.0])]);
        check(r#"{"i":[0,"Infinity"]}"#, &[n(f64::INFINITY)], &[nan, n(-1.0)]);
    }

    #[test]
    fn exact_values() {
        check(r#"{"t":"f32","v":[0]}"#, &[n(0.0), n(-0.0)], &[n(1e-45), n(f64::NAN)]);
        check(r#"{"t":"bool","v":["true"]}"#, &[n(1.0)], &[n(0.0)]);
        check(r#"{"t":"vec2<i32>","v":[1,-2]}"#, &[l(&[1.0, -2.0])], &[l(&[1.0, 2.0]), l(&[1.0]), n(1.0)]);
        check(
            r#"{"t":"mat2x2<f32>","m":[[1,2],[3,4]]}"#,
            &[Value::List(vec![l(&[1.0, 2.0]), l(&[3.0, 4.0])])],
            &[Value::List(vec![l(&[1.0, 3.0]), l(&[2.0, 4.0])])],
        );
        // These need a parser of floats that rounds to the nearest.
        check(r#"{"t":"f32","v":[-3.4028234663852886e+38]}"#, &[n(f64::from(f32::MIN))], &[]);
        check(
            r#"{"i":[0.00009834766387939453,0.00009834766387939453]}"#,
            &[n(9.834_766_387_939_453e-5)],
            &[],
        );
        // JavaScript prints the shortest decimal: the nearest double is the f32 itself.
        check(
            r#"{"t":"f32","v":[-66257687793595580000]}"#,
            &[n(f64::from(f32::from_bits(0xe065_e0a6)))],
            &[],
        );
    }

    #[test]
    fn choices_and_elements() {
        check(
            r#"{"any":[{"a":[{"i":[0,1]},{"i":[5,5]}]},{"a":[{"i":[7,7]},{"i":[8,8]}]}]}"#,
            &[l(&[0.5, 5.0]), l(&[7.0, 8.0])],
            &[l(&[0.5, 8.0]), l(&[7.0, 5.0]), l(&[0.5])],
        );
        check(
            r#"{"p":[{"any":[{"i":[0,1]},{"i":[3,4]}]},{"pass":true}]}"#,
            &[l(&[3.5, f64::NAN])],
            &[l(&[2.0, 0.0])],
        );
        check(r#"{"any":[{"skip":true}]}"#, &[n(f64::NAN)], &[]);
        check(r#"{"skipundef":{"t":"u32","v":[7]}}"#, &[n(7.0)], &[n(8.0)]);
        check(r#"{"any":[]}"#, &[], &[n(0.0)]);
    }

    #[test]
    fn unknown_forms_are_refused() {
        for text in [
            r#"{"x":1}"#,
            r#"{"i":[1]}"#,
            r#"{"i":[1,2],"v":[1]}"#,
            "[]",
            r#"{"skip":false}"#,
            r#"{"t":"u32"}"#,
        ] {
            let json = serde_json::from_str(text).expect("JSON");
            assert!(Expectation::parse(&json).is_err(), "{text}");
        }
    }
}
