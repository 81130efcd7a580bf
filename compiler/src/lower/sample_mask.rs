//! Coverage: `discard` and `test_samples` become the hardware's `sample_mask`.
//!
//! For each sample of its first operand the hardware runs the tests if the sample is in the second, and kills it
//! otherwise; samples killed before are ignored (Mesa 25.0 AGX compiler).

use agx_isa::table::Opcode;

use crate::error::CompileError;
use crate::ir::op::mods_with;
use crate::ir::{Function, IrOp, Op, Rewrite, Src};

/// Every sample of a pixel.
const ALL_SAMPLES: Src = Src::imm(0xff, 16);

/// What fragments before this one at the pixel must have done before tests run.
const TESTS: Src = Src::imm(1, 16);

/// Lowers `discard` and `test_samples`.
///
/// # Errors
/// None at present; the signature is that of every lowering.
pub fn lower_sample_mask(f: &mut Function<'_>) -> Result<(), CompileError> {
    f.map_insts(|r, inst| {
        let data = r.f.insts[inst];
        let live = match data.op {
            Op::Ir(IrOp::Discard) => Src::imm(0, 16),
            Op::Ir(IrOp::TestSamples) => {
                r.push(Opcode::Pixwait, &[], &[TESTS], &mods_with(Opcode::Pixwait, &[]));
                data.srcs[0]
            }
            _ => return Rewrite::Keep,
        };
        r.push(Opcode::SampleMask, &[], &[ALL_SAMPLES, live], &mods_with(Opcode::SampleMask, &[]));
        Rewrite::Remove
    });
    Ok(())
}
