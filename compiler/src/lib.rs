//! Compiles shaders to AGX machine code.
//!
//! One way through: bytes in, one IR, a list of passes that is data, bytes out. See [`Compiler::compile`].

pub mod analysis;
pub mod error;
pub mod ir;
pub mod opt;
pub mod pipeline;
pub mod regalloc;
pub mod schedule;
pub mod stats;
#[cfg(test)]
mod test_random;

use agx_abi::{PartRole, ShaderInfo, Stage, Target};

pub use error::{CompileError, ErrorKind, Location};
pub use stats::Statistics;

/// A shader to compile.
#[derive(Clone, Copy, Debug)]
pub enum Input<'i> {
    /// A SPIR-V module in either byte order.
    SpirV(&'i [u8]),
    /// WGSL source.
    #[cfg(feature = "wgsl")]
    Wgsl(&'i str),
    /// The textual IR.
    Ir(&'i str),
}

/// Everything that affects the code beside the input: equal keys and inputs give equal bytes.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
#[non_exhaustive]
pub struct CompileKey {
    /// Entry point; `None` takes the only one of the wanted stage.
    pub entry_point: Option<String>,
    /// Stage of the entry point; `None` takes whatever the module has.
    pub stage: Option<Stage>,
    /// Values of specialization constants by id, as raw bits (booleans 0 or 1).
    pub spec_constants: Vec<(u32, u64)>,
    /// Names of optional passes not to run.
    pub disabled_passes: Vec<String>,
    /// Run the validator after every pass and the checkers after register allocation.
    pub validate: bool,
}

/// Machine code of one part.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ShaderPart {
    /// What the part is within its program.
    pub role: PartRole,
    /// The code.
    pub code: Vec<u8>,
}

/// A compiled shader.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct CompiledShader {
    /// Main part first.
    pub parts: Vec<ShaderPart>,
    /// What the driver must know.
    pub info: ShaderInfo,
    /// Statistics of the main part.
    pub stats: Statistics,
    /// Remarks for the user.
    pub messages: Vec<String>,
}

impl CompiledShader {
    /// Code of the part with `role`, if there is one.
    pub fn part(&self, role: PartRole) -> Option<&[u8]> {
        self.parts.iter().find(|part| part.role == role).map(|part| part.code.as_slice())
    }
}

/// Memory that compilations reuse. One per thread.
#[derive(Debug, Default)]
pub struct Scratch {}

/// A compiler for one target. Immutable and shareable between threads.
#[derive(Clone, Debug, Default)]
pub struct Compiler {
    target: Target,
}

impl Compiler {
    /// A compiler for `target`.
    pub fn new(target: Target) -> Self {
        Compiler { target }
    }

    /// The chip compiled for.
    pub fn target(&self) -> Target {
        self.target
    }

    /// Compiles `input`.
    ///
    /// # Errors
    /// [`CompileError`] says what is wrong, where, and whether the input is invalid or merely unsupported.
    pub fn compile(
        &self,
        _scratch: &mut Scratch,
        _input: Input<'_>,
        _key: &CompileKey,
    ) -> Result<CompiledShader, CompileError> {
        Err(CompileError::unsupported("no front end is built in yet"))
    }
}
