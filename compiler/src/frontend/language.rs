//! The registry of languages: how their inputs are recognised, and which front end reads them.
//!
//! A new language needs a folder (or a file) next to this one with an implementation of [`FrontEnd`], and a
//! row here that is listed in [`FRONT_ENDS`]. [`read`](super::read), the locations of errors, `agxc`'s
//! detection of inputs and its help use the row. Code shared by front ends is in [`kit`](super::kit).

use std::panic::RefUnwindSafe;

use agx_abi::{ShaderInfo, Stage};
use bumpalo::Bump;

use crate::CompileKey;
use crate::error::{CompileError, InputError};
use crate::ir::Function;

/// The result of a front end: a shader at stage Source, with the information known so far.
pub type Shader<'a> = (Function<'a>, ShaderInfo);

/// Reads the shaders of a language.
pub trait FrontEnd: Sync + RefUnwindSafe {
    /// Reads `input` into `bump`.
    ///
    /// # Errors
    /// Invalid or unsupported input, or an exceeded limit, with the location in the input.
    fn read<'a>(
        &self,
        bump: &'a Bump,
        input: Input<'_>,
        key: &CompileKey,
    ) -> Result<Shader<'a>, CompileError>;

    /// Converts the location of an error of a later pass to the language's terms.
    fn located(&self, error: CompileError) -> CompileError {
        error
    }
}

/// A shader language.
pub struct Language {
    /// Lower-case name, as used by `-x`.
    pub name: &'static str,
    /// A short description.
    pub description: &'static str,
    /// File extensions.
    pub extensions: &'static [&'static str],
    /// Magic numbers at the start of inputs; empty if there are none.
    pub magic: &'static [&'static [u8]],
    /// Recognises inputs of the language, if that takes more than comparing bytes.
    pub recognises: Option<fn(&[u8]) -> bool>,
    /// Supported stages.
    pub stages: &'static [Stage],
    /// Whether inputs are UTF-8 text.
    pub is_text: bool,
    /// Whether the stage must be given because the input does not contain it.
    pub needs_stage: bool,
    /// Options that [`CompileKey::options`] may have: name and meaning.
    pub options: &'static [(&'static str, &'static str)],
    /// The feature of this crate that enables it.
    pub feature: Option<&'static str>,
    /// The front end; `None` in a build without the feature.
    pub front_end: Option<&'static dyn FrontEnd>,
}

impl Language {
    /// Defaults: a binary language with all stages.
    const NEW: Language = Language {
        name: "",
        description: "",
        extensions: &[],
        magic: &[],
        recognises: None,
        stages: &[Stage::Vertex, Stage::Fragment, Stage::Compute],
        is_text: false,
        needs_stage: false,
        options: &[],
        feature: None,
        front_end: None,
    };

    /// The language with this name.
    pub fn find(name: &str) -> Option<&'static Language> {
        FRONT_ENDS.iter().copied().find(|language| language.name == name)
    }

    /// The language recognised from `bytes`, if any.
    pub fn of(bytes: &[u8]) -> Option<&'static Language> {
        let bytes = bytes.strip_prefix(BYTE_ORDER_MARK.as_bytes()).unwrap_or(bytes);
        FRONT_ENDS.iter().copied().find(|language| {
            language.magic.iter().any(|magic| bytes.starts_with(magic))
                || language.recognises.is_some_and(|recognises| recognises(bytes))
        })
    }

    /// The front end of the language.
    ///
    /// # Errors
    /// This build has no front end for the language.
    pub fn front_end(&self) -> Result<&'static dyn FrontEnd, CompileError> {
        self.front_end.ok_or_else(|| {
            CompileError::from(match self.feature {
                Some(feature) => InputError::NoFeature { feature },
                None => InputError::NotAnInput { language: self.name },
            })
        })
    }
}

impl PartialEq for Language {
    fn eq(&self, other: &Language) -> bool {
        self.name == other.name
    }
}

impl Eq for Language {}

impl std::fmt::Debug for Language {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}

/// Begins some texts; it is not part of them.
const BYTE_ORDER_MARK: &str = "\u{feff}";

/// SPIR-V, either byte order.
pub static SPIRV: Language = Language {
    name: "spirv",
    description: "SPIR-V module",
    extensions: &["spv"],
    magic: &[&[0x03, 0x02, 0x23, 0x07], &[0x07, 0x23, 0x02, 0x03]],
    front_end: Some(&super::spirv::SpirV),
    ..Language::NEW
};

/// PICA200 shader binaries (Nintendo 3DS).
pub static PICA200: Language = Language {
    name: "pica200",
    description: "PICA200 shader binary or assembly",
    extensions: &["shbin", "pica", "vsh", "gsh"],
    magic: &[b"DVLB"],
    #[cfg(feature = "pica200")]
    recognises: Some(super::pica200::recognises),
    stages: &[Stage::Vertex, Stage::Compute],
    feature: Some("pica200"),
    #[cfg(feature = "pica200")]
    options: super::pica200::OPTIONS,
    #[cfg(feature = "pica200")]
    front_end: Some(&super::pica200::Pica200),
    ..Language::NEW
};

/// TGSI text (Gallium). The first word names the processor, followed by a statement; programs of unsupported
/// stages are recognised so that errors can name the stage.
pub static TGSI: Language = Language {
    name: "tgsi",
    description: "TGSI text",
    extensions: &["tgsi"],
    #[cfg(feature = "tgsi")]
    recognises: Some(super::tgsi::recognises),
    is_text: true,
    feature: Some("tgsi"),
    #[cfg(feature = "tgsi")]
    options: super::tgsi::OPTIONS,
    #[cfg(feature = "tgsi")]
    front_end: Some(&super::tgsi::Tgsi),
    ..Language::NEW
};

/// WGSL, parsed by naga.
pub static WGSL: Language = Language {
    name: "wgsl",
    description: "WGSL text",
    extensions: &["wgsl"],
    is_text: true,
    feature: Some("wgsl"),
    #[cfg(feature = "wgsl")]
    front_end: Some(&super::wgsl::Wgsl),
    ..Language::NEW
};

/// The textual IR.
pub static IR: Language = Language {
    name: "ir",
    description: "textual IR",
    extensions: &["ir"],
    is_text: true,
    front_end: Some(&super::text_ir::TextIr),
    ..Language::NEW
};

/// GLSL, parsed by naga.
pub static GLSL: Language = Language {
    name: "glsl",
    description: "GLSL text",
    extensions: &["glsl", "comp", "vert", "frag", "geom", "tesc", "tese", "vs", "fs"],
    magic: &[b"#version"],
    is_text: true,
    needs_stage: true,
    feature: Some("glsl"),
    #[cfg(feature = "glsl")]
    front_end: Some(&super::glsl::Glsl),
    ..Language::NEW
};

/// AGAL byte code (Flash). The version follows the 0xA0 byte; machine code may begin with the same bytes, so
/// a file extension takes precedence.
pub static AGAL: Language = Language {
    name: "agal",
    description: "AGAL byte code or assembler text",
    extensions: &["agal"],
    magic: &[&[0xa0, 1, 0, 0, 0], &[0xa0, 2, 0, 0, 0], &[0xa0, 3, 0, 0, 0], &[0xa0, 4, 0, 0, 0]],
    #[cfg(feature = "agal")]
    recognises: Some(super::agal::recognises),
    stages: &[Stage::Vertex, Stage::Fragment],
    feature: Some("agal"),
    #[cfg(feature = "agal")]
    options: super::agal::OPTIONS,
    #[cfg(feature = "agal")]
    front_end: Some(&super::agal::Agal),
    ..Language::NEW
};

/// Every language. Magic numbers are tried in this order.
pub static FRONT_ENDS: &[&Language] = &[&SPIRV, &PICA200, &TGSI, &WGSL, &IR, &GLSL, &AGAL];

/// A shader to compile: bytes in a language.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Input<'i> {
    /// The language.
    pub language: &'static Language,
    /// Its bytes.
    pub bytes: &'i [u8],
    /// The stage, for languages whose inputs do not contain it.
    pub stage: Option<Stage>,
}

impl<'i> Input<'i> {
    /// Input `bytes` in `language`.
    pub fn new(language: &'static Language, bytes: &'i [u8]) -> Self {
        Input { language, bytes, stage: None }
    }

    /// A SPIR-V module in either byte order.
    pub fn spirv(bytes: &'i [u8]) -> Self {
        Input::new(&SPIRV, bytes)
    }

    /// The textual IR.
    pub fn ir(text: &'i str) -> Self {
        Input::new(&IR, text.as_bytes())
    }

    /// An AGAL program (Flash): byte code or assembler text. The stage of text without directive follows from
    /// its registers unless [`Input::stage`] is set.
    pub fn agal(bytes: &'i [u8]) -> Self {
        Input::new(&AGAL, bytes)
    }

    /// A PICA200 program (Nintendo 3DS): a DVLB container, or assembly.
    pub fn pica200(bytes: &'i [u8]) -> Self {
        Input::new(&PICA200, bytes)
    }

    /// A TGSI program (Gallium).
    pub fn tgsi(text: &'i str) -> Self {
        Input::new(&TGSI, text.as_bytes())
    }

    /// WGSL source.
    pub fn wgsl(text: &'i str) -> Self {
        Input::new(&WGSL, text.as_bytes())
    }

    /// GLSL source of a stage.
    pub fn glsl(text: &'i str, stage: Stage) -> Self {
        Input { stage: Some(stage), ..Input::new(&GLSL, text.as_bytes()) }
    }

    /// The bytes as text, without a byte order mark.
    ///
    /// # Errors
    /// They are not UTF-8.
    pub fn text(&self) -> Result<&'i str, CompileError> {
        let text = std::str::from_utf8(self.bytes).map_err(|error| {
            CompileError::from(InputError::NotText {
                byte: error.valid_up_to(),
                language: self.language.name,
            })
        })?;
        Ok(text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_extensions_and_magic_numbers_are_unique() {
        let all = |pick: fn(&Language) -> Vec<Vec<u8>>| {
            let mut words: Vec<Vec<u8>> = FRONT_ENDS.iter().flat_map(|language| pick(language)).collect();
            let count = words.len();
            words.sort_unstable();
            words.dedup();
            assert_eq!(words.len(), count);
        };
        all(|language| vec![language.name.into()]);
        all(|language| language.extensions.iter().map(|extension| (*extension).into()).collect());
        all(|language| language.magic.iter().map(|magic| magic.to_vec()).collect());
    }

    #[cfg(all(feature = "tgsi", feature = "agal"))]
    #[test]
    fn sloppy_texts_are_recognised_by_their_first_statement() {
        let known = |text: &str| Language::of(text.as_bytes()).map(|language| language.name);
        let tgsi = [
            "FRAG\nEND\n",
            "frag\r\ndcl out[0], color\r\n",
            "\u{feff}  VERT DCL OUT[0], POSITION END",
            "# a dump\n; of a game\n// at a frame\n/* and\nmore */\nTESS_CTRL\nPROPERTY TCS_VERTICES_OUT 3",
            "FRAG1.1\n  0: MOV OUT[0], IN[0]",
            "COMP\n\n\nIMM[0] UINT32 {1, 2, 3, 4}",
            "GEOM",
        ];
        for text in tgsi {
            assert_eq!(known(text), Some("tgsi"), "{text}");
        }
        assert_eq!(known("\n // text\n.agal 2 fragment\nmov oc, v0"), Some("agal"));
        for text in ["", "VERT is a word", "fragment", "FRAG = 3;", "mov oc, v0", "// .agal 1 vertex"] {
            assert_eq!(known(text), None, "{text}");
        }
    }

    #[cfg(feature = "pica200")]
    #[test]
    fn picasso_texts_are_recognised_by_their_first_directive() {
        let known = |text: &str| Language::of(text.as_bytes()).map(|language| language.name);
        let texts = [
            "; a shader\n\n.fvec projection[4]\n.proc main\nend\n.end",
            "\u{feff}.gsh point c0\n",
            "\r\n  .CONSTF one(1, 1, 1, 1)\r\n",
            ".proc main",
        ];
        for text in texts {
            assert_eq!(known(text), Some("pica200"), "{text}");
        }
        for text in ["; text", ".part main", ".word 1", "mov r0, r1", ".process x", "x .proc", "#version 450"]
        {
            assert_ne!(known(text), Some("pica200"), "{text}");
        }
    }

    #[test]
    fn a_byte_order_mark_is_not_part_of_a_text() {
        let text = "\u{feff}#version 450";
        assert_eq!(Language::of(text.as_bytes()).map(|language| language.name), Some("glsl"));
        assert_eq!(Input::glsl(text, Stage::Compute).text().as_deref(), Ok("#version 450"));
    }

    #[test]
    fn every_language_is_found_by_its_name_and_detects_its_inputs() {
        for language in FRONT_ENDS {
            assert_eq!(Language::find(language.name), Some(*language));
            assert!(!language.description.is_empty() && !language.stages.is_empty(), "{language:?}");
        }
    }

    #[test]
    fn text_that_is_not_utf_8_is_invalid() {
        let error = Input::new(&IR, b"kernel \xff").text().expect_err("not UTF-8");
        assert!(error.message().contains("byte 7"), "{error}");
    }
}
