//! Finds outputs of vertex shaders that are the same for all vertices of a draw.
//!
//! The fragment shader of the pipeline can then read the value itself, and the vertex shader need not store it: see
//! [`agx_abi::linking`].
//!
//! Before: stage source; no `store_cull`. After: the same.

use agx_abi::linking::KnownOutput;
use agx_abi::vertex::Output;

use crate::analysis::draw_words::draw_word;
use crate::context::Context;
use crate::ir::{Function, IrOp, Op};

/// Records the outputs that are the same for all vertices of a draw.
pub fn mark_known_outputs(f: &mut Function<'_>, context: &mut Context<'_>) {
    let Some(exit) = f.layout.last().map(|segment| segment.block) else { return };
    let info = &mut context.facts.info;
    for inst in &f.block(exit).insts {
        let data = &f.insts[*inst];
        let (Op::Ir(IrOp::StoreVarying), &[word, slot]) = (data.op, data.srcs) else { continue };
        let written = info.varyings.iter().find(|varying| Some(u64::from(varying.slot)) == slot.as_imm());
        let Some(output) = written.map(|varying| varying.output) else { continue };
        let value = draw_word(f, &info.uniforms, word).filter(|_| matches!(output, Output::User { .. }));
        info.known_outputs.extend(value.map(|value| KnownOutput { output, value }));
    }
}
