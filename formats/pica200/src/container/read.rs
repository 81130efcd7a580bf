//! Reading containers.

#![deny(clippy::indexing_slicing, clippy::string_slice, clippy::arithmetic_side_effects)]

use super::{Container, ContainerError, DVLE_HEADER, DVLP_HEADER};
use crate::descriptor::Descriptor;
use crate::program::{
    Constant, Geometry, GeometryMode, Label, MAX_CODE, MAX_DESCRIPTORS, Output, Program, Semantic, Shader,
    Stage, Uniform,
};
use crate::register::{BOOL_UNIFORMS, FLOAT_UNIFORMS, INT_UNIFORMS};

type Result<T> = std::result::Result<T, ContainerError>;

/// Maximum number of rows of a table in a DVLE: there cannot be more registers or labels.
const MAX_ROWS: usize = 4096;

/// A byte slice with checked access.
#[derive(Clone, Copy)]
struct Bytes<'a> {
    bytes: &'a [u8],
    /// The part, for messages.
    what: &'static str,
    /// Base of the part's offsets in the file.
    base: usize,
}

impl<'a> Bytes<'a> {
    fn slice(self, offset: usize, size: usize) -> Result<&'a [u8]> {
        let start = self.base.checked_add(offset);
        let end = start.and_then(|start| start.checked_add(size));
        let found = start.zip(end).and_then(|(start, end)| self.bytes.get(start..end));
        found.ok_or(self.truncated(offset))
    }

    /// Converts an offset to one in the file, saturating.
    fn place(self, offset: usize) -> usize {
        self.base.saturating_add(offset)
    }

    fn truncated(self, offset: usize) -> ContainerError {
        ContainerError::Truncated { what: self.what, offset: self.place(offset), length: self.bytes.len() }
    }

    fn array<const N: usize>(self, offset: usize) -> Result<[u8; N]> {
        let found = self.slice(offset, N)?.first_chunk().copied();
        found.ok_or(self.truncated(offset))
    }

    fn byte(self, offset: usize) -> Result<u8> {
        Ok(u8::from_le_bytes(self.array(offset)?))
    }

    fn half(self, offset: usize) -> Result<u16> {
        Ok(u16::from_le_bytes(self.array(offset)?))
    }

    fn word(self, offset: usize) -> Result<u32> {
        Ok(u32::from_le_bytes(self.array(offset)?))
    }

    fn size(self, offset: usize) -> Result<usize> {
        Ok(self.word(offset)? as usize)
    }

    /// Two consecutive sizes.
    fn sizes(self, offset: usize) -> Result<(usize, usize)> {
        let both = u64::from_le_bytes(self.array(offset)?);
        Ok((both as u32 as usize, (both >> 32) as usize))
    }

    fn magic(self, expected: &'static str) -> Result<()> {
        if self.slice(0, 4)? == expected.as_bytes() {
            return Ok(());
        }
        Err(ContainerError::Magic { expected, offset: self.base })
    }

    /// The rows of a table with its offset and count at `at`.
    fn table(self, at: usize, row: usize, what: &'static str, limit: usize) -> Result<Vec<Bytes<'a>>> {
        let (offset, count) = self.sizes(at)?;
        if count > limit {
            return Err(ContainerError::TooMany { what, count, limit });
        }
        let table = Bytes { what, ..self };
        let size = count.checked_mul(row).ok_or(table.truncated(offset))?;
        table.slice(offset, size)?;
        let bases = (self.place(offset)..).step_by(row).take(count);
        Ok(bases.map(|base| Bytes { base, ..table }).collect())
    }
}

/// Reads a file.
pub(super) fn read(bytes: &[u8]) -> Result<Container> {
    let file = Bytes { bytes, what: "DVLB header", base: 0 };
    file.magic("DVLB")?;
    let count = file.size(4)?;
    let limit = bytes.len() / 4;
    if count > limit {
        return Err(ContainerError::TooMany { what: "DVLE parts", count, limit });
    }
    let size = count.checked_mul(4).ok_or(file.truncated(8))?;
    let (offsets, _) = file.slice(8, size)?.as_chunks();
    let program =
        read_program(Bytes { what: "DVLP header", base: file.place(8).saturating_add(size), ..file })?;
    let mut shaders = Vec::with_capacity(count);
    for offset in offsets {
        let base = u32::from_le_bytes(*offset) as usize;
        shaders.push(read_shader(Bytes { what: "DVLE header", base, ..file })?);
    }
    Ok(Container { program, shaders })
}

fn read_program(part: Bytes<'_>) -> Result<Program> {
    part.magic("DVLP")?;
    part.slice(0, DVLP_HEADER)?;
    let code = part.table(0x08, 4, "instructions", MAX_CODE)?;
    let descriptors = part.table(0x10, 8, "operand descriptors", MAX_DESCRIPTORS)?;
    let code = code.into_iter().map(|row| row.word(0)).collect::<Result<_>>()?;
    let descriptors =
        descriptors.into_iter().map(|row| row.word(0).map(Descriptor)).collect::<Result<_>>()?;
    Ok(Program { code, descriptors })
}

fn read_shader(part: Bytes<'_>) -> Result<Shader> {
    part.magic("DVLE")?;
    part.slice(0, DVLE_HEADER)?;
    let stage = match part.byte(6)? {
        0 => Stage::Vertex,
        1 => Stage::Geometry,
        other => {
            let (value, offset) = (other.into(), part.place(6));
            let expected = "0 for vertex or 1 for geometry";
            return Err(ContainerError::Value { what: "shader type", value, offset, expected });
        }
    };
    let symbols = part.sizes(0x38)?;
    let symbols = Bytes { what: "symbols", ..part }.slice(symbols.0, symbols.1)?;
    let rows = |at, row, what| part.table(at, row, what, MAX_ROWS);
    Ok(Shader {
        stage,
        merges_outputs: part.byte(7)? & 1 != 0,
        entry: part.word(8)?,
        end: part.word(0xc)?,
        input_mask: part.half(0x10)?,
        output_mask: part.half(0x12)?,
        geometry: read_geometry(part)?,
        constants: each(rows(0x18, 0x14, "constants")?, read_constant)?,
        labels: each(rows(0x20, 0x10, "labels")?, |row| read_label(row, symbols))?,
        outputs: each(rows(0x28, 8, "outputs")?, read_output)?,
        uniforms: each(rows(0x30, 8, "uniforms")?, |row| read_uniform(row, symbols))?,
    })
}

fn each<T>(rows: Vec<Bytes<'_>>, read: impl Fn(Bytes<'_>) -> Result<T>) -> Result<Vec<T>> {
    rows.into_iter().map(read).collect()
}

fn read_geometry(part: Bytes<'_>) -> Result<Geometry> {
    let mode = part.byte(0x14)?;
    let known = GeometryMode::ALL.get(usize::from(mode)).ok_or(ContainerError::Value {
        what: "geometry mode",
        value: mode.into(),
        offset: part.place(0x14),
        expected: "0 to 2",
    })?;
    Ok(Geometry {
        mode: known.0,
        fixed_start: part.byte(0x15)?,
        variable_vertices: part.byte(0x16)?,
        fixed_vertices: part.byte(0x17)?,
    })
}

/// A register number below `count`.
fn register(row: Bytes<'_>, offset: usize, count: usize, expected: &'static str) -> Result<u8> {
    let value = row.half(offset)?;
    if usize::from(value) < count {
        return Ok(value as u8);
    }
    let offset = row.place(offset);
    Err(ContainerError::Value { what: "register", value: value.into(), offset, expected })
}

fn read_constant(row: Bytes<'_>) -> Result<Constant> {
    match row.half(0)? {
        0 => {
            let register = register(row, 2, BOOL_UNIFORMS, "0 to 15")?;
            Ok(Constant::Bool { register, value: row.byte(4)? != 0 })
        }
        1 => {
            let register = register(row, 2, INT_UNIFORMS, "0 to 3")?;
            Ok(Constant::Int { register, value: row.array(4)? })
        }
        2 => {
            let register = register(row, 2, FLOAT_UNIFORMS, "0 to 95")?;
            let words = [row.word(4)?, row.word(8)?, row.word(12)?, row.word(16)?];
            Ok(Constant::Float { register, value: words.map(|bits| bits & 0xff_ffff) })
        }
        other => Err(ContainerError::Value {
            what: "type of constant",
            value: other.into(),
            offset: row.base,
            expected: "0 for bool, 1 for int or 2 for float",
        }),
    }
}

/// Maximum number of bytes of a name. Many rows may share one name, so longer ones would let a small file use
/// a lot of memory.
const MAX_NAME: usize = 1024;

/// The name at an offset in the symbols; empty if the offset is outside, as in files without symbols.
fn name(symbols: &[u8], offset: usize) -> Result<String> {
    let rest = symbols.get(offset..).unwrap_or_default();
    let end = rest.iter().position(|byte| *byte == 0).unwrap_or(rest.len());
    let limited = |count: usize| match count {
        0..=MAX_NAME => Ok(()),
        _ => Err(ContainerError::TooMany { what: "bytes of a name", count, limit: MAX_NAME }),
    };
    limited(end)?;
    let text = String::from_utf8_lossy(rest.get(..end).unwrap_or_default()).into_owned();
    limited(text.len())?;
    Ok(text)
}

fn read_label(row: Bytes<'_>, symbols: &[u8]) -> Result<Label> {
    let (start, size) = (row.word(4)?, row.word(8)?);
    Ok(Label { id: row.byte(0)?, start, size, name: name(symbols, row.size(0xc)?)? })
}

fn read_output(row: Bytes<'_>) -> Result<Output> {
    let register = register(row, 2, 16, "0 to 15")?;
    Ok(Output { semantic: Semantic::from_number(row.half(0)?), register, mask: row.byte(4)? & 0xf })
}

fn read_uniform(row: Bytes<'_>, symbols: &[u8]) -> Result<Uniform> {
    let (first, last) = (row.half(4)?, row.half(6)?);
    Ok(Uniform { name: name(symbols, row.size(0)?)?, first, last })
}
