//! DVLB files: a DVLP part with code and descriptors, and a DVLE part for each shader.
//!
//! ```text
//! DVLB  count  offset of each DVLE
//! DVLP  version  code (offset, words)  descriptors (offset, count; 8 bytes each)  names …
//! DVLE  version, type, entry, end, masks, geometry; (offset, count) of constants (20 bytes each), labels (16),
//!       outputs (8), uniforms (8) and symbols
//! ```
//!
//! Offsets in DVLP and DVLE are relative to the start of the part. The layout is as described by 3dbrew.

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

/// A program and its shaders.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Container {
    /// Code and descriptors, shared by the shaders.
    pub program: Program,
    /// The shaders, in the order of the file.
    pub shaders: Vec<Shader>,
}

/// An error in the bytes of a container.
#[derive(Clone, PartialEq, Eq, Error, Debug)]
pub enum ContainerError {
    /// A part does not begin with its magic number.
    #[error("expected `{expected}` at byte {offset}")]
    Magic {
        /// The expected magic number.
        expected: &'static str,
        /// Offset in the file.
        offset: usize,
    },
    /// A part extends past the end of the file.
    #[error("{what} at byte {offset} extends past the end of the file ({length} bytes)")]
    Truncated {
        /// The part.
        what: &'static str,
        /// Its offset.
        offset: usize,
        /// Size of the file.
        length: usize,
    },
    /// A table has more rows than the hardware or the format allows.
    #[error("{what}: {count}; expected at most {limit}")]
    TooMany {
        /// The table.
        what: &'static str,
        /// Number of rows.
        count: usize,
        /// Maximum number of rows.
        limit: usize,
    },
    /// A field has an unknown value.
    #[error("{what} {value} at byte {offset} is unknown; expected {expected}")]
    Value {
        /// The field.
        what: &'static str,
        /// The value.
        value: u32,
        /// Its offset.
        offset: usize,
        /// The known values.
        expected: &'static str,
    },
    /// No shader has the requested index or stage.
    #[error("the container has no {asked}; it has {found}")]
    NoShader {
        /// The requested shader.
        asked: String,
        /// The available shaders.
        found: String,
    },
}

/// Which shader of a container to use.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Choice {
    /// The first one.
    #[default]
    First,
    /// By index.
    Index(usize),
    /// The first one of a stage.
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
    /// [`ContainerError::NoShader`] if there is none.
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
