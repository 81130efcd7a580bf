//! Does not export the alpha of target 0 if it is the constant 1.
//!
//! Most colours are opaque; the epilog learns this from [`agx_abi::FragmentInfo::opaque`] (Mesa 25.0 does the
//! same).
//!
//! Before: stage source. After: the same.

use agx_abi::Stage;
use agx_abi::fragment::colour_register;

use crate::context::Context;
use crate::ir::rewrite::map_some;
use crate::ir::{Function, InstData, IrOp, Op, Rewrite, Src};

/// Removes the export of an alpha that is always 1.
pub fn opt_constant_alpha(f: &mut Function<'_>, context: &mut Context<'_>) {
    let Some(alpha) = colour_register(0, 3).filter(|_| context.facts.info.stage == Stage::Fragment) else {
        return;
    };
    let fragment = &mut context.facts.info.fragment;
    let is_export = |data: &InstData<'_>| data.op == Op::Ir(IrOp::Export);
    map_some(f, is_export, |r, inst| {
        let data = r.f.insts[inst];
        let is_alpha = data.mods == [u32::from(alpha)];
        if !is_alpha || data.srcs != [Src::imm32(1.0_f32.to_bits())] {
            return Rewrite::Keep;
        }
        fragment.opaque = true;
        fragment.components[0] &= !(1 << 3);
        Rewrite::Remove
    });
}
