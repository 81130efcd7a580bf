//! The shared state of the translation: the program, its registers and its inputs.

use agx_tgsi::{File, Shader};
use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;

use super::registers::RegisterFile;
use crate::CompileKey;
use crate::ir::Src;
use crate::ssa::Variable;

/// The four components of a register; those that are not read may be missing.
pub(super) type Words = [Option<Src>; 4];

/// Inputs and system values, by file and number.
pub(super) type Inputs = HashMap<(File, u32), Words, FxBuildHasher>;

/// A program in translation.
pub(super) struct Program<'s> {
    /// The program.
    pub shader: &'s Shader,
    /// The compile key.
    pub key: &'s CompileKey,
    /// The files that instructions write.
    pub files: Vec<RegisterFile>,
    /// Inputs and system values, by file and number.
    pub inputs: Inputs,
    /// Address registers saved by PUSHA.
    pub stack: Vec<Variable>,
    /// 0 times anything is 0.
    pub zero_wins: bool,
    /// MIN and MAX return their second operand if one is NaN.
    pub second_if_nan: bool,
}

impl Program<'_> {
    /// The registers of a file that instructions write.
    pub fn file(&self, file: File) -> Option<&RegisterFile> {
        self.files.iter().find(|known| known.file() == file)
    }
}

/// The value of an option of the language.
pub(super) fn option(key: &CompileKey, name: &str) -> Option<u64> {
    key.options.iter().find(|(known, _)| known == name).map(|(_, value)| *value)
}
