//! Parts to programs.
//!
//! A vertex or fragment shader is compiled once, as a *main part*. What depends on the state of a draw stands in parts of
//! its own: a vertex prolog fetches attributes, a fragment prolog discards what the API asks to discard, a fragment
//! epilog tests, blends and stores. Prologs and epilogs are functions of small keys, built as IR and compiled like any
//! shader; [`link`] puts parts one behind the other, which is cheap enough for the time of a draw.
//!
//! *Architecture invariant:* parts meet in registers and uniforms that `agx_abi::{vertex, fragment}` name, and in nothing else.

mod blend;
mod epilog;
mod fragment_prolog;
mod program;
mod vertex_prolog;

use agx_abi::layout::UNIFORM_HALVES;
use agx_abi::{PartRole, ShaderInfo, Stage};

pub use blend::{Blend, BlendOp, Equation, Factor, LogicOp};
pub use epilog::{EpilogKey, Target};
pub use fragment_prolog::FragmentPrologKey;
pub use program::{LinkError, LinkedProgram, Parts, link};
pub use vertex_prolog::{AttributeKey, IndexSize, VertexPrologKey};

use crate::emit::End;
use crate::error::CompileError;
use crate::ir::Function;
use crate::pipeline::Context;
use crate::{CompileKey, Compiler, Scratch, run_and_emit};

/// A prolog or an epilog, to be linked.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct LinkPart {
    /// What it is within its program.
    pub role: PartRole,
    /// The code.
    pub code: Vec<u8>,
    /// Highest half register used, plus one.
    pub gpr_halves: u16,
    /// Stack memory per lane in bytes.
    pub scratch_bytes: u32,
    /// The part tests samples, so that tests before the program would come too early.
    pub late_tests: bool,
}

impl Compiler {
    /// The epilog that `key` asks for.
    ///
    /// # Errors
    /// State that is not supported, and spilled targets.
    pub fn fragment_epilog(
        &self,
        scratch: &mut Scratch,
        key: &EpilogKey,
        options: &CompileKey,
    ) -> Result<LinkPart, CompileError> {
        scratch.bump.reset();
        let mut f = Function::new(&scratch.bump, "epilog");
        let late_tests = epilog::build(&mut f, key)?;
        self.finish_part(f, PartRole::Epilog, late_tests, options)
    }

    /// The fragment prolog that `key` asks for.
    ///
    /// # Errors
    /// As [`Compiler::compile`].
    pub fn fragment_prolog(
        &self,
        scratch: &mut Scratch,
        key: &FragmentPrologKey,
        options: &CompileKey,
    ) -> Result<LinkPart, CompileError> {
        scratch.bump.reset();
        let mut f = Function::new(&scratch.bump, "prolog");
        let kills = fragment_prolog::build(&mut f, key)?;
        self.finish_part(f, PartRole::Prolog, kills, options)
    }

    /// The vertex prolog that `key` asks for. It uses no register that the main part does not use.
    ///
    /// # Errors
    /// Main parts with too few registers, and more attributes than there are registers.
    pub fn vertex_prolog(
        &self,
        scratch: &mut Scratch,
        key: &VertexPrologKey,
        options: &CompileKey,
    ) -> Result<LinkPart, CompileError> {
        scratch.bump.reset();
        let mut f = Function::new(&scratch.bump, "prolog");
        vertex_prolog::build(&mut f, key)?;
        let mut options = options.clone();
        options.max_gpr_halves = Some(key.gpr_halves);
        self.finish_part(f, PartRole::Prolog, false, &options)
    }

    /// Compiles a part, for which no uniform registers are left but those of the interface.
    fn finish_part(
        &self,
        mut f: Function<'_>,
        role: PartRole,
        late_tests: bool,
        options: &CompileKey,
    ) -> Result<LinkPart, CompileError> {
        let info =
            ShaderInfo { stage: Stage::Fragment, uniform_halves: UNIFORM_HALVES, ..ShaderInfo::default() };
        let mut context =
            Context { info, end: End::Open, others_nest: true, ..Context::new(self.target(), options) };
        let code = run_and_emit(&mut f, &mut context)?;
        Ok(LinkPart {
            role,
            code: code.bytes,
            gpr_halves: context.info.gpr_halves,
            scratch_bytes: context.info.scratch_bytes,
            late_tests,
        })
    }
}
