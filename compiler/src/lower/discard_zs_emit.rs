//! Lowers discards and depth and stencil writes: a discard kills every sample that the lane shades, and depth
//! and stencil are exported in registers.
//!
//! The epilog may itself kill samples, for alpha to coverage, and no sample may be killed after it was
//! tested. The main part therefore never tests: it kills, and the epilog tests with the exported depth and
//! stencil.
//!
//! Before: stage source. After: the same; no `discard`, `write_depth`, `write_stencil`.

use agx_abi::fragment;

use crate::context::Context;
use crate::error::CompileError;
use crate::ir::families::DISCARDS;
use crate::ir::key;
use crate::ir::op::mods;
use crate::ir::{Build, Function, IrOp, Op, Rewrite, Rewriter, Src};

/// Every sample of a pixel.
pub(super) const ALL_SAMPLES: Src = Src::imm(0xff, 16);

/// Lowers `discard`, `write_depth` and `write_stencil`, and records in the shader info what the epilog must
/// do.
///
/// # Errors
/// None at present; the signature is that of every lowering.
pub fn lower_discard_zs_emit(f: &mut Function<'_>, context: &mut Context<'_>) -> Result<(), CompileError> {
    let shaded = shaded_samples(f);
    let fragment = &mut context.facts.info.fragment;
    DISCARDS.map(f, |r, inst| {
        let data = r.f.insts[inst];
        match data.op {
            Op::Ir(IrOp::Discard) => {
                if data.srcs[0].as_imm() != Some(0) {
                    fragment.late_tests = true;
                    let dead = r.alu(IrOp::Select, 16, &[data.srcs[0], shaded, Src::imm(0, 16)], &[]);
                    r.push(IrOp::KillSamples, &[], &[dead], &[]);
                }
            }
            Op::Ir(IrOp::WriteDepth) => {
                (fragment.late_tests, fragment.writes_depth) = (true, true);
                leave(r, data.srcs[0], fragment::DEPTH);
            }
            Op::Ir(IrOp::WriteStencil) => {
                (fragment.late_tests, fragment.writes_stencil) = (true, true);
                leave(r, data.srcs[0], fragment::STENCIL);
            }
            _ => return Rewrite::Keep,
        }
        Rewrite::Remove
    });
    Ok(())
}

/// The samples that a lane shades: those in r0h if the program runs per sample, else all.
pub(super) fn shaded_samples(f: &Function<'_>) -> Src {
    let insts = &f.block(f.entry()).insts;
    let preload = insts
        .iter()
        .map(|inst| f.insts[*inst])
        .find(|data| data.op == Op::Ir(IrOp::Preload) && data.get(key::REG) == u32::from(fragment::SAMPLES));
    preload.and_then(|data| data.dst()).map_or(ALL_SAMPLES, Src::value)
}

fn leave(r: &mut Rewriter<'_, '_>, value: Src, half: u8) {
    r.push(IrOp::Export, &[], &[value], &mods(IrOp::Export).with(key::REG, half.into()));
}
