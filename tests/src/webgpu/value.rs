//! WGSL types in the notation of the tests, and values read from buffers.
//!
//! Every number is an `f64`, which represents each f16, f32, i32 and u32 exactly. A boolean is 0 or 1.

use half::f16;

/// Type of a number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Scalar {
    /// Stored as u32: zero is false.
    Bool,
    /// 32-bit signed.
    I32,
    /// 32-bit unsigned.
    U32,
    /// 16-bit float.
    F16,
    /// 32-bit float.
    F32,
}

impl Scalar {
    fn parse(text: &str) -> Option<Scalar> {
        let table = [
            ("bool", Scalar::Bool),
            ("i32", Scalar::I32),
            ("u32", Scalar::U32),
            ("f16", Scalar::F16),
            ("f32", Scalar::F32),
        ];
        table.iter().find(|(name, _)| *name == text).map(|(_, scalar)| *scalar)
    }

    /// Size in bytes in a buffer.
    pub fn size_bytes(self) -> usize {
        if self == Scalar::F16 { 2 } else { 4 }
    }

    fn decode(self, bytes: &[u8]) -> Option<f64> {
        let bytes = bytes.get(..self.size_bytes())?;
        if let [low, high] = *bytes {
            return Some(f16::from_le_bytes([low, high]).to_f64());
        }
        let word = u32::from_le_bytes(bytes.try_into().ok()?);
        Some(match self {
            Scalar::Bool => f64::from(u8::from(word != 0)),
            Scalar::I32 => f64::from(word.cast_signed()),
            Scalar::U32 => f64::from(word),
            Scalar::F16 | Scalar::F32 => f64::from(f32::from_bits(word)),
        })
    }
}

/// A WGSL type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ValueType {
    /// Type of the numbers.
    pub scalar: Scalar,
    /// Their number and arrangement.
    pub shape: Shape,
}

/// Arrangement of a type's numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Shape {
    /// A single one.
    Single,
    /// A vector or an array of this many.
    List(usize),
    /// A matrix.
    Matrix {
        /// Columns.
        columns: usize,
        /// Numbers in a column.
        rows: usize,
    },
}

impl ValueType {
    /// The type called `name`: `f32`, `vec3<i32>`, `mat2x3<f16>`, `array<u32, 5>`.
    pub fn parse(name: &str) -> Option<ValueType> {
        let Some((constructor, arguments)) = name.split_once('<') else {
            return Some(ValueType { scalar: Scalar::parse(name)?, shape: Shape::Single });
        };
        let arguments = arguments.strip_suffix('>')?;
        if constructor == "array" {
            let (scalar, length) = arguments.split_once(',')?;
            let shape = Shape::List(length.trim().parse().ok()?);
            return Some(ValueType { scalar: Scalar::parse(scalar.trim())?, shape });
        }
        let shape = if let Some(size) = constructor.strip_prefix("mat") {
            let (columns, rows) = size.split_once('x')?;
            Shape::Matrix { columns: columns.parse().ok()?, rows: rows.parse().ok()? }
        } else {
            Shape::List(constructor.strip_prefix("vec")?.parse().ok()?)
        };
        Some(ValueType { scalar: Scalar::parse(arguments)?, shape })
    }

    /// Reads a value in WGSL's layout of storage buffers; `None` if `bytes` are too short.
    pub fn decode(&self, bytes: &[u8]) -> Option<Value> {
        let size = self.scalar.size_bytes();
        let list = |bytes: &[u8], count: usize| -> Option<Value> {
            let element = |index: usize| self.scalar.decode(bytes.get(index * size..)?).map(Value::Number);
            (0..count).map(element).collect::<Option<Vec<Value>>>().map(Value::List)
        };
        match self.shape {
            Shape::Single => self.scalar.decode(bytes).map(Value::Number),
            Shape::List(count) => list(bytes, count),
            Shape::Matrix { columns, rows } => {
                // A column of three is aligned like one of four (WGSL §14.4.1).
                let stride = rows.next_power_of_two() * size;
                let column = |index: usize| list(bytes.get(index * stride..)?, rows);
                (0..columns).map(column).collect::<Option<Vec<Value>>>().map(Value::List)
            }
        }
    }
}

/// A value read from a buffer.
#[derive(Clone, PartialEq, Debug)]
pub enum Value {
    /// A number.
    Number(f64),
    /// Numbers, or columns of a matrix.
    List(Vec<Value>),
}

impl Value {
    /// All numbers in order.
    pub fn numbers(&self) -> Vec<f64> {
        match self {
            Value::Number(number) => vec![*number],
            Value::List(elements) => elements.iter().flat_map(Value::numbers).collect(),
        }
    }
}

impl std::fmt::Display for Value {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Value::Number(number) => write!(f, "{number:?}"),
            Value::List(elements) => {
                f.write_str("(")?;
                for (index, element) in elements.iter().enumerate() {
                    write!(f, "{}{element}", if index == 0 { "" } else { ", " })?;
                }
                f.write_str(")")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn type_names() {
        let parsed = |name| ValueType::parse(name).map(|t| (t.scalar, t.shape));
        assert_eq!(parsed("f32"), Some((Scalar::F32, Shape::Single)));
        assert_eq!(parsed("vec3<bool>"), Some((Scalar::Bool, Shape::List(3))));
        assert_eq!(parsed("mat2x3<f16>"), Some((Scalar::F16, Shape::Matrix { columns: 2, rows: 3 })));
        assert_eq!(parsed("array<u32, 10>"), Some((Scalar::U32, Shape::List(10))));
        for bad in ["", "f64", "vec3", "vec<f32>", "mat2<f32>", "array<f32>", "vec2<f32"] {
            assert_eq!(parsed(bad), None, "{bad}");
        }
    }

    #[test]
    fn numbers_of_every_type() {
        let decode = |name, bytes: &[u8]| ValueType::parse(name).and_then(|t| t.decode(bytes));
        assert_eq!(decode("i32", &[0xff; 4]), Some(Value::Number(-1.0)));
        assert_eq!(decode("u32", &[0xff; 4]), Some(Value::Number(4_294_967_295.0)));
        assert_eq!(decode("bool", &[0, 1, 0, 0]), Some(Value::Number(1.0)));
        assert_eq!(decode("f16", &[0x00, 0x3c]), Some(Value::Number(1.0)));
        assert_eq!(decode("f32", &(-2.5f32).to_le_bytes()), Some(Value::Number(-2.5)));
        assert_eq!(decode("f32", &[0; 3]), None);
    }

    #[test]
    fn columns_of_three_leave_a_gap() {
        let bytes: Vec<u8> = (0u32..8).flat_map(u32::to_le_bytes).collect();
        let matrix = ValueType::parse("mat2x3<f32>").and_then(|t| t.decode(&bytes)).expect("fits");
        let expected = [0u32, 1, 2, 4, 5, 6].map(|word| f64::from(f32::from_bits(word)));
        assert_eq!(matrix.numbers(), expected);
        let vector = ValueType::parse("vec3<u32>").and_then(|t| t.decode(&bytes)).expect("fits");
        assert_eq!(vector.to_string(), "(0.0, 1.0, 2.0)");
    }
}
