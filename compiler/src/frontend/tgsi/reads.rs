//! The inputs and system values that a program reads, and semantics that a stage rejects.

use agx_tgsi::{File, SemanticName, Shader};
use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;

use super::registers::indirect_range;
use crate::error::{CompileError, TgsiError};

/// The error for a semantic that a stage does not support.
pub(super) fn refused(name: SemanticName, stage: &str) -> CompileError {
    CompileError::from(TgsiError::Semantic { name: name.name().to_string(), stage: stage.to_owned() })
}

/// The components of inputs and system values that a program reads.
pub(super) struct Reads {
    masks: HashMap<(File, u32), u8, FxBuildHasher>,
    /// Registers of a file that computed addresses may reach.
    indirect: [Option<(u32, u32)>; 2],
}

const READ_FILES: [File; 2] = [File::Input, File::SystemValue];

impl Reads {
    /// Scans the instructions.
    pub fn new(shader: &Shader) -> Reads {
        let mut masks: HashMap<(File, u32), u8, FxBuildHasher> = HashMap::default();
        let mut note = |file: File, number: i32, swizzle: &[u8]| {
            let Ok(number) = u32::try_from(number) else { return };
            let mask = swizzle.iter().fold(0, |mask, component| mask | 1 << (component & 3));
            *masks.entry((file, number)).or_insert(0) |= mask;
        };
        for instruction in &shader.instructions {
            for src in &instruction.srcs {
                note(src.file, src.index.offset, &src.swizzle);
                for indirect in [Some(src.index), src.dimension].into_iter().flatten() {
                    if let Some(indirect) = indirect.indirect {
                        note(indirect.file, indirect.index, &[indirect.component]);
                    }
                }
            }
            for indirect in instruction.dsts.iter().filter_map(|dst| dst.index.indirect) {
                note(indirect.file, indirect.index, &[indirect.component]);
            }
            for offset in instruction.texture.iter().flat_map(|texture| &texture.offsets) {
                note(offset.file, offset.index, &offset.swizzle);
            }
        }
        Reads { masks, indirect: READ_FILES.map(|file| indirect_range(shader, file)) }
    }

    /// The components of a register that may be read.
    pub fn mask(&self, file: File, number: u32) -> u8 {
        let at = READ_FILES.iter().position(|known| *known == file);
        let range = at.and_then(|at| self.indirect.get(at).copied().flatten());
        if range.is_some_and(|(first, last)| (first..=last).contains(&number)) {
            return 0xf;
        }
        self.masks.get(&(file, number)).copied().unwrap_or(0)
    }
}
