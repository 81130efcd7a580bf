//! Cull distances: the hardware lacks them, so the vertex shader stores a flag for each that tells whether it
//! keeps the primitive.
//!
//! A primitive is culled if a cull distance is negative at all its vertices. A flag is stored with the
//! distance: 0 if the distance is negative, else 1. The prolog of the fragment shader kills primitives whose
//! flag is 0 at every vertex, which is the case where all coefficients of the flag are 0 (Mesa 25.0 does the
//! same).
//!
//! Before: stage source. After: the same; no `store_cull`.

use crate::error::CompileError;
use crate::ir::families::CULL_DISTANCES;
use crate::ir::key;
use crate::ir::op::mods;
use crate::ir::{Build, Function, IrOp, Op, Rewrite, Src};
use agx_isa::table::names::FloatCondition;

/// Lowers `store_cull`.
///
/// # Errors
/// None at present; the signature is that of every lowering.
pub fn lower_cull_distance(f: &mut Function<'_>) -> Result<(), CompileError> {
    CULL_DISTANCES.map(f, |r, inst| {
        let data = r.f.insts[inst];
        let (Op::Ir(IrOp::StoreCull), [distance, slot]) = (data.op, data.srcs) else { return Rewrite::Keep };
        let zero = Src::imm32(0);
        let cond = mods(IrOp::Fcmp).with(key::FLOAT_COND, FloatCondition::GREATER_OR_EQUAL);
        let keeps = r.alu(IrOp::Fcmp, 1, &[*distance, zero], &cond);
        let flag = r.alu(IrOp::Select, 32, &[keeps, Src::imm32(1.0_f32.to_bits()), zero], &[]);
        r.push(IrOp::StoreVarying, &[], &[flag, *slot], &[]);
        Rewrite::Remove
    });
    Ok(())
}
