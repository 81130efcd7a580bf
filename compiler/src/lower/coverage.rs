//! Lowers sample operations and the outputs that decide what the epilog does: discards, depth, stencil, and an alpha that is 1.
//!
//! A discard kills every sample that the lane shades; depth and stencil are exported in registers. The epilog may itself kill
//! samples, for alpha to coverage, and no sample may be killed after it was tested. The main part therefore never tests: it
//! kills, and the epilog tests with the exported depth and stencil.
//!
//! For each sample in its first operand, the hardware's `sample_mask` runs the tests if the sample is in the second operand,
//! and kills it otherwise; samples killed before are ignored (Mesa 25.0 AGX compiler). Killing alone does not wait for earlier
//! fragments at the pixel.
//!
//! Most colours are opaque: an alpha of target 0 that is the constant 1 is not exported, and the epilog learns it from
//! [`agx_abi::FragmentInfo::opaque`] (Mesa 25.0 does the same).
//!
//! Before: stage source. After: the same; no `discard`, `kill_samples`, `write_depth`, `write_stencil`.

use agx_abi::fragment::colour_register;
use agx_abi::{FragmentInfo, Stage, fragment};
use agx_isa::table::Opcode;

use crate::analysis::coverage;
use crate::context::Context;
use crate::error::CompileError;
use crate::ir::key;
use crate::ir::op::mods;
use crate::ir::rewrite::map_some;
use crate::ir::{Build, Function, InstData, IrOp, Op, Rewrite, Rewriter, Src};

/// Every sample of a pixel.
const ALL_SAMPLES: Src = Src::imm(0xff, 16);

/// Lowers `discard`, `kill_samples`, `write_depth` and `write_stencil`, and records in the shader info what the epilog must do.
///
/// # Errors
/// If the key enables validation, samples that may be tested twice or killed after their test are an internal error.
pub fn lower_coverage(f: &mut Function<'_>, context: &mut Context<'_>) -> Result<(), CompileError> {
    let is_fragment = context.facts.info.stage == Stage::Fragment;
    let shaded = shaded_samples(f);
    let fragment = &mut context.facts.info.fragment;
    map_some(f, is_subject, |r, inst| {
        let data = r.f.insts[inst];
        match data.op {
            Op::Ir(IrOp::Discard) => {
                if data.srcs[0].as_imm() != Some(0) {
                    let dead = r.alu(IrOp::Select, 16, &[data.srcs[0], shaded, Src::imm(0, 16)], &[]);
                    kill(r, dead, fragment);
                }
            }
            Op::Ir(IrOp::KillSamples) => kill(r, data.srcs[0], fragment),
            Op::Ir(IrOp::WriteDepth) => {
                (fragment.late_tests, fragment.writes_depth) = (true, true);
                leave(r, data.srcs[0], fragment::DEPTH);
            }
            Op::Ir(IrOp::WriteStencil) => {
                (fragment.late_tests, fragment.writes_stencil) = (true, true);
                leave(r, data.srcs[0], fragment::STENCIL);
            }
            _ if is_fragment && is_opaque_alpha(&data) => {
                fragment.opaque = true;
                fragment.components[0] &= !(1 << 3);
            }
            _ => return Rewrite::Keep,
        }
        Rewrite::Remove
    });
    if context.facts.key.validate && is_fragment { coverage::check(f) } else { Ok(()) }
}

fn is_subject(data: &InstData<'_>) -> bool {
    use IrOp::{Discard, Export, KillSamples, WriteDepth, WriteStencil};
    matches!(data.op, Op::Ir(Discard | KillSamples | WriteDepth | WriteStencil | Export))
}

/// Whether an instruction exports the constant 1 as the alpha of target 0.
fn is_opaque_alpha(data: &InstData<'_>) -> bool {
    data.op == Op::Ir(IrOp::Export)
        && colour_register(0, 3).is_some_and(|alpha| data.get(key::REG) == u32::from(alpha))
        && data.srcs == [Src::imm32(1.0_f32.to_bits())]
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

/// Kills the samples in the mask `dead`.
fn kill(r: &mut Rewriter<'_, '_>, dead: Src, fragment: &mut FragmentInfo) {
    if dead.as_imm() != Some(0) {
        fragment.late_tests = true;
        r.push(Opcode::SampleMask, &[], &[dead, Src::imm(0, 16)], &mods(Opcode::SampleMask));
    }
}

fn leave(r: &mut Rewriter<'_, '_>, value: Src, half: u8) {
    r.push(IrOp::Export, &[], &[value], &mods(IrOp::Export).with(key::REG, half.into()));
}
