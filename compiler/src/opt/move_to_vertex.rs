//! Moves operations on inputs of a fragment shader to the vertex shader of its pipeline, which executes them once per
//! vertex: products and sums with words that are the same in every invocation of a draw.
//!
//! Interpolation is linear, so the interpolated result is the result for the interpolated input. Rounding differs: this
//! requires contraction, and leaves what an `exact` reads. An input moves only if nothing else reads it. The vertex shader
//! must be compiled with the recorded operations ([`agx_abi::FragmentInfo::moved`]).
//!
//! Before: stage source. After: the same.

use agx_abi::UniformRange;
use agx_abi::linking::{DrawWord, MovedSteps, Step};
use agx_isa::table::Opcode;
use bumpalo::Bump;
use bumpalo::collections::Vec as ArenaVec;

use crate::analysis::draw_words::draw_word;
use crate::analysis::exact::exact_values;
use crate::analysis::users::Users;
use crate::context::Context;
use crate::ir::vectors::taken_apart;
use crate::ir::vocabulary::Input;
use crate::ir::{Function, Inst, InstData, IrOp, Op, Side, Src, Value};

const NEGATION: Step = Step::Scale(DrawWord::Constant((-1.0_f32).to_bits()));

/// Moves operations on inputs to the vertex shader, if the key describes one.
pub fn opt_move_to_vertex(f: &mut Function<'_>, context: &mut Context<'_>) {
    if context.facts.key.vertex_outputs.is_none() || !f.contract || f.special_values {
        return;
    }
    let info = &mut context.facts.info;
    let moved = f.with_scratch(|f, scratch| move_all(f, &info.uniforms, scratch));
    info.fragment.moved.extend(moved);
}

fn move_all(f: &mut Function<'_>, ranges: &[UniformRange], scratch: &Bump) -> Vec<MovedSteps> {
    let (users, exact) = (Users::of(f, scratch), exact_values(f));
    let mut moved = Vec::new();
    for word in inputs(f, &users, scratch) {
        let Word { input, value: Some(value) } = word else { continue };
        let Some(output) = input.user_output() else { continue };
        let Some((end, steps)) = chain(f, ranges, &users, &exact, value) else { continue };
        let srcs = f.alloc(&[Src::value(value)]);
        f.set_inst(end, InstData { op: Op::Ir(IrOp::Mov), srcs, mods: &[], ..f.insts[end] });
        moved.push(MovedSteps { output, steps });
    }
    moved
}

/// The operations on an input that can move, each the only reader of the result before, and the last of them. A negation at
/// the end stays, because instructions that read the result negate it at no cost.
fn chain(
    f: &Function<'_>,
    ranges: &[UniformRange],
    users: &Users<'_>,
    exact: &Side<Value, bool>,
    mut value: Value,
) -> Option<(Inst, Vec<Step>)> {
    let (mut end, mut steps, mut count) = (None, Vec::new(), 0);
    while let Some(inst) = users.only(value) {
        let dst = f.insts[inst].dst().filter(|dst| !exact[*dst]);
        let (Some(dst), Some(step)) = (dst, step(f, ranges, inst, value)) else { break };
        steps.push(step);
        value = dst;
        if step != NEGATION {
            (end, count) = (Some(inst), steps.len());
        }
    }
    steps.truncate(count);
    Some((end?, steps))
}

/// A word of the inputs.
struct Word {
    input: Input,
    /// Its value; `None` if several instructions interpolate it, or if it is read as part of a vector.
    value: Option<Value>,
}

/// The components of locations that are interpolated, ascending.
fn inputs<'s>(f: &Function<'_>, users: &Users<'_>, scratch: &'s Bump) -> ArenaVec<'s, Word> {
    let mut words = ArenaVec::new_in(scratch);
    for inst in f.blocks_in_order().flat_map(|block| &f.block(block).insts) {
        let data = &f.insts[*inst];
        let (Op::Ir(IrOp::Interpolate), [vector], [first, ..]) = (data.op, data.dsts, data.mods) else {
            continue;
        };
        let apart = users.only(*vector).and_then(|inst| taken_apart(f, &f.insts[inst]));
        let value = |at: u32| match f.ty(*vector).comps {
            1 => Some(*vector),
            _ => apart.and_then(|(_, components)| components.get(at as usize).copied()),
        };
        let components = (0..u32::from(f.ty(*vector).comps)).map(|at| (Input(first + at), value(at)));
        words.extend(
            components.filter(|(input, _)| input.is_user()).map(|(input, value)| Word { input, value }),
        );
    }
    words.sort_by_key(|word| word.input.0);
    words.dedup_by(|again, first| {
        let is_same = again.input == first.input;
        first.value = first.value.filter(|_| !is_same);
        is_same
    });
    words
}

/// The operation of `inst` on `value`, if the vertex shader can execute it.
fn step(f: &Function<'_>, ranges: &[UniformRange], inst: Inst, value: Value) -> Option<Step> {
    let data = &f.insts[inst];
    if data.dst().is_none_or(|dst| f.ty(dst).bits != 32) || data.mods.iter().any(|modifier| *modifier != 0) {
        return None;
    }
    let other = || {
        let &[a, b] = data.srcs else { return None };
        draw_word(f, ranges, if a.as_value() == Some(value) { b } else { a })
    };
    Some(match data.op {
        Op::Hw(Opcode::Fmul) => Step::Scale(other()?),
        Op::Hw(Opcode::Fadd) => Step::Offset(other()?),
        Op::Ir(IrOp::Fneg) => NEGATION,
        _ => return None,
    })
}
