//! Programs as header and tokens, and their binary form.

#![deny(clippy::indexing_slicing, clippy::string_slice, clippy::arithmetic_side_effects)]

use thiserror::Error;

use crate::opcode::{LAST_CODE, Opcode};
use crate::token::{DestinationWord, SourceWord, TOKEN_BYTES, Token};

/// Bytes of the header.
pub const HEADER_BYTES: usize = 7;

const MAGIC: u8 = 0xa0;
const STAGE_MAGIC: u8 = 0xa1;

/// Version of the byte code.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Version {
    /// AGAL, of the profiles below *standard*.
    V1,
    /// AGAL2, of the profile *standard*.
    V2,
    /// AGAL3, of the profile *standard extended*.
    V3,
    /// As AGAL3, with textures in vertex programs.
    V4,
}

impl Version {
    /// Every version, ascending.
    pub const ALL: [Version; 4] = [Version::V1, Version::V2, Version::V3, Version::V4];

    /// Its number.
    pub fn number(self) -> u32 {
        match self {
            Version::V1 => 1,
            Version::V2 => 2,
            Version::V3 => 3,
            Version::V4 => 4,
        }
    }

    /// The version with a number.
    pub fn from_number(number: u32) -> Option<Version> {
        Version::ALL.into_iter().find(|version| version.number() == number)
    }

    /// Maximum number of tokens of a program.
    pub fn max_tokens(self) -> usize {
        match self {
            Version::V1 => 200,
            Version::V2 => 1024,
            Version::V3 | Version::V4 => 2048,
        }
    }
}

/// Kind of a program.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Stage {
    /// Runs for each vertex.
    Vertex,
    /// Runs for each fragment.
    Fragment,
}

impl Stage {
    /// Lower-case name.
    pub fn name(self) -> &'static str {
        match self {
            Stage::Vertex => "vertex",
            Stage::Fragment => "fragment",
        }
    }
}

/// A program as in its bytes: only the opcodes are known to be valid.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Program {
    /// Version of the byte code.
    pub version: Version,
    /// Kind of the program.
    pub stage: Stage,
    /// Its tokens in order.
    pub tokens: Vec<Token>,
}

/// An error in the bytes of a program.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
pub enum ReadError {
    /// The header is incomplete.
    #[error("a program begins with {HEADER_BYTES} bytes of header; found {0} bytes (Adobe error 3615)")]
    TooShort(usize),
    /// The first byte is wrong.
    #[error("header, magic: expected 0xa0, found {0:#04x} (Adobe error 3616)")]
    Magic(u8),
    /// The version is in big-endian byte order.
    #[error("header, version: the program is big-endian; expected little-endian (Adobe error 3612)")]
    BigEndian,
    /// The version is unknown.
    #[error("header, version: expected 1 to 4, found {0} (Adobe error 3617)")]
    Version(u32),
    /// The sixth byte is wrong.
    #[error("header, shader type ID: expected 0xa1, found {0:#04x} (Adobe error 3618)")]
    StageMagic(u8),
    /// The seventh byte is wrong.
    #[error("header, shader type: expected 0 (vertex) or 1 (fragment), found {0} (Adobe error 3619)")]
    Stage(u8),
    /// The bytes end in the middle of a token.
    #[error("token {token}: expected {TOKEN_BYTES} bytes, found {found}")]
    Truncated {
        /// Number of the token.
        token: usize,
        /// Number of bytes that are present.
        found: usize,
    },
    /// The opcode does not exist.
    #[error("token {token}, opcode: unknown opcode {code:#x} (Adobe error {number})", number = opcode_error(*code))]
    Opcode {
        /// Number of the token.
        token: usize,
        /// The opcode's number.
        code: u32,
    },
}

fn opcode_error(code: u32) -> u16 {
    if code > LAST_CODE { 3620 } else { 3621 }
}

impl ReadError {
    /// Adobe's error number, if there is one.
    pub fn adobe(self) -> Option<u16> {
        match self {
            ReadError::TooShort(_) => Some(3615),
            ReadError::Magic(_) => Some(3616),
            ReadError::BigEndian => Some(3612),
            ReadError::Version(_) => Some(3617),
            ReadError::StageMagic(_) => Some(3618),
            ReadError::Stage(_) => Some(3619),
            ReadError::Truncated { .. } => None,
            ReadError::Opcode { code, .. } => Some(opcode_error(code)),
        }
    }

    /// Index of the faulty token; `None` for the header.
    pub fn token(self) -> Option<usize> {
        match self {
            ReadError::Truncated { token, .. } | ReadError::Opcode { token, .. } => Some(token),
            _ => None,
        }
    }

    /// Whether a later version of the byte code may allow the program.
    pub fn is_unsupported(self) -> bool {
        matches!(self, ReadError::Version(5..))
    }
}

impl Program {
    /// Reads a program.
    ///
    /// # Errors
    ///
    /// When the header is wrong, an opcode is unknown, or the last token is incomplete.
    pub fn read(bytes: &[u8]) -> Result<Program, ReadError> {
        let Some((header, rest)) = bytes.split_first_chunk::<HEADER_BYTES>() else {
            return Err(ReadError::TooShort(bytes.len()));
        };
        let (version, stage) = read_header(header)?;
        let (whole, partial) = rest.as_chunks::<TOKEN_BYTES>();
        let tokens = whole.iter().enumerate().map(|(index, bytes)| read_token(index, bytes));
        let tokens = tokens.collect::<Result<Vec<_>, _>>()?;
        if !partial.is_empty() {
            return Err(ReadError::Truncated { token: tokens.len(), found: partial.len() });
        }
        Ok(Program { version, stage, tokens })
    }

    /// The bytes of the program.
    pub fn write(&self) -> Vec<u8> {
        let mut bytes = vec![MAGIC];
        bytes.extend(self.version.number().to_le_bytes());
        bytes.extend([STAGE_MAGIC, u8::from(self.stage == Stage::Fragment)]);
        for token in &self.tokens {
            bytes.extend(token.opcode.row().code.to_le_bytes());
            bytes.extend(token.destination.0.to_le_bytes());
            bytes.extend(token.source1.0.to_le_bytes());
            bytes.extend(token.source2.0.to_le_bytes());
        }
        bytes
    }
}

fn read_header(header: &[u8; HEADER_BYTES]) -> Result<(Version, Stage), ReadError> {
    let [magic, v0, v1, v2, v3, stage_magic, stage] = *header;
    if magic != MAGIC {
        return Err(ReadError::Magic(magic));
    }
    let number = u32::from_le_bytes([v0, v1, v2, v3]);
    let Some(version) = Version::from_number(number) else {
        let swapped = Version::from_number(number.swap_bytes()).is_some();
        return Err(if swapped { ReadError::BigEndian } else { ReadError::Version(number) });
    };
    if stage_magic != STAGE_MAGIC {
        return Err(ReadError::StageMagic(stage_magic));
    }
    match stage {
        0 => Ok((version, Stage::Vertex)),
        1 => Ok((version, Stage::Fragment)),
        other => Err(ReadError::Stage(other)),
    }
}

fn read_token(index: usize, bytes: &[u8; TOKEN_BYTES]) -> Result<Token, ReadError> {
    // A word for the opcode, one for the destination and two for each source.
    let ([code, destination, low1, high1, low2, high2], []) = bytes.as_chunks() else {
        return Err(ReadError::Truncated { token: index, found: bytes.len() });
    };
    let code = u32::from_le_bytes(*code);
    let opcode = Opcode::from_code(code).ok_or(ReadError::Opcode { token: index, code })?;
    let wide = |low: &[u8; 4], high: &[u8; 4]| {
        u64::from(u32::from_le_bytes(*low)) | u64::from(u32::from_le_bytes(*high)) << 32
    };
    Ok(Token {
        opcode,
        destination: DestinationWord(u32::from_le_bytes(*destination)),
        source1: SourceWord(wide(low1, high1)),
        source2: SourceWord(wide(low2, high2)),
    })
}
