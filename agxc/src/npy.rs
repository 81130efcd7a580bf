//! NumPy's array files: reading arrays of the element types that buffers have, and writing flat ones.

#![cfg_attr(not(test), deny(clippy::indexing_slicing, clippy::string_slice, clippy::arithmetic_side_effects))]

use crate::values::{Element, Values};

/// First bytes of a file.
pub const MAGIC: &[u8] = b"\x93NUMPY";

/// Types by NumPy's names, without the byte order.
const TYPES: &[(&str, Element)] = &[
    ("u1", Element::U8),
    ("b1", Element::U8),
    ("i1", Element::I8),
    ("u2", Element::U16),
    ("i2", Element::I16),
    ("u4", Element::U32),
    ("i4", Element::I32),
    ("u8", Element::U64),
    ("i8", Element::I64),
    ("f2", Element::F16),
    ("f4", Element::F32),
    ("f8", Element::F64),
];

/// The array in `bytes`, in C order.
///
/// # Errors
/// A sentence: not an array file, an unsupported type, big-endian or Fortran order, too few bytes.
pub fn read(bytes: &[u8]) -> Result<Values, String> {
    let (header, data) = header(bytes).ok_or("the header of the array file is incomplete")?;
    let descr = field(header, "descr").ok_or("the array file does not state its type")?;
    let descr = descr.trim_matches(['\'', '"']);
    let element = element(descr).ok_or_else(|| {
        format!("arrays of type `{descr}` are not supported; expected little-endian integers or floats")
    })?;
    if field(header, "fortran_order").is_some_and(|order| order.starts_with("True")) {
        return Err("the array is in Fortran order; save it with numpy.ascontiguousarray".to_owned());
    }
    let shape = field(header, "shape").ok_or("the array file does not state its shape")?;
    let extents =
        shape.trim_matches(['(', ')']).split(',').map(str::trim).filter(|extent| !extent.is_empty());
    let count = extents
        .map(|extent| extent.parse::<usize>().ok())
        .try_fold(1usize, |all, extent| all.checked_mul(extent?));
    let size = count.and_then(|count| count.checked_mul(element.size_bytes()));
    let size = size.ok_or_else(|| format!("unexpected shape `{shape}` in the array file"))?;
    let data = data.get(..size).ok_or_else(|| {
        format!("the array file holds {} bytes of data; its shape {shape} needs {size}", data.len())
    })?;
    Ok(Values { element, bytes: data.to_vec() })
}

/// The header's text and the data after it.
fn header(bytes: &[u8]) -> Option<(&str, &[u8])> {
    let rest = bytes.strip_prefix(MAGIC)?;
    let (length, rest) = match rest {
        [1, _, low, high, rest @ ..] => (usize::from(u16::from_le_bytes([*low, *high])), rest),
        [2 | 3, _, a, b, c, d, rest @ ..] => (u32::from_le_bytes([*a, *b, *c, *d]) as usize, rest),
        _ => return None,
    };
    Some((std::str::from_utf8(rest.get(..length)?).ok()?, rest.get(length..)?))
}

/// The text of a field of the header, which is a Python dictionary, up to the next comma outside parentheses.
fn field<'h>(header: &'h str, name: &str) -> Option<&'h str> {
    let after = header.split_once(&format!("'{name}'"))?.1.trim_start().strip_prefix(':')?.trim_start();
    let end = match after.starts_with('(') {
        true => after.find(')')?.saturating_add(1),
        false => after.find([',', '}'])?,
    };
    after.get(..end).map(str::trim)
}

fn element(descr: &str) -> Option<Element> {
    let name = descr.strip_prefix(['<', '|', '=']).unwrap_or(descr);
    TYPES.iter().find(|(known, _)| *known == name).map(|(_, element)| *element)
}

/// A file with these contents as a one-dimensional array.
pub fn write(values: &Values) -> Vec<u8> {
    let name = TYPES.iter().find(|(_, element)| *element == values.element).map_or("u1", |(name, _)| name);
    let order = if values.element.size_bytes() == 1 { '|' } else { '<' };
    let count = values.bytes.len().checked_div(values.element.size_bytes()).unwrap_or(0);
    let mut header = format!("{{'descr': '{order}{name}', 'fortran_order': False, 'shape': ({count},), }}");
    // Data begins at a multiple of 64 bytes; the header ends with a newline.
    const BEFORE: usize = MAGIC.len() + 4;
    let end = header.len().saturating_add(BEFORE + 1).next_multiple_of(64);
    let padded = end.saturating_sub(BEFORE);
    header.push_str(&" ".repeat(padded.saturating_sub(header.len()).saturating_sub(1)));
    header.push('\n');
    [MAGIC, &[1, 0], &(padded as u16).to_le_bytes(), header.as_bytes(), &values.bytes].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(header: &str, data: &[u8]) -> Vec<u8> {
        [MAGIC, &[1, 0], &(header.len() as u16).to_le_bytes(), header.as_bytes(), data].concat()
    }

    #[test]
    fn arrays_survive() {
        for (element, bytes) in [
            (Element::F16, vec![0, 0x3c, 0, 0x40]),
            (Element::U8, vec![1, 2, 3]),
            (Element::I64, vec![9; 16]),
        ] {
            let values = Values { element, bytes };
            let written = write(&values);
            assert_eq!(read(&written), Ok(values));
            assert!(written.windows(2).any(|pair| pair == b" \n"));
        }
    }

    #[test]
    fn what_numpy_writes_is_read() {
        // numpy.save of numpy.array([[1, 2], [3, 4]], dtype="f4"), numpy 1.24.
        let header = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 2), }                                                            \n";
        let data: Vec<u8> = [1f32, 2.0, 3.0, 4.0].iter().flat_map(|value| value.to_le_bytes()).collect();
        assert_eq!(read(&file(header, &data)), Ok(Values { element: Element::F32, bytes: data.clone() }));
        let scalar = file("{'descr': '<u2', 'fortran_order': False, 'shape': (), }\n", &[5, 0]);
        assert_eq!(read(&scalar), Ok(Values { element: Element::U16, bytes: vec![5, 0] }));
    }

    #[test]
    fn other_files_are_refused_with_the_reason() {
        let of = |descr: &str, order: &str, shape: &str| {
            let header = format!("{{'descr': {descr}, 'fortran_order': {order}, 'shape': {shape}, }}\n");
            read(&file(&header, &[0; 8])).unwrap_err()
        };
        assert!(of("'>f4'", "False", "(2,)").contains("`>f4`"));
        assert!(of("[('a', '<f4')]", "False", "(2,)").contains("not supported"));
        assert!(of("'<f4'", "True", "(2,)").contains("Fortran"));
        assert!(of("'<f4'", "False", "(3,)").contains("holds 8 bytes of data; its shape (3,) needs 12"));
        assert!(of("'<f4'", "False", "(99999999999, 99999999999)").contains("unexpected shape"));
        assert!(read(b"\x93NUMPY\x01\x00\xff\xff{").is_err());
    }
}
