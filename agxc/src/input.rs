//! Reads inputs and determines their kinds: by the first bytes, then by extension; `-x` overrides both.

#![cfg_attr(not(test), deny(clippy::indexing_slicing, clippy::string_slice, clippy::arithmetic_side_effects))]

use std::cell::OnceCell;
use std::io::Read as _;
use std::sync::{Mutex, PoisonError};

use agx_compiler::internal::frontend::language::{GLSL, SPIRV};
use agx_compiler::{CompileError, CompileKey, ErrorKind, FRONT_ENDS, Input, Language};

use crate::context::{Context, Preprocessor};
use crate::diagnostic::{Diagnostic, Failure};
use crate::glsl;

/// The kind of an input.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// A shader of a language.
    Shader(&'static Language),
    /// HLSL, which external programs translate to SPIR-V.
    Hlsl,
    /// AGX assembly.
    Assembly,
    /// AGX machine code.
    Code,
    /// AGX machine code as hexadecimal text.
    Hex,
}

/// Inputs other than shaders: kind, name for `-x`, extensions.
static OTHERS: &[(Kind, &str, &[&str])] = &[
    (Kind::Hlsl, "hlsl", &["hlsl"]),
    (Kind::Assembly, "asm", &["s", "asm"]),
    (Kind::Code, "code", &["bin", "code"]),
    (Kind::Hex, "hex", &["hex"]),
];

/// Languages that are not read, by extension, and what to do instead with FILE.
static ELSEWHERE: &[(&str, &str)] = &[
    ("spvasm", "the assembly of SPIR-V is assembled by `spirv-as FILE -o OUT.spv`, from the SPIR-V Tools"),
    ("slang", "Slang is translated by `slangc FILE -target spirv -o OUT.spv`"),
    (
        "metal",
        "no program translates the Metal Shading Language to SPIR-V; `slangc FILE -target spirv -o OUT.spv` translates \
         Slang, from which `slangc FILE -target metal` makes the Metal text",
    ),
    ("cl", "OpenCL C is translated by `clang -cl-std=CL3.0 -target spirv64 -O2 -c FILE -o OUT.spv`"),
];

impl Kind {
    /// Names for `-x`: the compiler's languages, then the others.
    pub fn names() -> Vec<&'static str> {
        let languages = FRONT_ENDS.iter().map(|language| language.name);
        languages.chain(OTHERS.iter().map(|(_, name, _)| *name)).collect()
    }

    /// The kind called `name`.
    pub fn from_name(name: &str) -> Option<Kind> {
        let other = || OTHERS.iter().find(|(_, known, _)| *known == name).map(|(kind, ..)| *kind);
        Language::find(name).map(Kind::Shader).or_else(other)
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Shader(language) => language.name,
            _ => OTHERS.iter().find(|(kind, ..)| *kind == self).map_or("unknown", |(_, name, _)| name),
        }
    }

    /// Whether it is a shader of this language.
    pub fn is(self, language: &Language) -> bool {
        matches!(self, Kind::Shader(own) if own == language)
    }

    /// The kind of `bytes`, from their beginning and from the name of their file.
    pub fn guess(name: &str, bytes: &[u8]) -> Option<Kind> {
        if let Some(language) = Language::of(bytes) {
            return Some(Kind::Shader(language));
        }
        let (_, extension) = name.rsplit_once('.')?;
        let language = FRONT_ENDS.iter().find(|language| language.extensions.contains(&extension));
        let other = || OTHERS.iter().find(|(_, _, known)| known.contains(&extension)).map(|(kind, ..)| *kind);
        language.map(|language| Kind::Shader(language)).or_else(other)
    }
}

/// Whether `name` in debug information denotes the input itself: a shader from standard input, or from a text, has no
/// file name or that of its language.
pub fn is_the_input(name: &str) -> bool {
    matches!(name, "" | "stdin") || Language::find(name).is_some()
}

/// An input.
pub struct File {
    /// Name as given; `-` for standard input.
    pub name: String,
    /// Kind.
    pub kind: Kind,
    /// Contents.
    pub bytes: Vec<u8>,
    /// The first translation of a GLSL or HLSL shader.
    translation: OnceCell<Box<Translation>>,
    /// Include folders and macros for its translation.
    preprocessor: Preprocessor,
}

/// A translation to SPIR-V. Later ones, of another stage or entry point, follow it.
struct Translation {
    identity: (&'static str, String),
    module: glsl::Module,
    next: OnceCell<Box<Translation>>,
}

/// Reads the input called `name` (`-` is standard input); `forced` is the value of `-x`.
pub fn read(name: &str, forced: Option<&str>, context: &mut Context) -> Result<File, Failure> {
    from_bytes(name, read_bytes(name)?, forced, context)
}

/// A shader that was already read. Without `forced`, its kind follows from its name and its first bytes.
pub fn from_bytes(
    name: &str,
    bytes: Vec<u8>,
    forced: Option<&str>,
    context: &mut Context,
) -> Result<File, Failure> {
    context.remember(name, &bytes);
    let kind = match forced {
        Some(wanted) => Kind::from_name(wanted).ok_or_else(|| {
            Failure::usage(format!(
                "unknown input type `{wanted}`; expected one of {}",
                Kind::names().join(", ")
            ))
        })?,
        None => Kind::guess(name, &bytes).ok_or_else(|| unknown_kind(name))?,
    };
    let preprocessor = context.preprocessor.clone();
    Ok(File { name: name.to_owned(), kind, bytes, translation: OnceCell::new(), preprocessor })
}

/// The error for an input of no kind.
fn unknown_kind(name: &str) -> Diagnostic {
    let elsewhere = name.rsplit_once('.').and_then(|(stem, extension)| {
        let (_, message) = ELSEWHERE.iter().find(|(known, _)| *known == extension)?;
        Some(message.replace("FILE", name).replace("OUT", stem))
    });
    let unknown = || "cannot determine the input type; specify it with -x".to_owned();
    Diagnostic::new(100, elsewhere.unwrap_or_else(unknown)).in_file(name)
}

/// Begins some texts; it is not part of them.
const BYTE_ORDER_MARK: char = '\u{feff}';

/// Limit of the size of an input: devices such as `/dev/zero` never end.
const MAX_INPUT_BYTES: u64 = 1 << 28;

/// The text of a JSON file without a byte order mark.
pub fn without_mark(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(bytes)
}

/// Gives the contents of the file with a name.
pub type Reader<'r> = dyn Fn(&str) -> Result<Vec<u8>, Failure> + 'r;

/// Contents of standard input, pipes and devices, which can be read once, by name.
static READ_ONCE: Mutex<Vec<(String, Vec<u8>)>> = Mutex::new(Vec::new());

/// The bytes of the file called `name`, at most [`MAX_INPUT_BYTES`]; `-` is standard input. A pipe that is named twice
/// has the same contents both times.
pub fn read_bytes(name: &str) -> Result<Vec<u8>, Failure> {
    let is_regular = name != "-" && std::fs::metadata(name).is_ok_and(|metadata| metadata.is_file());
    if is_regular {
        return read_now(name);
    }
    // Other threads wait here, and then find what this one has read.
    let mut known = READ_ONCE.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((_, bytes)) = known.iter().find(|(known, _)| known == name) {
        return Ok(bytes.clone());
    }
    let bytes = read_now(name)?;
    known.push((name.to_owned(), bytes.clone()));
    Ok(bytes)
}

fn read_now(name: &str) -> Result<Vec<u8>, Failure> {
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

/// Line `line`, from 1, of a text.
pub fn line_of(text: &str, line: u32) -> Option<&str> {
    text.lines().nth((line as usize).checked_sub(1)?)
}

impl File {
    /// The same file with other contents.
    pub fn with_bytes(&self, bytes: Vec<u8>) -> File {
        let (name, preprocessor) = (self.name.clone(), self.preprocessor.clone());
        File { name, kind: self.kind, bytes, translation: OnceCell::new(), preprocessor }
    }

    /// The contents as text.
    pub fn text(&self) -> Result<&str, Failure> {
        let text = std::str::from_utf8(&self.bytes).map_err(|error| {
            let message =
                format!("expected {} text, but byte {} is not UTF-8", self.kind.name(), error.valid_up_to());
            Diagnostic::new(103, message).in_file(&self.name)
        })?;
        Ok(text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text))
    }

    /// Line `line`, from 1, of the input, if it is a text called `name`.
    pub fn line(&self, name: &str, line: u32) -> Option<&str> {
        line_of((name == self.name).then(|| std::str::from_utf8(&self.bytes).ok())??, line)
    }

    /// The contents as the compiler's input. The stage and the entry point of `key` select what is translated.
    pub fn shader(&self, key: &CompileKey) -> Result<Input<'_>, Failure> {
        let stage = key.stage;
        if self.kind == Kind::Hlsl {
            return self.translated(glsl::Language::Hlsl, key);
        }
        let Kind::Shader(language) = self.kind else {
            return Err(self.problem(101, &format!("expected a shader, found {}", self.kind.name())));
        };
        if *language == GLSL {
            return self.translated(glsl::Language::Glsl, key);
        }
        if let Err(error) = language.front_end() {
            return Err(self.problem(102, &error.message()));
        }
        if language.is_text {
            self.text()?;
        }
        Ok(Input { stage, ..Input::new(language, &self.bytes) })
    }

    /// A GLSL or HLSL shader, as SPIR-V if a translator is installed.
    fn translated(&self, language: glsl::Language, key: &CompileKey) -> Result<Input<'_>, Failure> {
        let (text, name, preprocessor) = (self.text()?, self.name.as_str(), &self.preprocessor);
        let (stage, entry) = (key.stage, key.entry_point.as_deref());
        let request = glsl::Request { language, text, name, stage, entry, preprocessor };
        let identity = glsl::identity(&request)?;
        let mut place = &self.translation;
        while let Some(known) = place.get() {
            if known.identity == identity {
                return Ok(Input::spirv(&known.module.bytes));
            }
            place = &known.next;
        }
        match glsl::to_spirv(&request)? {
            glsl::Made::SpirV(module) => {
                let new = Box::new(Translation { identity, module, next: OnceCell::new() });
                Ok(Input::spirv(&place.get_or_init(|| new).module.bytes))
            }
            #[cfg(feature = "glsl")]
            glsl::Made::Absent(stage) => Ok(Input::glsl(text, stage)),
            #[cfg(not(feature = "glsl"))]
            glsl::Made::Absent(_) => Err(glsl::absent(&self.name)),
        }
    }

    /// The translations so far.
    fn translations(&self) -> impl Iterator<Item = &Translation> {
        std::iter::successors(self.translation.get(), |known| known.next.get()).map(|known| &**known)
    }

    /// The contents if they are SPIR-V, or else the last translation.
    pub fn spirv(&self) -> Option<&[u8]> {
        match self.kind.is(&SPIRV) {
            true => Some(&self.bytes),
            false => self.translations().last().map(|known| known.module.bytes.as_slice()),
        }
    }

    /// The translator's warnings about the last translation.
    pub fn translators_warnings(&self) -> Vec<Diagnostic> {
        self.translations().last().map_or_else(Vec::new, |known| known.module.warnings.clone())
    }

    /// The compiler's error for this input.
    pub fn refused(&self, error: CompileError) -> Failure {
        let by_reader = matches!(error.kind(), ErrorKind::Invalid | ErrorKind::Unsupported);
        let diagnostic = Diagnostic::from_compiler(error, &self.name);
        // GLSL without a translation goes through the built-in reader.
        let built_in = self.kind.is(&GLSL) && self.translation.get().is_none();
        match self.text() {
            Ok(text) if built_in && by_reader => glsl::with_hint(diagnostic, text).into(),
            _ => diagnostic.into(),
        }
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
        let cases: [(&str, &[u8], Option<&str>); 9] = [
            ("a.bin", &[3, 2, 0x23, 7, 0], Some("spirv")),
            ("a", &[7, 0x23, 2, 3], Some("spirv")),
            ("-", b"DVLB....", Some("pica200")),
            ("x.wgsl", b"@compute", Some("wgsl")),
            ("x.comp", b"// a comment", Some("glsl")),
            ("-", b"#version 450", Some("glsl")),
            ("k.ir", b"kernel", Some("ir")),
            ("dir.ir/noext", b"kernel", None),
            ("noext", b"", None),
        ];
        for (name, bytes, kind) in cases {
            assert_eq!(Kind::guess(name, bytes).map(Kind::name), kind, "{name}");
        }
    }

    #[test]
    fn every_kind_is_known_by_its_name() {
        for name in Kind::names() {
            assert_eq!(Kind::from_name(name).map(Kind::name), Some(name));
        }
    }
}
