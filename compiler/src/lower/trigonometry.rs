//! Sine and cosine.
//!
//! The hardware computes a sine in two steps: `sinr` folds an angle in quarter turns from 0 to 4 into -1 to
//! 1, `sinc` gives the sine of such an angle divided by it. The angle in turns is reduced by subtracting its
//! floor; a cosine is a sine a quarter turn later. The absolute error is below 2^-20 on [-π, π], where Vulkan
//! and WGSL require 2^-11, and grows with the spacing of floats around the angle. (Method: Mesa 25.0 AGX
//! compiler.)
//!
//! Before: stage source; no 64-bit float arithmetic. After: the same; no sine or cosine.

use agx_isa::table::Opcode;
use std::f32::consts::TAU;

use crate::error::{BackEndError, CompileError};
use crate::ir::families::TRIGONOMETRY;
use crate::ir::{Build, Function, IrOp, Op, Rewrite, Rewriter, Src};

/// Replaces `fsin` and `fcos`.
///
/// # Errors
/// 64-bit floats are unsupported.
pub fn lower_trigonometry(f: &mut Function<'_>) -> Result<(), CompileError> {
    TRIGONOMETRY.try_map(f, |r, inst| {
        let data = r.f.insts[inst];
        let quarter_turn_ahead = match data.op {
            Op::Ir(IrOp::Fsin) => false,
            Op::Ir(IrOp::Fcos) => true,
            _ => return Ok(Rewrite::Keep),
        };
        let width = r.f.width(data.srcs[0]);
        if width == 64 {
            return Err(BackEndError::Double { name: data.op.name() }.into());
        }
        Ok(Rewrite::Forward(sine(r, data.srcs[0], quarter_turn_ahead, width)))
    })
}

/// All intermediate values have 32 bits.
fn sine(r: &mut Rewriter<'_, '_>, angle: Src, quarter_turn_ahead: bool, width: u8) -> Src {
    let turn = Src::f32(1.0 / TAU);
    let turns = if quarter_turn_ahead {
        r.op(Opcode::Ffma, 32, &[angle, turn, Src::f32(0.25)])
    } else {
        r.op(Opcode::Fmul, 32, &[angle, turn])
    };
    let whole = r.op(Opcode::Floor, 32, &[turns]);
    let whole = r.op(IrOp::Fneg, 32, &[whole]);
    let fraction = r.op(Opcode::Fadd, 32, &[turns, whole]);
    let quarters = r.op(Opcode::Fmul, 32, &[fraction, Src::f32(4.0)]);
    let folded = r.op(Opcode::Sinr, 32, &[quarters]);
    let quotient = r.op(Opcode::Sinc, 32, &[folded]);
    r.op(Opcode::Fmul, width, &[folded, quotient])
}

#[cfg(test)]
mod tests {
    use bumpalo::Bump;

    use super::*;
    use crate::lower::test_arithmetic::{Case, build, run};

    #[test]
    fn errors_are_small_within_half_a_turn() {
        for (op, exact) in [(IrOp::Fsin, libm::sin as fn(f64) -> f64), (IrOp::Fcos, libm::cos)] {
            let bump = Bump::new();
            let mut f = build(&bump, &Case::new(op, 32, &[32], &[]));
            lower_trigonometry(&mut f).expect("lowers");
            let mut worst = 0f64;
            for step in -4000..=4000 {
                let angle = step as f32 * (std::f32::consts::PI / 4000.0);
                let got = f32::from_bits(run(&f, &[angle.to_bits().into()]) as u32);
                worst = worst.max((f64::from(got) - exact(angle.into())).abs());
            }
            assert!(worst < 2f64.powi(-20), "{op:?}: {worst:e}");
        }
    }
}
