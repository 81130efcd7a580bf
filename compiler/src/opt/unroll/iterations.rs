//! The number of iterations of a loop, if constants determine it.

use arrayvec::ArrayVec;
use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;

use super::{Loop, Unroller};
use crate::ir::insert::{MAX_PURE_SOURCES, fold};
use crate::ir::{Block, Function, Inst, IrOp, Op, Seam, Src, Value};

/// Maximum number of instructions that a condition may depend on.
const MAX_SLICE: usize = 24;

/// An if that every iteration reaches, with one arm that leaves the loop.
struct Exit {
    condition: Src,
    leaves_when: bool,
}

/// The computations within the loop that the condition of an exit depends on.
#[derive(Default)]
struct Slice {
    /// Pure instructions in program order.
    insts: Vec<Inst>,
    /// Phis of the header with their initial value and the value from the back edge.
    phis: Vec<(Value, Src, Src)>,
    /// Constant values from before the loop.
    constants: Vec<(Value, Src)>,
}

type Known = HashMap<Value, Src, FxBuildHasher>;

/// The number of iterations, including the last one, if constants determine it and it is at most `most`: that of the exit
/// that is taken first.
pub(super) fn iterations(unroller: &Unroller<'_, '_>, around: &Loop, most: u32) -> Option<u32> {
    exits(unroller, around).iter().fold(None, |fewest: Option<u32>, exit| {
        let most = fewest.map_or(most, |fewest| fewest - 1);
        count(unroller, around, exit, most).or(fewest)
    })
}

/// Exits in program order, up to the first point where an iteration may end early.
fn exits(unroller: &Unroller<'_, '_>, around: &Loop) -> Vec<Exit> {
    let f = &*unroller.f;
    let (mut exits, mut depth) = (Vec::new(), 0u32);
    for index in around.start + 1..=around.end {
        let segment = f.layout[index];
        if unroller.target(segment.block) == Some(around.header) {
            break;
        }
        if segment.seam == Seam::If && depth == 0 {
            exits.extend(exit(unroller, around, index));
        }
        match segment.seam {
            Seam::If | Seam::Loop | Seam::Scope => depth += 1,
            Seam::EndIf | Seam::EndLoop | Seam::EndScope => depth = depth.saturating_sub(1),
            Seam::Else | Seam::End => {}
        }
    }
    exits
}

/// The if that begins after segment `index`, if an arm of one block leaves the loop.
fn exit(unroller: &Unroller<'_, '_>, around: &Loop, index: usize) -> Option<Exit> {
    let f = &*unroller.f;
    let condition = *f.insts[f.terminator(f.layout[index].block)?].srcs.first()?;
    let is_outside = |target: Block| target == around.after || around.others.contains(&target);
    let leaves = |block: Block| unroller.target(block).is_some_and(is_outside);
    let then = f.layout[index + 1];
    if then.seam == Seam::Else && leaves(then.block) {
        return Some(Exit { condition, leaves_when: true });
    }
    let mut depth = 0u32;
    let otherwise = (index + 1..=around.end).find(|at| match f.layout[*at].seam {
        Seam::If | Seam::Loop | Seam::Scope => {
            depth += 1;
            false
        }
        Seam::EndIf | Seam::EndLoop | Seam::EndScope => {
            depth = depth.saturating_sub(1);
            false
        }
        Seam::Else => depth == 0,
        Seam::End => false,
    })?;
    let last = f.layout[otherwise + 1];
    (last.seam == Seam::EndIf && leaves(last.block)).then_some(Exit { condition, leaves_when: false })
}

/// The iteration in which `exit` is taken, counted from one.
fn count(unroller: &Unroller<'_, '_>, around: &Loop, exit: &Exit, most: u32) -> Option<u32> {
    let f = &*unroller.f;
    let slice = slice(unroller, around, exit.condition)?;
    let values = slice.insts.len() + slice.phis.len() + slice.constants.len();
    let mut known = Known::with_capacity_and_hasher(values, FxBuildHasher);
    known.extend(slice.phis.iter().map(|(phi, first, _)| (*phi, *first)));
    known.extend(slice.constants.iter().copied());
    let read = |known: &Known, src: Src| match src.as_value() {
        Some(value) => known.get(&value).map(|constant| Src { flags: src.flags, ..*constant }),
        None => Some(src),
    };
    for round in 1..=most {
        for inst in &slice.insts {
            let data = f.insts[*inst];
            let dst = data.dst()?;
            let mut srcs: ArrayVec<Src, MAX_PURE_SOURCES> = ArrayVec::new();
            for src in data.srcs {
                srcs.try_push(read(&known, *src)?).ok()?;
            }
            let constant = fold(f, data.op, f.ty(dst), &srcs, data.mods)?;
            known.insert(dst, constant);
        }
        let truth = read(&known, exit.condition)?.as_imm()? & 1 != 0;
        if truth == exit.leaves_when {
            return Some(round);
        }
        let next = slice.phis.iter().map(|(_, _, next)| read(&known, *next));
        let next: Option<ArrayVec<Src, MAX_SLICE>> = next.collect();
        for ((phi, _, _), next) in slice.phis.iter().zip(next?) {
            known.insert(*phi, next);
        }
    }
    None
}

/// The computations in the loop that `condition` depends on; `None` if it depends on more than constants and
/// induction variables.
fn slice(unroller: &Unroller<'_, '_>, around: &Loop, condition: Src) -> Option<Slice> {
    let f = &*unroller.f;
    let (mut slice, mut pending) = (Slice::default(), Vec::with_capacity(2 * MAX_SLICE));
    pending.push(condition);
    while let Some(src) = pending.pop() {
        let Some(value) = src.as_value() else {
            src.as_imm()?;
            continue;
        };
        let inst = f.values[value].def?;
        let data = f.insts[inst];
        if slice.insts.contains(&inst) || slice.phis.iter().any(|(phi, _, _)| *phi == value) {
            continue;
        }
        if !unroller.is_inside(around, inst) {
            slice.constants.push((value, constant(f, src)?));
            continue;
        }
        if slice.insts.len() + slice.phis.len() >= MAX_SLICE || f.ty(value).comps != 1 {
            return None;
        }
        if data.op == Op::Ir(IrOp::Phi) {
            let (first, next) = header_inputs(unroller, around, inst)?;
            slice.phis.push((value, constant(f, first)?, next));
            pending.push(next);
        } else {
            data.op.pure_fn().filter(|_| data.is_pure())?;
            slice.insts.push(inst);
            pending.extend(data.srcs);
        }
    }
    slice.insts.sort_by_key(|inst| unroller.ranks[*inst]);
    Some(slice)
}

/// The sources of `phi` from outside and inside the loop, if it is a phi of the header.
fn header_inputs(unroller: &Unroller<'_, '_>, around: &Loop, phi: Inst) -> Option<(Src, Src)> {
    let f = &*unroller.f;
    let header = &f.block(around.header).insts;
    if !header[..f.phi_count(around.header)].contains(&phi) {
        return None;
    }
    let before = f.layout[around.start].block;
    let data = f.insts[phi];
    let first = data.phi_inputs().find(|(from, _)| *from == before).map(|(_, src)| src)?;
    let mut back = data.phi_inputs().filter(|(from, _)| *from != before).map(|(_, src)| src);
    let next = back.next()?;
    back.all(|src| src == next).then_some((first, next))
}

/// The value of `src` if it is determined by constants that no pass has folded yet.
fn constant(f: &Function<'_>, src: Src) -> Option<Src> {
    let mut known = Known::default();
    let mut pending = vec![src];
    let mut steps = 0;
    while let Some(next) = pending.last().copied() {
        let Some(value) = next.as_value().filter(|value| !known.contains_key(value)) else {
            next.as_value().is_some().then_some(()).or(next.as_imm().map(|_| ()))?;
            pending.pop();
            continue;
        };
        steps += 1;
        let data = f.def(next).filter(|data| steps < 2 * MAX_SLICE && data.is_speculatable())?;
        let is_open = |src: &Src| src.as_value().is_some_and(|value| !known.contains_key(&value));
        if data.srcs.iter().any(is_open) {
            pending.extend(data.srcs.iter().filter(|src| is_open(src)));
            continue;
        }
        let read = |src: &Src| match src.as_value() {
            Some(value) => Src { flags: src.flags, ..known[&value] },
            None => *src,
        };
        let srcs: Vec<Src> = data.srcs.iter().map(read).collect();
        known.insert(value, fold(f, data.op, f.ty(data.dst()?), &srcs, data.mods)?);
        pending.pop();
    }
    match src.as_value() {
        Some(value) => known.get(&value).map(|constant| Src { flags: src.flags, ..*constant }),
        None => src.as_imm().map(|_| src),
    }
}
