//! Lowers `kill_samples` to the hardware's `sample_mask`.
//!
//! For each sample in its first operand, the hardware runs the tests if the sample is in the second operand,
//! and kills it otherwise; samples killed before are ignored (Mesa 25.0 AGX compiler). Killing alone does not
//! wait for earlier fragments at the pixel.
//!
//! Before: stage source; no `discard`, `write_depth`, `write_stencil`. After: the same; no `kill_samples`.

use agx_abi::Stage;
use agx_isa::table::Opcode;

use crate::analysis::coverage;
use crate::context::Context;
use crate::error::CompileError;
use crate::ir::families::KILLS;
use crate::ir::op::mods;
use crate::ir::{Build, Function, Rewrite, Src};

/// Lowers `kill_samples`.
///
/// # Errors
/// If the key enables validation, samples that may be tested twice or killed after their test are an internal
/// error.
pub fn lower_sample_mask(f: &mut Function<'_>, context: &mut Context<'_>) -> Result<(), CompileError> {
    let fragment = &mut context.facts.info.fragment;
    KILLS.map(f, |r, inst| {
        let data = r.f.insts[inst];
        if data.srcs[0].as_imm() != Some(0) {
            fragment.late_tests = true;
            let srcs = [data.srcs[0], Src::imm(0, 16)];
            r.push(Opcode::SampleMask, &[], &srcs, &mods(Opcode::SampleMask));
        }
        Rewrite::Remove
    });
    if context.facts.key.validate && context.facts.info.stage == Stage::Fragment {
        coverage::check(f)?;
    }
    Ok(())
}
