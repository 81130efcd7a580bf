//! Internals that agxc, the tests and the fuzz targets of this repository use in addition to the public
//! interface. They change without notice and are not listed in `public-api.txt`.

pub use crate::analysis::divergence::divergence;
pub use crate::context::Context;
pub use crate::emit::End;
pub use crate::regalloc::Reg;

/// Source variables in machine code.
pub mod tracking {
    use crate::{CompileError, CompileKey, CompiledShader, Compiler, Input, Scratch};

    pub use crate::emit::Tracking;
    pub use crate::ir::named::{SourceClass, SourceLeaf, SourceVariable};

    /// Compiles `input`, and follows its variables to the machine code of the main part. The code is that of
    /// [`Compiler::compile`].
    ///
    /// # Errors
    /// Those of [`Compiler::compile`].
    pub fn compile(
        compiler: &Compiler,
        scratch: &mut Scratch,
        input: Input<'_>,
        key: &CompileKey,
    ) -> Result<(CompiledShader, Tracking), CompileError> {
        scratch.bump.reset();
        let key = CompileKey { tracks_variables: true, ..key.clone() };
        let (f, info) = crate::frontend::read(&scratch.bump, input, &key)?;
        let context = compiler.main_facts(info, &key).into();
        let (shader, tracking) = compiler.finish_tracked(f, context, input, None)?;
        Ok((shader, tracking.map_or_else(Tracking::default, |tracking| *tracking)))
    }
}

/// The front ends and their building blocks.
pub mod frontend {
    pub use crate::frontend::{kit, language, read};

    /// Variables that become SSA values.
    pub mod ssa {
        pub use crate::ssa::{Variable, Variables};
    }

    #[cfg(any(feature = "wgsl", feature = "glsl"))]
    pub use crate::frontend::text;
    #[cfg(feature = "wgsl")]
    pub use crate::frontend::wgsl;
}

/// The IR, its text form, its validator and its interpreter.
pub mod ir {
    pub use crate::ir::{
        Arithmetic, Entity, Function, IrOp, Src, Stage, Violation, build, interpret, parse,
        parse_with_registers, print, validate,
    };
}

/// The passes and the order in which they run.
pub mod pipeline {
    pub use crate::pipeline::{Options, PASSES, PIPELINE, Pass, PhaseDesc, Stop, find_pass, run, run_pass};
}
