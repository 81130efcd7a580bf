//! Moves computations that are the same for every invocation to the preamble: a program that runs once per
//! dispatch or draw and leaves its results in the uniform file.
//!
//! A value is uniform if a pure operation computes it from constants, uniform registers and uniform values,
//! in any arm or loop; if it is loaded from read-only memory at a uniform address, in a block that every
//! invocation executes or by a load that may be executed speculatively; if a texture is read at uniform
//! coordinates at a level that does not depend on derivatives; or if it is a phi of uniform values
//! after an if on a uniform condition, which becomes a selection. The uniform values that the shader itself
//! still reads are assigned half-words after those in use, the most expensive first. If not all of them fit, `opt_dce`
//! removes the instructions that become unused.
//!
//! Before: stage source. After: the same.

mod equals;

use std::cmp::Reverse;

use agx_abi::layout::{MEMORY_BASE_HALVES, UNIFORM_HALVES, UniformRange, UniformSource};
use agx_isa::desc::Unit;
use agx_isa::inst::Size;
use agx_isa::table::Opcode;
use agx_isa::table::names::LodMode;
use bumpalo::Bump;
use bumpalo::collections::Vec as ArenaVec;

use super::first_free_uniform;
use crate::context::Context;
use crate::ir::families::forget_absent;
use crate::ir::key;
use crate::ir::op::{Mods, mods};
use crate::ir::settled::{is_numbered, keep_numbered};
use crate::ir::{
    Access, Arithmetic, Block, Build, Builder, Function, Inst, InstData, IrOp, Op, ScratchSide, Seam, Src,
    Type, Value,
};
use equals::Equals;

/// Half-words kept free for promoted constants.
const RESERVED_HALVES: u16 = 64;

/// Where the half-words that the preamble may fill end.
const LAST_FREE_HALF: u16 = UNIFORM_HALVES - RESERVED_HALVES;

/// Weights of the operations that the preamble saves, as in Mesa 25.0: a memory load, an operation of the
/// integer/complex pipe (or one that is lowered to several), any other.
const LOAD_WEIGHT: u32 = 10;
const COMPLEX_WEIGHT: u32 = 4;
const SIMPLE_WEIGHT: u32 = 1;

/// Typical number of candidates and operands, for preallocation.
const TYPICAL_CANDIDATES: usize = 64;
const TYPICAL_OPERANDS: usize = 16;

/// Moves uniform computations to `f.preamble`.
pub fn opt_preamble(f: &mut Function<'_>, context: &mut Context<'_>) {
    f.with_scratch(|f, scratch| move_uniform(f, context, scratch));
}

fn move_uniform(f: &mut Function<'_>, context: &mut Context<'_>, scratch: &Bump) {
    let mut uniform = Uniform::of(f, &context.facts.info.uniforms, scratch);
    let mut candidates = candidates(f, &mut uniform.insts, scratch);
    if candidates.is_empty() {
        return;
    }
    let equals = if uniform.in_arms { Equals::of(f, &uniform, scratch) } else { Equals::none(scratch) };
    equals.merge(&mut candidates, scratch);
    let count = candidates.len();
    let (places, end) = place(f, candidates, context);
    if places.is_empty() {
        return;
    }
    let (moves_all, had_no_unused) = (places.len() == count, f.settled.unused == Some(f.mark()));
    let is_numbered = is_numbered(f);
    let mut preamble = build(f, &places, &uniform, &equals, scratch);
    preamble.settled.unused = Some(preamble.mark());
    // The selections that replace phis are new.
    if is_numbered && f.layout.len() == 1 {
        keep_numbered(&mut preamble);
    }
    let mut homes: ScratchSide<'_, Value, Option<Src>> = ScratchSide::new_in(scratch, f.values.len());
    for (value, half) in &places {
        homes[*value] = Some(Src::uniform(*half, f.ty(*value).bits));
    }
    equals.share(&mut homes);
    if moves_all {
        // No other instruction reads their results any longer.
        for block in f.blocks_in_order() {
            f.block_mut(block).insts.retain(|inst| !uniform.insts[*inst]);
        }
        forget_absent(f);
    }
    read_from_homes(f, &homes, &uniform);
    if moves_all && had_no_unused {
        f.settled.unused = Some(f.mark());
    }
    if is_numbered {
        // Values share a home only if they are in arms of which none dominates another.
        keep_numbered(f);
    }
    f.preamble = Some(Box::new(preamble));
    context.facts.info.uniform_halves = context.facts.info.uniform_halves.max(end);
}

/// Replaces reads of moved values in the remaining code by the uniform registers that the preamble fills.
fn read_from_homes(f: &mut Function<'_>, homes: &ScratchSide<'_, Value, Option<Src>>, uniform: &Uniform<'_>) {
    let home = |src: &Src| match src.as_value().and_then(|value| homes[value]) {
        Some(home) => Src { flags: src.flags, ..home },
        None => *src,
    };
    for block in f.blocks_in_order() {
        for index in 0..f.block(block).insts.len() {
            let inst = f.block(block).insts[index];
            let srcs = f.insts[inst].srcs;
            let is_moved = |src: &Src| src.as_value().is_some_and(|value| homes[value].is_some());
            if !uniform.insts[inst] && srcs.iter().any(is_moved) {
                f.insts[inst].srcs = f.bump.alloc_slice_fill_iter(srcs.iter().map(home));
            }
        }
    }
}

/// The computations that are the same in every invocation.
struct Uniform<'s> {
    /// Instructions with uniform results.
    insts: ScratchSide<'s, Inst, bool>,
    /// For uniform phis that join the arms of an if.
    joins: ScratchSide<'s, Inst, Option<Join>>,
    /// There are some in arms.
    in_arms: bool,
}

/// The condition of an if, and where its first arm ends.
#[derive(Clone, Copy)]
struct Join {
    condition: Src,
    then_end: Block,
}

impl<'s> Uniform<'s> {
    /// Finds uniform instructions. Parameters of test kernels count as divergent.
    fn of(f: &Function<'_>, ranges: &[UniformRange], scratch: &'s Bump) -> Uniform<'s> {
        let arguments =
            ranges.iter().filter(|range| matches!(range.source, UniformSource::KernelArgument { .. }));
        let arguments: Vec<_> = arguments.map(|range| range.start..range.start + range.halves).collect();
        let is_argument = |src: &Src| {
            !arguments.is_empty()
                && src.as_uniform().is_some_and(|half| arguments.iter().any(|range| range.contains(&half)))
        };
        let insts = ScratchSide::new_in(scratch, f.insts.len());
        let mut uniform = Uniform { insts, joins: ScratchSide::later_in(scratch, 0), in_arms: false };
        let mut values: ScratchSide<'_, Value, bool> = ScratchSide::new_in(scratch, f.values.len());
        let mut behind: Option<Join> = None;
        // Conditions of open ifs, and the end of the then-arm once it is known.
        let mut open: ArenaVec<'_, (Src, Option<Block>)> = ArenaVec::new_in(scratch);
        for segment in f.layout {
            for inst in &f.block(segment.block).insts {
                let data = &f.insts[*inst];
                let is_uniform = |src: &Src| match src.as_value() {
                    Some(value) => values[value],
                    None => !is_argument(src),
                };
                let join = behind.filter(|join| data.srcs.len() == 2 && is_uniform(&join.condition));
                let is_phi = data.op == Op::Ir(IrOp::Phi);
                let movable = || if is_phi { join.is_some() } else { is_movable(data, open.is_empty()) };
                if data.srcs.iter().all(is_uniform) && movable() {
                    uniform.insts[*inst] = true;
                    uniform.in_arms |= !open.is_empty();
                    data.dsts.iter().for_each(|dst| values[*dst] = true);
                    if is_phi {
                        uniform.joins[*inst] = join;
                    }
                }
            }
            behind = None;
            match segment.seam {
                Seam::If | Seam::Loop | Seam::Scope => {
                    let condition = f.terminator(segment.block).map(|inst| f.insts[inst].srcs);
                    open.push((condition.and_then(|srcs| srcs.first().copied()).unwrap_or(Src::NONE), None));
                }
                Seam::Else => open.last_mut().into_iter().for_each(|arm| arm.1 = Some(segment.block)),
                Seam::EndIf | Seam::EndLoop | Seam::EndScope => {
                    if let Some((condition, Some(then_end))) = open.pop() {
                        behind = Some(Join { condition, then_end });
                    }
                }
                Seam::End => {}
            }
        }
        uniform
    }
}

/// Whether the preamble can execute the instruction once for all invocations; `always` means that every
/// invocation executes it.
pub(super) fn is_movable(data: &InstData<'_>, always: bool) -> bool {
    match data.op {
        Op::Ir(IrOp::Collect | IrOp::Split) => true,
        Op::Ir(IrOp::LoadGlobal) => {
            let access = data.get(key::ACCESS);
            access.contains(Access::READONLY) && (always || access.contains(Access::SPECULATABLE))
        }
        Op::Hw(Opcode::Smpf | Opcode::Smpi) => depends_on_operands(data),
        op => op.is_computed(),
    }
}

/// Whether the result of a texture instruction depends on its operands only: it reads an explicit level, or the first
/// level at integer coordinates, and not an image that the shader may write.
fn depends_on_operands(data: &InstData<'_>) -> bool {
    let level = data.get(key::LOD_MODE);
    match data.op {
        Op::Hw(Opcode::Smpi) => {
            !data.get(key::IMAGE) && (level == LodMode::AUTO || level == LodMode::EXPLICIT)
        }
        _ => level == LodMode::EXPLICIT,
    }
}

/// Uniform scalars worth moving that remaining instructions read, with their weights. Uniform instructions
/// whose results are read and cannot be in the uniform file also remain, and their marks are removed.
fn candidates<'s>(
    f: &Function<'_>,
    uniform: &mut ScratchSide<'_, Inst, bool>,
    scratch: &'s Bump,
) -> ArenaVec<'s, (Value, u32)> {
    let mut wanted: ScratchSide<'_, Value, bool> = ScratchSide::new_in(scratch, f.values.len());
    let mut candidates = ArenaVec::with_capacity_in(TYPICAL_CANDIDATES, scratch);
    for segment in f.layout.iter().rev() {
        for inst in f.block(segment.block).insts.iter().rev() {
            let data = &f.insts[*inst];
            if uniform[*inst] {
                // Most are operands of others.
                if !data.dsts.iter().any(|dst| wanted[*dst]) {
                    continue;
                }
                let weight = weight(f, data);
                let can_move = |value: &Value| {
                    let ty = f.ty(*value);
                    !wanted[*value] || (weight > 0 && ty.comps == 1 && matches!(ty.bits, 1 | 16 | 32 | 64))
                };
                if data.dsts.iter().all(can_move) {
                    // The whole list is reversed at the end.
                    let moved = data.dsts.iter().rev().filter(|dst| wanted[**dst]);
                    candidates.extend(moved.map(|dst| (*dst, weight)));
                    continue;
                }
                uniform[*inst] = false;
            }
            for value in data.srcs.iter().filter_map(|src| src.as_value()) {
                wanted[value] = true;
            }
        }
    }
    candidates.reverse();
    candidates
}

/// Whether an operation has the cost of a load.
fn is_load(op: Op) -> bool {
    matches!(op, Op::Ir(IrOp::LoadGlobal) | Op::Hw(Opcode::Smpf | Opcode::Smpi))
}

/// The cost of an operation to the shader. Splitting a vector has the cost of computing it.
fn weight(f: &Function<'_>, data: &InstData<'_>) -> u32 {
    match data.op {
        op if is_load(op) => LOAD_WEIGHT,
        Op::Ir(IrOp::Split | IrOp::Collect) => {
            let loaded = |src: &Src| f.def(*src).is_some_and(|def| is_load(def.op));
            if data.srcs.iter().any(loaded) { LOAD_WEIGHT } else { 0 }
        }
        // The user of a comparison performs it.
        Op::Ir(IrOp::Mov | IrOp::Exact | IrOp::Icmp | IrOp::Fcmp) => 0,
        Op::Ir(IrOp::Imul | IrOp::Shl | IrOp::Ushr | IrOp::Sshr) => COMPLEX_WEIGHT,
        Op::Hw(op) if op.desc().unit == Unit::Ic || op.desc().unit == Unit::None => COMPLEX_WEIGHT,
        _ => SIMPLE_WEIGHT,
    }
}

/// Assigns half-words to the heaviest candidates, wide values first so that all are aligned and addresses are
/// in reach of memory operands. Returns the assignments and the end of the half-words in use.
fn place(
    f: &Function<'_>,
    mut candidates: ArenaVec<'_, (Value, u32)>,
    context: &Context<'_>,
) -> (Vec<(Value, u16)>, u16) {
    let used = first_free_uniform(f, context);
    let mut next = used.next_multiple_of(u16::from(Size::B64.halves()));
    candidates.sort_by_key(|(_, weight)| Reverse(*weight));
    let mut room = LAST_FREE_HALF.saturating_sub(next);
    candidates.retain(|(value, _)| {
        let halves = f.ty(*value).halves();
        let fits = halves <= room;
        room -= if fits { halves } else { 0 };
        fits
    });
    let mut places = Vec::with_capacity(candidates.len());
    for bits in [64, 32, 16, 1] {
        for (value, _) in candidates.iter().filter(|(value, _)| f.ty(*value).bits == bits) {
            let halves = f.ty(*value).halves();
            if bits == 64 && next + halves > MEMORY_BASE_HALVES {
                continue;
            }
            places.push((*value, next));
            next += halves;
        }
    }
    (places, next)
}

/// The program that computes the assigned values and stores them to the uniform file. It loads first and
/// computes afterwards, so that loads overlap.
fn build<'a>(
    f: &Function<'a>,
    places: &[(Value, u16)],
    uniform: &Uniform<'_>,
    equals: &Equals<'_>,
    scratch: &Bump,
) -> Function<'a> {
    let needed = needed_instructions(f, places, uniform, equals, scratch);
    let mut preamble = Function::new(f.bump, f.name);
    let mut b = Builder::start(&mut preamble);
    let mut copy = Copy {
        f,
        uniform,
        equals,
        names: ScratchSide::new_in(scratch, f.values.len()),
        stores: Stores::of(f, places, scratch),
        made: ArenaVec::with_capacity_in(TYPICAL_OPERANDS, scratch),
    };
    let loads_first = needed.loaded_halves <= MOST_LOADED_HALVES;
    if loads_first {
        needed.in_order().filter(|(_, is_early)| *is_early).for_each(|(inst, _)| copy.copy(&mut b, inst));
        copy.store(&mut b);
    }
    for (inst, _) in needed.in_order().filter(|(_, is_early)| !(loads_first && *is_early)) {
        copy.copy(&mut b, inst);
        // Stores at once, so that the value needs no register any longer.
        copy.store(&mut b);
    }
    b.halt();
    b.finish();
    preamble.contract = f.contract;
    preamble.signed_zeros = f.signed_zeros;
    preamble.special_values = f.special_values;
    preamble
}

/// Maximum number of half registers that loads may fill before anything is computed.
const MOST_LOADED_HALVES: u32 = 128;

/// Copies instructions to the preamble.
struct Copy<'f, 's, 'a> {
    f: &'f Function<'a>,
    uniform: &'f Uniform<'s>,
    equals: &'f Equals<'s>,
    /// The value in the preamble that corresponds to each value.
    names: ScratchSide<'s, Value, Option<Value>>,
    stores: Stores<'s>,
    /// Values computed and not yet stored, with their counterparts.
    made: ArenaVec<'s, (Value, Value)>,
}

impl<'a> Copy<'_, '_, 'a> {
    fn copy(&mut self, b: &mut Builder<'_, 'a>, inst: Inst) {
        let data = self.f.insts[inst];
        let name = |src: &Src| match src.as_value().and_then(|value| self.names[self.equals.value(value)]) {
            Some(name) => Src { flags: src.flags, ..Src::value(name) },
            None => *src,
        };
        // Both functions use the same arena.
        let srcs = b.f.bump.alloc_slice_fill_iter(data.srcs.iter().map(name));
        let join = self.uniform.joins[inst].filter(|_| data.op == Op::Ir(IrOp::Phi));
        let join = join.map(|join| (name(&join.condition), data.mods.first() != Some(&join.then_end.0)));
        let dsts = b.f.bump.alloc_slice_copy(data.dsts);
        for dst in &mut *dsts {
            let new = b.f.add_value(self.f.ty(*dst));
            self.names[*dst] = Some(new);
            self.made.push((*dst, new));
            *dst = new;
        }
        b.line = data.line;
        match join {
            Some((condition, is_reversed)) => select(b, dsts, condition, srcs, is_reversed),
            None => {
                let (inst, block) = (b.f.add_inst(InstData { dsts, srcs, ..data }), b.block());
                b.f.block_mut(block).insts.push(inst);
            }
        }
    }

    /// Stores the values computed so far.
    fn store(&mut self, b: &mut Builder<'_, 'a>) {
        for (old, new) in self.made.drain(..) {
            self.stores.made(b, old, new);
        }
    }
}

/// Selects between the two values that a phi joins, the first one for a true condition unless they are
/// reversed. Operates on words, since 64-bit selects have already been lowered.
fn select(b: &mut Builder<'_, '_>, dsts: &[Value], condition: Src, inputs: &[Src], is_reversed: bool) {
    let (&[dst], &[first, second]) = (dsts, inputs) else { return };
    let (then, otherwise) = if is_reversed { (second, first) } else { (first, second) };
    if b.f.ty(dst) != Type::B64 {
        b.push(IrOp::Select, &[dst], &[condition, then, otherwise], &[]);
        return;
    }
    let (then, otherwise) = (b.split(then, Type::B32, 2), b.split(otherwise, Type::B32, 2));
    let words = [0, 1].map(|word| {
        let srcs = [condition, then[word], otherwise[word]];
        Src::value(b.value(IrOp::Select, Type::B32, &srcs, &[]))
    });
    b.push(IrOp::Collect, &[dst], &words, &[]);
}

/// Maximum number of words that wait for their neighbours at a time, since each takes a register.
const MOST_WAITING: usize = 24;

/// Stores to the uniform file. One instruction stores two adjacent words.
struct Stores<'s> {
    /// The modifiers for one, two and four half-words.
    masks: [Mods; 3],
    /// The destination of each value.
    homes: ScratchSide<'s, Value, Option<Home>>,
    /// Number of words that wait for their neighbours.
    waiting: usize,
}

/// The destination of a value, and the adjacent word.
#[derive(Clone, Copy)]
struct Home {
    half: u16,
    /// The adjacent value, and its counterpart in the preamble once that is computed and waits.
    beside: Option<(Value, Option<Value>)>,
}

impl<'s> Stores<'s> {
    fn of(f: &Function<'_>, places: &[(Value, u16)], scratch: &'s Bump) -> Stores<'s> {
        let masks = [1, 2, 4].map(|halves| mods(Opcode::UniformStore).with(key::MASK, (1 << halves) - 1));
        let mut homes: ScratchSide<'_, Value, Option<Home>> = ScratchSide::new_in(scratch, f.values.len());
        for (value, half) in places {
            homes[*value] = Some(Home { half: *half, beside: None });
        }
        let halves = u16::from(Size::B32.halves());
        for pair in places.windows(2) {
            let [(low, half), (high, next)] = [pair[0], pair[1]];
            let are_words = f.ty(low) == Type::B32 && f.ty(high) == Type::B32;
            if are_words && half.is_multiple_of(2 * halves) && next == half + halves {
                homes[low] = Some(Home { half, beside: Some((high, None)) });
                homes[high] = Some(Home { half: next, beside: Some((low, None)) });
            }
        }
        Stores { masks, homes, waiting: 0 }
    }

    /// Records that the preamble computed the value `old` of the function as `new`.
    fn made(&mut self, b: &mut Builder<'_, '_>, old: Value, new: Value) {
        let Some(Home { half, beside }) = self.homes[old] else { return };
        match beside {
            Some((_, Some(other))) => {
                self.waiting -= 1;
                let is_low = half.is_multiple_of(2 * u16::from(Size::B32.halves()));
                let (parts, half) = match is_low {
                    true => ([new, other], half),
                    false => ([other, new], half - u16::from(Size::B32.halves())),
                };
                let data = b.value(IrOp::Collect, Type::vector(16, 4), &parts.map(Src::value), &[]);
                b.effect(Opcode::UniformStore, &[data.into(), Src::uniform(half, 16)], &self.masks[2]);
            }
            Some((other, None)) if self.waiting < MOST_WAITING => {
                self.waiting += 1;
                if let Some(home) = &mut self.homes[other] {
                    home.beside = Some((old, Some(new)));
                }
            }
            _ => {
                if let Some(home) = beside.and_then(|(other, _)| self.homes[other].as_mut()) {
                    home.beside = None;
                }
                self.store(b, new, half);
            }
        }
    }

    /// Stores half-words to the uniform file; wider values are stored as several of them (Mesa 25.0: a 32-bit
    /// format does not work).
    fn store(&self, b: &mut Builder<'_, '_>, value: Value, half: u16) {
        let word = if b.f.ty(value) == Type::BOOL { b.uconv(value.into(), 16) } else { value.into() };
        let ty = b.f.src_ty(word);
        let halves = Type::vector(16, ty.halves() as u8);
        let data = if ty == halves { word } else { b.value(IrOp::Collect, halves, &[word], &[]).into() };
        let mods = &self.masks[halves.comps.ilog2() as usize];
        b.effect(Opcode::UniformStore, &[data, Src::uniform(half, 16)], mods);
    }
}

/// The instructions of the preamble.
struct Needed<'s> {
    /// From last to first, each with whether it is a load or computes an operand of one.
    reversed: ArenaVec<'s, (Inst, bool)>,
    /// Half registers that all loads fill.
    loaded_halves: u32,
}

impl Needed<'_> {
    fn in_order(&self) -> impl Iterator<Item = (Inst, bool)> {
        self.reversed.iter().rev().copied()
    }
}

/// The instructions that compute the assigned values. Users come before definitions in this walk.
fn needed_instructions<'s>(
    f: &Function<'_>,
    places: &[(Value, u16)],
    uniform: &Uniform<'_>,
    equals: &Equals<'_>,
    scratch: &'s Bump,
) -> Needed<'s> {
    let mut is_needed: ScratchSide<'_, Inst, bool> = ScratchSide::new_in(scratch, f.insts.len());
    let mut is_early: ScratchSide<'_, Inst, bool> = ScratchSide::new_in(scratch, f.insts.len());
    for def in places.iter().filter_map(|(value, _)| f.values[*value].def) {
        is_needed[def] = true;
    }
    let mut needed =
        Needed { reversed: ArenaVec::with_capacity_in(2 * places.len(), scratch), loaded_halves: 0 };
    for inst in f.blocks_in_order().rev().flat_map(|block| f.block(block).insts.iter().rev()) {
        if !is_needed[*inst] {
            continue;
        }
        let data = &f.insts[*inst];
        let is_early_inst = is_early[*inst] || is_load(data.op);
        if is_load(data.op) {
            needed.loaded_halves += data.dsts.iter().map(|dst| u32::from(f.ty(*dst).halves())).sum::<u32>();
        }
        needed.reversed.push((*inst, is_early_inst));
        let condition = uniform.joins[*inst].map(|join| join.condition);
        for value in data.srcs.iter().chain(&condition).filter_map(|src| src.as_value()) {
            if let Some(def) = f.values[equals.value(value)].def {
                is_needed[def] = true;
                is_early[def] |= is_early_inst;
            }
        }
    }
    needed
}

#[cfg(test)]
mod tests {
    use bumpalo::Bump;

    use super::*;
    use crate::CompileKey;
    use crate::ir::interpret::{FlatMemory, Limits, interpret};
    use crate::ir::parse;

    const TEXT: &str = "kernel @k(%4:32) stage source {
b0:
    %0:1 = icmp u0, #7
    if %0 {
    b1:
        %1:32 = fmul u2, u4
    } else {
    b2:
        %2:32 = fadd u2, u4
    }
b3:
    %3:32 = phi b2: %2, b1: %1
    %5:32 = iadd %4, %3
    keep %5
}
";

    /// A phi after a uniform if becomes a selection in the preamble, whichever arm the phi names first.
    #[test]
    fn a_uniform_if_becomes_a_selection() {
        for (number, expected) in [(7, 6.0_f32), (8, 5.0)] {
            let bump = Bump::new();
            let mut f = parse(&bump, TEXT).unwrap().remove(0);
            f.compute_cfg();
            let key = CompileKey::default();
            opt_preamble(&mut f, &mut Context::new(agx_abi::Target::default(), &key));
            let preamble = f.preamble.as_ref().unwrap();
            assert_eq!(preamble.layout.len(), 1);
            let [two, three] = [2.0_f32, 3.0].map(|number| (number.to_bits() >> 16) as u16);
            let uniforms = [number, 0, 0, 0, 0, two, 0, 0, 0, three];
            let mut memory = FlatMemory::default();
            let outcome = interpret(&f, &[0], &uniforms, &mut memory, Limits::default()).unwrap();
            assert_eq!(outcome.kept, [u64::from(expected.to_bits())]);
        }
    }

    const LOADS: &str = "kernel @k(%9:32) stage source {
b0:
    %0:32x2 = load_global u0_u1, #0 access=readonly align=4
    %1:32, %2:32 = split %0
    %3:32 = fmul %1, u4
    %4:32 = fmul %2, u4
    %5:32 = load_global u0_u1, #64 access=readonly align=4
    %6:32 = fmul %5, u4
    %7:32 = fadd %9, %3
    %8:32 = fadd %7, %4
    %10:32 = fadd %8, %6
    keep %10
}
";

    /// All loads come first, and two adjacent words need one store.
    #[test]
    fn a_preamble_loads_first_and_stores_words_in_pairs() {
        let bump = Bump::new();
        let mut f = parse(&bump, LOADS).unwrap().remove(0);
        f.compute_cfg();
        let key = CompileKey::default();
        opt_preamble(&mut f, &mut Context::new(agx_abi::Target::default(), &key));
        let preamble = f.preamble.as_ref().unwrap();
        let insts = &preamble.block(preamble.entry()).insts;
        let names: Vec<&str> = insts.iter().map(|inst| preamble.insts[*inst].op.name()).collect();
        let pair = ["fmul", "fmul", "collect", "uniform_store"];
        let single = ["fmul", "collect", "uniform_store", "halt"];
        let expected = [&["load_global", "load_global", "split"][..], &pair, &single].concat();
        assert_eq!(names, expected);
        // The low word is the one computed first.
        let [low, high, both] = [3, 4, 5].map(|at| preamble.insts[insts[at]]);
        assert_eq!(both.srcs, [low.dsts[0], high.dsts[0]].map(Src::value));
    }
}
