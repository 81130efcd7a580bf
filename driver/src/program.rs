//! Programs in device memory.

use std::sync::{Arc, OnceLock};

use agx_abi::varyings::OutputLayout;
use agx_abi::{PartRole, ShaderInfo};
use agx_compiler::CompiledShader;
use agx_compiler::link::{LinkedProgram, place_outputs};

use crate::Error;
use crate::dirty::Dirty;
use crate::gpu::SHADER_BASE;
use crate::memory::{Arena, Piece};
use crate::sampler::Sampler;
use crate::words::{Placed, Plan, Use};

/// Alignment of programs in bytes.
const ALIGNMENT: u64 = 128;

/// Memory of programs.
pub struct Code {
    arena: Arc<Arena>,
    /// Address of [`agx_abi::layout::ZEROS_BYTES`] bytes of zeros.
    zeros: u64,
    /// Whether the samplers of all programs have border colours.
    borders: bool,
}

impl Code {
    /// Memory of programs, with the address of zeros, and with the flag for border colours.
    pub fn new(arena: Arc<Arena>, zeros: u64, borders: bool) -> Code {
        Code { arena, zeros, borders }
    }

    /// Allocates memory that programs of the hardware refer to.
    ///
    /// # Errors
    /// Out of memory or addresses.
    pub fn take(&self, bytes: u64, alignment: u64) -> Result<Piece, Error> {
        self.arena.take(bytes, alignment)
    }
}

/// A program that can be launched.
pub struct Program {
    memory: Piece,
    /// Its words.
    pub(crate) plan: Plan,
    /// Its words in draws whose numbers are in memory, once they are needed.
    plan_of_memory: OnceLock<Plan>,
    placed: Placed,
    /// The compiler's information about the main part.
    pub info: ShaderInfo,
    /// Slots of its outputs, for vertex programs.
    pub outputs: OutputLayout,
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
    /// A compiled shader in memory, whose descriptors are in sets.
    ///
    /// # Errors
    /// Out of memory.
    pub fn new(code: &Code, shader: CompiledShader) -> Result<Program, Error> {
        Program::used(code, shader, Use::Sets)
    }

    /// A compiled shader in memory for a use.
    ///
    /// # Errors
    /// Out of memory.
    pub(crate) fn used(code: &Code, shader: CompiledShader, of: Use) -> Result<Program, Error> {
        let main = shader.part(PartRole::Main).unwrap_or_default();
        let (code_bytes, mut bytes) = (main.len() as u64, main.to_vec());
        let mut add = |part: &[u8]| {
            bytes.resize(bytes.len().next_multiple_of(ALIGNMENT as usize), 0);
            let at = bytes.len() as u64;
            bytes.extend_from_slice(part);
            at
        };
        let preamble = shader.part(PartRole::Preamble).map(&mut add);
        let constants = add(&shader.info.constants);
        let loads = add(&Sampler::loads().descriptor);
        // The addresses of zeros and of constants, which uniforms have. The promoted constants follow, in registers as well.
        let numbers = add(&[0; 16]);
        let promoted = bytes.len() as u64;
        bytes.extend_from_slice(&shader.info.promoted);
        let memory = code.arena.take(bytes.len() as u64, ALIGNMENT)?;
        memory.write(0, &bytes);
        let addresses = [code.zeros, memory.address + constants].map(u64::to_le_bytes);
        memory.write(numbers, addresses.as_flattened());
        let placed = Placed {
            code: memory.address - SHADER_BASE,
            preamble: preamble.map(|at| memory.address + at - SHADER_BASE),
            promoted: memory.address + promoted,
            constants: memory.address + numbers + 8,
            zeros: memory.address + numbers,
            loads: memory.address + loads,
            borders: code.borders,
        };
        Ok(Program {
            plan: Plan::new(&shader.info, of, placed)?,
            plan_of_memory: OnceLock::new(),
            placed,
            scratch_bytes: shader.info.scratch_bytes.max(shader.info.preamble_scratch_bytes),
            statistics: shader.stats,
            code_bytes,
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
        code: &Code,
        shader: &CompiledShader,
        outputs: OutputLayout,
    ) -> Result<Program, Error> {
        let mut shader = shader.clone();
        for part in shader.parts.iter_mut().filter(|part| part.role == PartRole::Main) {
            place_outputs(&mut part.code, &shader.info, &outputs)?;
        }
        Ok(Program { outputs, ..Program::new(code, shader)? })
    }

    /// Its words in draws whose numbers are in memory.
    ///
    /// # Errors
    /// As [`Plan::new`].
    pub(crate) fn plan_of_memory(&self) -> Result<&Plan, Error> {
        if let Some(plan) = self.plan_of_memory.get() {
            return Ok(plan);
        }
        let plan = Plan::new(&self.info, Use::Memory, self.placed)?;
        Ok(self.plan_of_memory.get_or_init(|| plan))
    }

    /// Address of the code.
    pub fn code(&self) -> u64 {
        self.memory.address
    }

    /// The parts of the state that its words depend on.
    #[inline(always)]
    pub fn uses(&self) -> Dirty {
        self.plan.uses
    }
}
