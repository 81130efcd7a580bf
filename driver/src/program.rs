//! Programs in device memory.

use std::sync::Arc;

use agx_abi::varyings::OutputLayout;
use agx_abi::{PartRole, ShaderInfo};
use agx_compiler::CompiledShader;
use agx_compiler::link::{LinkedProgram, place_outputs};

use crate::Error;
use crate::dirty::Dirty;
use crate::memory::{Arena, Piece};

/// Alignment of programs in bytes.
const ALIGNMENT: u64 = 128;

/// A program that can be launched.
pub struct Program {
    memory: Piece,
    /// First byte of the preamble.
    preamble: Option<u64>,
    constants: u64,
    promoted: u64,
    /// The compiler's information about the main part.
    pub info: ShaderInfo,
    /// The parts of the state that its words depend on.
    pub uses: Dirty,
    /// Slots of its outputs, for vertex programs.
    pub outputs: OutputLayout,
    /// Half registers, of all parts.
    pub gpr_halves: u16,
    /// Bytes of stack per lane, of the main program and of the preamble.
    pub scratch_bytes: u32,
    /// Statistics of the linked program.
    pub statistics: agx_compiler::Statistics,
    /// Bytes of the main program.
    pub code_bytes: u64,
}

/// The shader of a whole program, which has only a main part.
pub fn linked(mut shader: CompiledShader, program: &LinkedProgram) -> CompiledShader {
    shader.stats = program.statistics(&shader);
    for part in shader.parts.iter_mut().filter(|part| part.role == PartRole::Main) {
        part.code.clone_from(&program.code);
        part.lines.clear();
    }
    shader.info.gpr_halves = program.gpr_halves;
    shader.info.scratch_bytes = program.scratch_bytes;
    shader.info.fragment.late_tests = program.late_tests;
    shader
}

impl Program {
    /// A compiled shader in memory.
    ///
    /// # Errors
    /// Out of memory.
    pub fn new(arena: &Arc<Arena>, shader: CompiledShader) -> Result<Program, Error> {
        let code = shader.part(PartRole::Main).unwrap_or_default();
        let (code_bytes, mut bytes) = (code.len() as u64, code.to_vec());
        let mut add = |part: &[u8]| {
            bytes.resize(bytes.len().next_multiple_of(ALIGNMENT as usize), 0);
            let at = bytes.len() as u64;
            bytes.extend_from_slice(part);
            at
        };
        let preamble = shader.part(PartRole::Preamble).map(&mut add);
        let constants = add(&shader.info.constants);
        let promoted = add(&shader.info.promoted);
        let memory = arena.take(bytes.len() as u64, ALIGNMENT)?;
        memory.write(0, &bytes);
        Ok(Program {
            preamble,
            constants,
            promoted,
            gpr_halves: shader.info.gpr_halves,
            scratch_bytes: shader.info.scratch_bytes.max(shader.info.preamble_scratch_bytes),
            statistics: shader.stats,
            code_bytes,
            uses: Dirty::of_program(&shader.info),
            info: shader.info,
            outputs: OutputLayout::default(),
            memory,
        })
    }

    /// A compiled vertex shader in memory that stores its outputs to the slots of a layout.
    ///
    /// # Errors
    /// Out of memory, or the layout is for other outputs.
    pub fn with_outputs(
        arena: &Arc<Arena>,
        shader: &CompiledShader,
        outputs: OutputLayout,
    ) -> Result<Program, Error> {
        let mut shader = shader.clone();
        for part in shader.parts.iter_mut().filter(|part| part.role == PartRole::Main) {
            place_outputs(&mut part.code, &shader.info, &outputs)?;
        }
        Ok(Program { outputs, ..Program::new(arena, shader)? })
    }

    /// Address of the code.
    pub fn code(&self) -> u64 {
        self.memory.address
    }

    /// Address of the preamble.
    pub fn preamble(&self) -> Option<u64> {
        self.preamble.map(|at| self.memory.address + at)
    }

    /// Address of the constant section.
    pub fn constants(&self) -> u64 {
        self.memory.address + self.constants
    }

    /// Address of the promoted constants.
    pub fn promoted(&self) -> u64 {
        self.memory.address + self.promoted
    }
}
