//! Internals that agxc, the tests and the fuzz targets of this repository use in addition to the public
//! interface. They change without notice and are not listed in `public-api.txt`.

pub use crate::analysis::divergence::divergence;
pub use crate::context::Context;
pub use crate::emit::End;
pub use crate::regalloc::Reg;

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
