//! DVLB files: a DVLP part with code and descriptors, and DVLE parts with a shader each.
//!
//! ```text
//! DVLB  count  offset of each DVLE
//! DVLP  version  code (offset, words)  descriptors (offset, count; 8 bytes each)  names …
//! DVLE  version, type, entry, end, masks, geometry; (offset, count) of constants (20 bytes each), labels (16),
//!       outputs (8), uniforms (8) and symbols
//! ```
//!
//! Offsets in DVLP and DVLE count from the start of the part. The layout is 3dbrew's.

mod read;
mod write;

use thiserror::Error;

use crate::program::{Program, Shader, Stage};

/// The first four bytes of a container.
pub const MAGIC: [u8; 4] = *b"DVLB";

/// Size of a DVLE's header in bytes.
const DVLE_HEADER: usize = 0x40;
/// Size of a DVLP's header in bytes.
const DVLP_HEADER: usize = 0x28;

/// A program with the shaders in it.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Container {
    /// Code and descriptors, which the shaders share.
    pub program: Program,
    /// The shaders, in the order of the file.
    pub shaders: Vec<Shader>,
}

/// Why bytes are not a container.
#[derive(Clone, PartialEq, Eq, Error, Debug)]
pub enum ContainerError {
    /// A part begins with other bytes.
    #[error("expected `{expected}` at byte {offset}")]
    Magic {
        /// The word that should be there.
        expected: &'static str,
        /// Where.
        offset: usize,
    },
    /// A part reaches past the end of the file.
    #[error("{what} at byte {offset} reaches past the end of the file ({length} bytes)")]
    Truncated {
        /// What was read.
        what: &'static str,
        /// Where it begins.
        offset: usize,
        /// Size of the file.
        length: usize,
    },
    /// A table has more rows than the hardware or the format allows.
    #[error("{what}: {count} where at most {limit} fit")]
    TooMany {
        /// What there is too much of.
        what: &'static str,
        /// How many.
        count: usize,
        /// How many may be.
        limit: usize,
    },
    /// A field has a value without a meaning.
    #[error("{what} {value} at byte {offset} is unknown; expected {expected}")]
    Value {
        /// What has the value.
        what: &'static str,
        /// The value.
        value: u32,
        /// Where it is.
        offset: usize,
        /// What would have a meaning.
        expected: &'static str,
    },
    /// There is no shader with the index or stage asked for.
    #[error("the container has no {asked}; it has {found}")]
    NoShader {
        /// What was asked for.
        asked: String,
        /// What there is.
        found: String,
    },
}

/// Which shader of a container to use.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Choice {
    /// The first one.
    #[default]
    First,
    /// By position in the file.
    Index(usize),
    /// The first of a stage.
    Stage(Stage),
}

impl Container {
    /// Reads a file.
    ///
    /// # Errors
    /// The bytes are not a container: see [`ContainerError`].
    pub fn read(bytes: &[u8]) -> Result<Container, ContainerError> {
        read::read(bytes)
    }

    /// Writes a file.
    ///
    /// # Errors
    /// [`ContainerError::TooMany`] if a table has more rows than its count holds.
    pub fn write(&self) -> Result<Vec<u8>, ContainerError> {
        write::write(self)
    }

    /// The chosen shader.
    ///
    /// # Errors
    /// [`ContainerError::NoShader`].
    pub fn shader(&self, choice: Choice) -> Result<&Shader, ContainerError> {
        let found = match choice {
            Choice::First => self.shaders.first(),
            Choice::Index(index) => self.shaders.get(index),
            Choice::Stage(stage) => self.shaders.iter().find(|shader| shader.stage == stage),
        };
        found.ok_or_else(|| ContainerError::NoShader {
            asked: match choice {
                Choice::First => "shader".to_owned(),
                Choice::Index(index) => format!("shader {index}"),
                Choice::Stage(stage) => format!("{} shader", stage.name()),
            },
            found: match self.shaders.as_slice() {
                [] => "none".to_owned(),
                [one] => format!("one {} shader", one.stage.name()),
                more => format!("{} shaders", more.len()),
            },
        })
    }
}
