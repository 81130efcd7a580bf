//! Promotes constants to uniforms.
//!
//! A constant that an operand cannot encode costs an instruction and a register each time it is loaded; a
//! uniform costs neither, and the driver fills it from the shader's data at launch. Constants are promoted in
//! order of weight, by the number of loads they save, until the uniform file is full (as in Mesa 26.1); for a
//! preamble, which runs once, as many as one command word fills.
//!
//! Before: stage selected. After: the same.

use std::cmp::Reverse;

use agx_abi::layout::{UNIFORM_HALVES, UniformRange, UniformSource};
use agx_isa::desc::{OperandDesc, Role};
use agx_isa::inst::Size;
use agx_isa::table::Opcode;
use bumpalo::Bump;
use bumpalo::collections::Vec as ArenaVec;
use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;

use super::first_free_uniform;
use crate::context::Context;
use crate::emit::End;
use crate::ir::machine::{is_legal_source, is_legal_uniform};
use crate::ir::{Function, Inst, InstData, Op, Src, SrcKind};

/// Half-words of the promoted constants of a program that runs once: what one USC uniform word fills (Mesa 25.0).
const MAX_HALVES_ONCE: u16 = 64;

/// Weight factor of a use per enclosing loop.
const LOOP_WEIGHT: u32 = 8;

/// Maximum number of loops that increase the weight of a use.
const MAX_LOOP_DEPTH: u32 = 4;

/// Largest constant that an integer operand encodes.
const MAX_IMMEDIATE: u64 = 255;

type Weights = HashMap<Src, u32, FxBuildHasher>;
type Places = HashMap<Src, u16, FxBuildHasher>;

/// Moves constants that operands cannot encode to uniform registers.
pub fn opt_promote_constants(f: &mut Function<'_>, context: &mut Context<'_>) {
    if context.facts.info.uniform_halves >= UNIFORM_HALVES {
        return;
    }
    f.with_scratch(|f, scratch| promote(f, context, scratch));
}

fn promote(f: &mut Function<'_>, context: &mut Context<'_>, scratch: &Bump) {
    let Weighed { weights, order, readers } = weigh(f, scratch);
    if order.is_empty() {
        return;
    }
    let places = place(f, &weights, order, context);
    for inst in readers {
        read_promoted(f, inst, &places);
    }
}

/// Whether a source is a constant; most instructions have none.
fn has_constant(data: &InstData<'_>) -> bool {
    data.srcs.iter().any(|src| src.kind == SrcKind::Imm)
}

/// Makes an instruction read the uniform registers of its constants.
fn read_promoted(f: &mut Function<'_>, inst: Inst, places: &Places) {
    let data = f.insts[inst];
    let Op::Hw(op) = data.op else { return };
    let promoted = |(src, (_, operand)): (&Src, (usize, &OperandDesc))| {
        if src.kind != SrcKind::Imm || is_legal_source(operand, *src) {
            return None;
        }
        let constant = src.plain();
        let half = *places.get(&constant)?;
        is_legal_uniform(operand, half, constant.bits)
            .then(|| Src { flags: src.flags, ..Src::uniform(half, constant.bits) })
    };
    let mut changed: Option<&mut [Src]> = None;
    for (index, place) in data.srcs.iter().zip(op.desc().with_role(Role::Src)).enumerate() {
        if let Some(src) = promoted(place) {
            changed.get_or_insert_with(|| f.bump.alloc_slice_copy(data.srcs))[index] = src;
        }
    }
    if let Some(srcs) = changed {
        f.insts[inst].srcs = srcs;
    }
}

/// The constants that operands cannot encode.
struct Weighed<'s> {
    /// The weight of every constant worth promoting.
    weights: Weights,
    /// These constants in order of appearance.
    order: ArenaVec<'s, Src>,
    /// The instructions that read constants which they cannot encode.
    readers: ArenaVec<'s, Inst>,
}

/// Finds the constants that operands cannot encode.
fn weigh<'s>(f: &Function<'_>, scratch: &'s Bump) -> Weighed<'s> {
    let mut weights = Weights::with_hasher(FxBuildHasher);
    let mut order = ArenaVec::new_in(scratch);
    let mut readers = ArenaVec::new_in(scratch);
    for block in f.blocks_in_order() {
        let weight = LOOP_WEIGHT.pow(f.block(block).loop_depth.min(MAX_LOOP_DEPTH));
        f.watch.visit(1 + f.block(block).insts.len() / 4);
        for inst in &f.block(block).insts {
            let data = &f.insts[*inst];
            let Op::Hw(op) = data.op else { continue };
            if !has_constant(data) {
                continue;
            }
            for (src, (_, operand)) in data.srcs.iter().zip(op.desc().with_role(Role::Src)) {
                let constant = src.kind == SrcKind::Imm && matches!(src.bits, 16 | 32);
                if !constant || is_legal_source(operand, *src) {
                    continue;
                }
                if readers.last() != Some(inst) {
                    readers.push(*inst);
                }
                if !is_subtraction(op, *src) && is_legal_uniform(operand, 0, src.bits) {
                    let constant = src.plain();
                    let entry = weights.entry(constant).or_insert(0);
                    if *entry == 0 {
                        order.push(constant);
                    }
                    *entry = entry.saturating_add(weight);
                }
            }
        }
    }
    Weighed { weights, order, readers }
}

/// Whether `lower_operands` can encode the constant by subtracting instead of adding.
fn is_subtraction(op: Opcode, src: Src) -> bool {
    let negated = src.payload.wrapping_neg() & ((1 << src.bits) - 1);
    matches!(op, Opcode::Iadd | Opcode::Isub) && negated <= MAX_IMMEDIATE
}

/// Assigns half-words after those in use to the heaviest constants, and records their contents for the
/// driver.
fn place(
    f: &Function<'_>,
    weights: &Weights,
    mut order: ArenaVec<'_, Src>,
    context: &mut Context<'_>,
) -> Places {
    order.sort_by_key(|constant| Reverse(weights[constant]));
    let used = first_free_uniform(f, context);
    let start = used.next_multiple_of(u16::from(Size::B32.halves()));
    let room = if context.facts.end == End::Preamble { MAX_HALVES_ONCE } else { UNIFORM_HALVES };
    let end = start.saturating_add(room).min(UNIFORM_HALVES);
    let mut places = Places::with_hasher(FxBuildHasher);
    let offset = context.facts.info.promoted.len() as u32;
    let mut next = start;
    // 32-bit constants first, so that all are aligned.
    for bits in [32, 16] {
        for constant in order.iter().filter(|constant| constant.bits == bits) {
            let halves = u16::from(Size::for_bits(bits).halves());
            if next + halves <= end {
                places.insert(*constant, next);
                let bytes = constant.payload.to_le_bytes();
                context.facts.info.promoted.extend_from_slice(&bytes[..usize::from(bits / 8)]);
                next += halves;
            }
        }
    }
    if next > start {
        let source = UniformSource::Promoted { offset };
        context.facts.info.uniforms.push(UniformRange { start, halves: next - start, source });
    }
    places
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::CompileKey;
    use crate::ir::parse;

    /// Half-words that `count` different constants take in a program that ends with `end`.
    fn promoted_halves(count: u32, end: End) -> u16 {
        let mut text = "kernel @k(%0:32) stage selected {\nb0:\n".to_owned();
        for number in 1..=count {
            text += &format!("    %{number}:32 = fmul %{}, #{}.1\n", number - 1, number);
        }
        text += &format!("    keep %{count}\n}}\n");
        let bump = Bump::new();
        let mut f = parse(&bump, &text).unwrap().remove(0);
        f.compute_cfg();
        let key = CompileKey::default();
        let mut context = Context::new(agx_abi::Target::default(), &key);
        context.facts.end = end;
        opt_promote_constants(&mut f, &mut context);
        context.facts.info.uniforms.iter().map(|range| range.halves).sum()
    }

    #[test]
    fn constants_fill_the_uniform_file_unless_the_program_runs_once() {
        assert_eq!(promoted_halves(100, End::Stop), 200);
        assert_eq!(promoted_halves(100, End::Preamble), MAX_HALVES_ONCE);
        assert_eq!(promoted_halves(300, End::Stop), UNIFORM_HALVES);
    }
}
