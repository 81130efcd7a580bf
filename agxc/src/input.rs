//! Reading inputs and telling what they are: by magic, then by extension, then by `-x`, which overrides both.

use std::cell::OnceCell;
use std::io::Read as _;

use agx_abi::Stage;
use agx_compiler::{CompileError, Input};

use crate::context::Context;
use crate::diagnostic::{Diagnostic, Failure};
use crate::glsl;

/// What an input is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// SPIR-V module, either byte order.
    SpirV,
    /// WGSL source.
    Wgsl,
    /// Textual IR.
    Ir,
    /// AGX assembly.
    Assembly,
    /// AGX machine code.
    Code,
    /// AGX machine code as hexadecimal text.
    Hex,
    /// GLSL source.
    Glsl,
    /// AGAL byte code.
    Agal,
    /// PICA200 shader binary.
    Pica200,
    /// TGSI text.
    Tgsi,
}

/// A kind's name for `-x`, the extensions it goes by, and how its contents begin.
struct KindRow {
    kind: Kind,
    name: &'static str,
    extensions: &'static [&'static str],
    magic: &'static [&'static [u8]],
}

/// Every kind. Magics are tried in this order before any extension.
static KINDS: &[KindRow] = &[
    row(Kind::SpirV, "spirv", &["spv"], &[&[0x03, 0x02, 0x23, 0x07], &[0x07, 0x23, 0x02, 0x03]]),
    row(Kind::Pica200, "pica200", &["shbin"], &[b"DVLB"]),
    row(
        Kind::Tgsi,
        "tgsi",
        &["tgsi"],
        &[b"VERT\n", b"FRAG\n", b"COMP\n", b"VERT\r\n", b"FRAG\r\n", b"COMP\r\n"],
    ),
    row(Kind::Wgsl, "wgsl", &["wgsl"], &[]),
    row(Kind::Ir, "ir", &["ir"], &[]),
    row(Kind::Assembly, "asm", &["s", "asm"], &[]),
    row(Kind::Code, "code", &["bin", "code"], &[]),
    row(Kind::Hex, "hex", &["hex"], &[]),
    row(Kind::Glsl, "glsl", &["glsl", "comp", "vert", "frag"], &[b"#version"]),
    // The version follows the 0xA0 byte; machine code may begin so too, so a named extension has the first word.
    row(Kind::Agal, "agal", &["agal"], &[&[0xa0, 1, 0, 0, 0], &[0xa0, 2, 0, 0, 0], &[0xa0, 3, 0, 0, 0]]),
];

const fn row(
    kind: Kind,
    name: &'static str,
    extensions: &'static [&'static str],
    magic: &'static [&'static [u8]],
) -> KindRow {
    KindRow { kind, name, extensions, magic }
}

impl Kind {
    /// Names for `-x`, in the table's order.
    pub fn names() -> Vec<&'static str> {
        KINDS.iter().map(|row| row.name).collect()
    }

    /// The kind called `name`.
    pub fn from_name(name: &str) -> Option<Kind> {
        KINDS.iter().find(|row| row.name == name).map(|row| row.kind)
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        KINDS.iter().find(|row| row.kind == self).map_or("unknown", |row| row.name)
    }

    /// What `bytes` are, from their beginning and from the name of their file.
    pub fn guess(name: &str, bytes: &[u8]) -> Option<Kind> {
        let by_magic = KINDS.iter().find(|row| row.magic.iter().any(|magic| bytes.starts_with(magic)));
        let extension = name.rsplit_once('.').map(|(_, extension)| extension);
        let by_extension = KINDS.iter().find(|row| extension.is_some_and(|e| row.extensions.contains(&e)));
        by_magic.or(by_extension).map(|row| row.kind)
    }
}

/// Whether debug information calls the input itself so: what is compiled from standard input, or from a text, has no
/// name of its own.
pub fn is_the_input(name: &str) -> bool {
    matches!(name, "" | "stdin" | "wgsl" | "glsl")
}

/// An input, read.
pub struct File {
    /// Name as given; `-` for standard input.
    pub name: String,
    /// What it is.
    pub kind: Kind,
    /// Contents.
    pub bytes: Vec<u8>,
    /// What was made of a GLSL shader.
    spirv: OnceCell<Vec<u8>>,
}

/// Reads the input called `name` (`-` is standard input); `forced` is the value of `-x`.
pub fn read(name: &str, forced: Option<&str>, context: &mut Context) -> Result<File, Failure> {
    let bytes = read_bytes(name)?;
    context.remember(name, &bytes);
    let kind = match forced {
        Some(wanted) => Kind::from_name(wanted).ok_or_else(|| {
            Failure::usage(format!(
                "unknown input type `{wanted}`; expected one of {}",
                Kind::names().join(", ")
            ))
        })?,
        None => Kind::guess(name, &bytes).ok_or_else(|| {
            Diagnostic::new(100, "cannot determine the input type; specify it with -x").in_file(name)
        })?,
    };
    Ok(File { name: name.to_owned(), kind, bytes, spirv: OnceCell::new() })
}

/// A shader that is already read, told by its name and its first bytes.
pub fn from_bytes(name: &str, bytes: Vec<u8>, context: &mut Context) -> Result<File, Failure> {
    context.remember(name, &bytes);
    let kind = Kind::guess(name, &bytes)
        .ok_or_else(|| Diagnostic::new(100, "cannot determine the input type").in_file(name))?;
    Ok(File { name: name.to_owned(), kind, bytes, spirv: OnceCell::new() })
}

/// Most bytes of an input: devices such as `/dev/zero` have no end.
const MAX_INPUT_BYTES: u64 = 1 << 28;

/// The bytes of the file called `name`, of which there may be at most [`MAX_INPUT_BYTES`]; `-` is standard input.
pub fn read_bytes(name: &str) -> Result<Vec<u8>, Failure> {
    let mut bytes = Vec::new();
    let read = match name {
        "-" => std::io::stdin().take(MAX_INPUT_BYTES + 1).read_to_end(&mut bytes),
        _ => {
            std::fs::File::open(name).and_then(|file| file.take(MAX_INPUT_BYTES + 1).read_to_end(&mut bytes))
        }
    };
    read.map_err(|error| Failure::file(name, &error))?;
    match bytes.len() as u64 > MAX_INPUT_BYTES {
        true => Err(Diagnostic::new(108, format!("more than {MAX_INPUT_BYTES} bytes")).in_file(name).into()),
        false => Ok(bytes),
    }
}

impl File {
    /// The contents as text.
    pub fn text(&self) -> Result<&str, Failure> {
        std::str::from_utf8(&self.bytes).map_err(|error| {
            let message =
                format!("expected {} text, but byte {} is not UTF-8", self.kind.name(), error.valid_up_to());
            Diagnostic::new(103, message).in_file(&self.name).into()
        })
    }

    /// The contents as what the compiler takes; `stage` is the one asked for, if any.
    pub fn shader(&self, stage: Option<Stage>) -> Result<Input<'_>, Failure> {
        match self.kind {
            Kind::SpirV => Ok(Input::SpirV(&self.bytes)),
            #[cfg(feature = "wgsl")]
            Kind::Wgsl => Ok(Input::Wgsl(self.text()?)),
            #[cfg(not(feature = "wgsl"))]
            Kind::Wgsl => Err(self.problem(102, "this build lacks the feature `wgsl`")),
            Kind::Ir => Ok(Input::Ir(self.text()?)),
            Kind::Glsl => match self.spirv.get() {
                Some(bytes) => Ok(Input::SpirV(bytes)),
                None => match glsl::to_spirv(self.text()?, &self.name, stage)? {
                    glsl::Made::SpirV(bytes) => Ok(Input::SpirV(self.spirv.get_or_init(|| bytes))),
                    #[cfg(feature = "glsl")]
                    glsl::Made::Absent(stage) => Ok(Input::Glsl(self.text()?, stage)),
                    #[cfg(not(feature = "glsl"))]
                    glsl::Made::Absent(_) => Err(glsl::absent(&self.name)),
                },
            },
            Kind::Agal | Kind::Pica200 | Kind::Tgsi => {
                Err(self.problem(102, &format!("{} is not a supported input language", self.kind.name())))
            }
            Kind::Assembly | Kind::Code | Kind::Hex => {
                Err(self.problem(101, &format!("expected a shader, found {}", self.kind.name())))
            }
        }
    }

    /// The compiler's refusal of this input.
    pub fn refused(&self, error: CompileError) -> Failure {
        let diagnostic = Diagnostic::from_compiler(error, &self.name);
        // GLSL that nothing has translated went through the built-in reader.
        let built_in = self.kind == Kind::Glsl && self.spirv.get().is_none();
        let by_reader = matches!(diagnostic.code, 200 | 201);
        if built_in && by_reader { glsl::with_hint(diagnostic).into() } else { diagnostic.into() }
    }

    /// A problem with this input as a whole.
    pub fn problem(&self, code: u16, message: &str) -> Failure {
        Diagnostic::new(code, message).in_file(&self.name).into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn magic_comes_before_the_extension() {
        let cases: [(&str, &[u8], Option<Kind>); 9] = [
            ("a.bin", &[3, 2, 0x23, 7, 0], Some(Kind::SpirV)),
            ("a", &[7, 0x23, 2, 3], Some(Kind::SpirV)),
            ("-", b"DVLB....", Some(Kind::Pica200)),
            ("x.wgsl", b"@compute", Some(Kind::Wgsl)),
            ("x.comp", b"// a comment", Some(Kind::Glsl)),
            ("-", b"#version 450", Some(Kind::Glsl)),
            ("k.ir", b"kernel", Some(Kind::Ir)),
            ("dir.ir/noext", b"kernel", None),
            ("noext", b"", None),
        ];
        for (name, bytes, kind) in cases {
            assert_eq!(Kind::guess(name, bytes), kind, "{name}");
        }
    }

    #[test]
    fn every_kind_is_known_by_its_name() {
        for name in Kind::names() {
            assert_eq!(Kind::from_name(name).map(Kind::name), Some(name));
        }
    }
}
