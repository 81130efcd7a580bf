//! A quad of fragments: four lanes, of which some may be helpers.
//!
//! A lane that shades no covered sample, and one that has discarded its samples, is a helper: its stores to device memory
//! have no effect. The lanes run one after the other up to the next derivative, which all of them have to reach.

use agx_isa::semantics::{PureArgs, Source};
use agx_isa::table::Opcode;

use super::{InterpretError, InterpreterMemory, Lane, Limits, Outcome};
use crate::ir::entity::Inst;
use crate::ir::function::Function;
use crate::ir::op::Op;

/// Lanes of a quad: (0,0) (1,0) (0,1) (1,1).
const LANES: usize = 4;

/// A lane of a quad.
pub struct Fragment<'m> {
    /// Whether the primitive covers it.
    pub is_covered: bool,
    /// Its environment.
    pub memory: &'m mut dyn InterpreterMemory,
}

/// Runs a fragment shader without parameters and preamble for a quad.
///
/// # Errors
/// As [`interpret`](super::interpret()). A derivative that only some lanes reach is unsupported.
pub fn quad(
    f: &Function<'_>,
    uniforms: &[u16],
    fragments: [Fragment<'_>; LANES],
    limits: Limits,
) -> Result<[Outcome; LANES], InterpretError> {
    let mut lanes = fragments.map(|fragment| {
        let mut lane = Lane::new(f, uniforms, fragment.memory);
        lane.is_fragment = true;
        lane.outcome.is_helper = !fragment.is_covered;
        lane
    });
    loop {
        let mut reached: [Option<Inst>; LANES] = [None; LANES];
        for (lane, reached) in lanes.iter_mut().zip(&mut reached) {
            *reached = lane.resume(limits)?;
        }
        match reached {
            [None, ..] if reached.iter().all(Option::is_none) => return Ok(lanes.map(|lane| lane.outcome)),
            [Some(inst), ..] if reached == [Some(inst); LANES] => differ(&mut lanes, inst)?,
            _ => {
                let inst = reached.into_iter().flatten().next();
                return Err(inst.map_or(InterpretError::Steps(0), |inst| lanes[0].unsupported(inst)));
            }
        }
    }
}

/// A derivative: the difference within the row or the column of each lane.
fn differ(lanes: &mut [Lane<'_, '_>; LANES], inst: Inst) -> Result<(), InterpretError> {
    let data = lanes[0].f.insts[inst];
    let bit = if data.op == Op::Hw(Opcode::Dfdx) { 1 } else { 2 };
    let ([src], Some(dst)) = (data.srcs, data.dst()) else { return Err(lanes[0].malformed(inst)) };
    let width = lanes[0].f.width(*src);
    let subtract = Opcode::Fadd.desc().pure.ok_or_else(|| lanes[0].malformed(inst))?.one;
    let mut values = [0; LANES];
    for (value, lane) in values.iter_mut().zip(&*lanes) {
        *value = lane.read_scalar(inst, *src)?;
    }
    for (index, lane) in lanes.iter_mut().enumerate() {
        let minus = src.flags.symmetric_difference(agx_isa::inst::OperandFlags::NEG);
        let sources = [
            Source { bits: values[index | bit], width, flags: src.flags },
            Source { bits: values[index & !bit], width, flags: minus },
        ];
        let args = PureArgs { dst_width: lane.f.ty(dst).bits, sources: &sources, mods: &[0] };
        lane.define(dst, &[subtract(&args)]);
    }
    Ok(())
}
