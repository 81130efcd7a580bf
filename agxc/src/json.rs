//! Reads JSON files strictly: fields have their types, and an object is never a list of its values.

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::diagnostic::{Diagnostic, Failure};
use crate::input;

/// Number of the code for files that are not understood.
const NOT_UNDERSTOOD: u16 = 104;

/// The value in `bytes`, the contents of the file called `name`.
///
/// # Errors
/// Text that is not JSON or does not have the form of `T`, with line and column; an array in place of an object, which
/// serde accepts as the values of the fields in order.
pub fn read<T: Serialize + DeserializeOwned>(bytes: &[u8], name: &str) -> Result<T, Failure> {
    let bytes = input::without_mark(bytes);
    let found: T = serde_json::from_slice(bytes).map_err(|error| Diagnostic::from_json(&error, name))?;
    let (Ok(given), Ok(written)) = (serde_json::from_slice(bytes), serde_json::to_value(&found)) else {
        return Ok(found);
    };
    match array_for_object(&given, &written, String::new()) {
        None => Ok(found),
        Some(at) => Err(wrong(name, format!("{at}expected an object, found an array"))),
    }
}

/// An error in the contents of the file called `name`.
pub fn wrong(name: &str, why: impl Into<String>) -> Failure {
    Diagnostic::new(NOT_UNDERSTOOD, why).in_file(name).into()
}

/// The place of the first array in `given` where the value that was read from it has an object. `at` is the place of
/// both, with a colon.
fn array_for_object(given: &Value, written: &Value, at: String) -> Option<String> {
    let inside = |step: String| match at.strip_suffix(": ") {
        Some(outer) if !step.starts_with('[') => format!("{outer}.{step}: "),
        Some(outer) => format!("{outer}{step}: "),
        None => format!("{step}: "),
    };
    match (given, written) {
        (Value::Array(_), Value::Object(_)) => Some(at),
        (Value::Array(given), Value::Array(written)) => {
            let mut pairs = given.iter().zip(written).enumerate();
            pairs.find_map(|(index, (given, written))| {
                array_for_object(given, written, inside(format!("[{index}]")))
            })
        }
        (Value::Object(given), Value::Object(written)) => given
            .iter()
            .find_map(|(name, given)| array_for_object(given, written.get(name)?, inside(name.clone()))),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use super::*;

    #[derive(Serialize, Deserialize, Debug)]
    struct Outer {
        inner: Vec<Inner>,
        pair: (u32, u32),
    }

    #[derive(Serialize, Deserialize, Debug)]
    struct Inner {
        x: u32,
    }

    #[test]
    fn arrays_do_not_stand_for_objects() {
        let message = |text: &str| match read::<Outer>(text.as_bytes(), "a.json") {
            Ok(_) => String::new(),
            Err(Failure::Problems(problems)) => problems[0].message.clone(),
            Err(other) => panic!("{other:?}"),
        };
        assert_eq!(message(r#"{"inner": [{"x": 1}], "pair": [1, 2]}"#), "");
        assert_eq!(message(r#"[[{"x": 1}], [1, 2]]"#), "expected an object, found an array");
        let nested = r#"{"inner": [{"x": 1}, [2]], "pair": [1, 2]}"#;
        assert_eq!(message(nested), "inner[1]: expected an object, found an array");
        assert_eq!(message("{"), "EOF while parsing an object");
    }
}
