//! Checks the layout grammar, the ends of blocks, the targets of jumps, and the edges.

use agx_isa::table::Opcode;

use super::{Report, Rule};
use crate::ir::entity::{Block, Entity, Inst};
use crate::ir::function::{Function, Seam};
use crate::ir::op::{IrOp, Op};
use crate::ir::table::Side;
use crate::ir::types::Stage;

/// Control flow according to the layout, derived independently of [`Function::compute_cfg`].
pub(super) struct Order {
    /// Position of each block in the layout; `None` if it is not part of it.
    pub position: Side<Block, Option<usize>>,
    /// Predecessors by position in the layout.
    pub preds: Vec<Vec<usize>>,
}

/// A construct of the layout, by the positions of its seams.
#[derive(Clone, Copy)]
struct Construct {
    seam: Seam,
    start: usize,
    otherwise: Option<usize>,
    close: usize,
}

/// Checks the grammar of the layout and the edges. `None` if it is too malformed for further checks.
pub(super) fn check(report: &mut Report<'_, '_>) -> Option<Order> {
    let before = report.violations.len();
    let position = check_membership(report);
    let constructs = check_brackets(report);
    if report.violations.len() != before {
        return None;
    }
    if report.stage >= Stage::Final {
        // Jumps have been lowered to mask instructions: control flow is in the instructions, not in the
        // layout.
        return Some(Order { position, preds: vec![Vec::new(); report.f.layout.len()] });
    }
    let around = enclosing(report.f, &constructs);
    check_jumps(report, &constructs, &around);
    let preds = check_edges(report, &constructs, &around, &position);
    Some(Order { position, preds })
}

/// Checks that every block of the layout exists and occurs once, and that every instruction exists and is in
/// one block.
fn check_membership(report: &mut Report<'_, '_>) -> Side<Block, Option<usize>> {
    let f = report.f;
    let mut position: Side<Block, Option<usize>> = Side::new(f.blocks.len());
    let mut placed: Side<Inst, bool> = Side::new(f.insts.len());
    if f.layout.is_empty() {
        report.function(Rule::Layout, "the layout has no block");
    }
    for (index, segment) in f.layout.iter().enumerate() {
        let Some(data) = f.blocks.get(segment.block.index()) else {
            report
                .function(Rule::Layout, format!("the layout names {}, which does not exist", segment.block));
            continue;
        };
        if position[segment.block].replace(index).is_some() {
            report.block(Rule::Layout, segment.block, "the block occurs twice in the layout");
            continue;
        }
        for inst in &data.insts {
            if !f.insts.contains(*inst) {
                report.block(
                    Rule::Layout,
                    segment.block,
                    format!("the block holds {inst}, which does not exist"),
                );
            } else if std::mem::replace(&mut placed[*inst], true) {
                report.inst(Rule::Layout, segment.block, *inst, "the instruction occurs twice");
            }
        }
    }
    position
}

/// Checks that brackets match, every if has two arms, and the function ends once.
fn check_brackets(report: &mut Report<'_, '_>) -> Vec<Construct> {
    let f = report.f;
    let mut constructs = Vec::new();
    let mut open: Vec<Construct> = Vec::new();
    for (index, segment) in f.layout.iter().enumerate() {
        let last = index + 1 == f.layout.len();
        if last != (segment.seam == Seam::End) {
            report.block(
                Rule::Layout,
                segment.block,
                if last { "the layout does not end" } else { "the layout ends too early" },
            );
        }
        match segment.seam {
            Seam::If | Seam::Loop | Seam::Scope => {
                open.push(Construct { seam: segment.seam, start: index, otherwise: None, close: index });
            }
            Seam::Else => match open.last_mut() {
                Some(construct) if construct.seam == Seam::If && construct.otherwise.is_none() => {
                    construct.otherwise = Some(index);
                }
                _ => report.block(Rule::Layout, segment.block, "`else` without a matching if"),
            },
            Seam::EndIf | Seam::EndLoop | Seam::EndScope => match open.pop() {
                Some(construct) if closes(construct, segment.seam) => {
                    constructs.push(Construct { close: index, ..construct });
                }
                Some(_) => report.block(
                    Rule::Layout,
                    segment.block,
                    "a bracket closes another construct, or an if without else",
                ),
                None => report.block(
                    Rule::Layout,
                    segment.block,
                    "a closing bracket without a matching opening one",
                ),
            },
            Seam::End => {}
        }
    }
    for construct in open {
        report.block(Rule::Layout, f.layout[construct.start].block, "a bracket is never closed");
    }
    constructs
}

fn closes(construct: Construct, seam: Seam) -> bool {
    match construct.seam {
        Seam::If => seam == Seam::EndIf && construct.otherwise.is_some(),
        Seam::Loop => seam == Seam::EndLoop,
        _ => seam == Seam::EndScope,
    }
}

/// The nesting of constructs and blocks; constructs by their index.
struct Enclosing {
    /// For each position of the layout, the innermost construct around the block.
    block: Vec<Option<usize>>,
    /// For each position, the construct its seam opens.
    opened: Vec<Option<usize>>,
    /// For each construct, the one around it.
    outer: Vec<Option<usize>>,
}

fn enclosing(f: &Function<'_>, constructs: &[Construct]) -> Enclosing {
    let nothing = vec![None; f.layout.len()];
    let mut result =
        Enclosing { block: nothing.clone(), opened: nothing, outer: vec![None; constructs.len()] };
    for (index, construct) in constructs.iter().enumerate() {
        result.opened[construct.start] = Some(index);
    }
    let mut open: Vec<usize> = Vec::new();
    for (position, segment) in f.layout.iter().enumerate() {
        result.block[position] = open.last().copied();
        if let Some(construct) = result.opened[position] {
            result.outer[construct] = open.last().copied();
            open.push(construct);
        }
        if matches!(segment.seam, Seam::EndIf | Seam::EndLoop | Seam::EndScope) {
            open.pop();
        }
    }
    result
}

/// Checks that jumps go to the header of an enclosing loop, or to the block after an enclosing loop or scope.
fn check_jumps(report: &mut Report<'_, '_>, constructs: &[Construct], around: &Enclosing) {
    let f = report.f;
    for (position, segment) in f.layout.iter().enumerate() {
        let Some(inst) = f.terminator(segment.block) else { continue };
        let data = f.insts[inst];
        if data.op != Op::Ir(IrOp::Jump) {
            continue;
        }
        let Some(target) = data.target() else {
            report.inst(Rule::Jump, segment.block, inst, "a jump must have one target");
            continue;
        };
        let mut construct = around.block[position];
        let mut found = false;
        while let Some(index) = construct.filter(|_| !found) {
            let Construct { seam, start, close, .. } = constructs[index];
            let header = seam == Seam::Loop && f.layout[start + 1].block == target;
            let after = seam != Seam::If && f.layout[close + 1].block == target;
            found = header || after;
            construct = around.outer[index];
        }
        if !found {
            let message = format!(
                "{target} is neither the header of an enclosing loop nor the block after an enclosing loop or scope"
            );
            report.inst(Rule::Jump, segment.block, inst, message);
        }
    }
}

/// Compares the stored edges of a function with those that its layout implies; returns predecessors by
/// position.
fn check_edges(
    report: &mut Report<'_, '_>,
    constructs: &[Construct],
    around: &Enclosing,
    position: &Side<Block, Option<usize>>,
) -> Vec<Vec<usize>> {
    let f = report.f;
    let mut preds: Vec<Vec<usize>> = vec![Vec::new(); f.layout.len()];
    for (from, segment) in f.layout.iter().enumerate() {
        let targets = successors(f, constructs, around, from);
        for target in &targets {
            if let Some(to) = position[*target] {
                preds[to].push(from);
            }
        }
        if f.block(segment.block).succs.as_slice() != targets {
            report.block(
                Rule::Layout,
                segment.block,
                "the successors are stale: the layout has changed since they were computed",
            );
        }
    }
    for (to, segment) in f.layout.iter().enumerate() {
        let mut carried: Vec<Option<usize>> =
            f.block(segment.block).preds.iter().map(|pred| position[*pred]).collect();
        carried.sort_unstable();
        if !carried.iter().copied().eq(preds[to].iter().map(|from| Some(*from))) {
            report.block(
                Rule::Layout,
                segment.block,
                "the predecessors are stale: the layout has changed since they were computed",
            );
        }
    }
    preds
}

fn successors(f: &Function<'_>, constructs: &[Construct], around: &Enclosing, from: usize) -> Vec<Block> {
    let segment = f.layout[from];
    let block_at = |position: usize| f.layout[position].block;
    let terminator = f.terminator(segment.block).map(|inst| f.insts[inst]);
    match terminator.map(|data| (data.op, data.target())) {
        Some((Op::Ir(IrOp::Halt), _)) => return Vec::new(),
        Some((Op::Ir(IrOp::Jump), target)) => return target.into_iter().collect(),
        _ => {}
    }
    let innermost = around.block[from].map(|index| constructs[index]);
    match (segment.seam, innermost) {
        (Seam::End, _) => Vec::new(),
        (Seam::If, _) => {
            let construct = around.opened[from].map(|index| constructs[index]);
            let otherwise =
                construct.and_then(|construct| construct.otherwise).map(|seam| block_at(seam + 1));
            std::iter::once(block_at(from + 1)).chain(otherwise).collect()
        }
        (Seam::Else, Some(construct)) => vec![block_at(construct.close + 1)],
        (Seam::EndLoop, Some(construct)) => vec![block_at(construct.start + 1)],
        _ => vec![block_at(from + 1)],
    }
}

/// Checks that blocks end as their seams require, terminators are last, and phis and preloads first.
pub(super) fn check_blocks(report: &mut Report<'_, '_>, order: &Order) {
    let f = report.f;
    let flow_is_explicit = report.stage >= Stage::Final;
    for (position, segment) in f.layout.iter().enumerate() {
        let block = segment.block;
        let insts = &f.block(block).insts;
        let mut head = Head::Phis;
        for (at, inst) in insts.iter().enumerate() {
            let op = f.insts[*inst].op;
            if op.is_terminator() && at + 1 != insts.len() && !flow_is_explicit {
                report.inst(Rule::End, block, *inst, "a terminator must be last in its block");
            }
            check_head(report, &mut head, position, block, *inst);
            if op == Op::Ir(IrOp::Phi) {
                check_phi(report, order, position, block, *inst);
            }
        }
        if !flow_is_explicit {
            check_end(report, block, segment.seam);
        }
    }
}

fn is_if(op: Op) -> bool {
    matches!(op, Op::Ir(IrOp::If) | Op::Hw(Opcode::IfIcmp | Opcode::IfFcmp))
}

fn check_end(report: &mut Report<'_, '_>, block: Block, seam: Seam) {
    let f = report.f;
    match (f.terminator(block), seam) {
        (Some(inst), Seam::If) if is_if(f.insts[inst].op) => {}
        (_, Seam::If) => {
            report.block(Rule::End, block, "the block before an if construct must end with `if`")
        }
        (Some(inst), _) if is_if(f.insts[inst].op) => {
            report.inst(Rule::End, block, inst, "expected an if construct after this")
        }
        _ => {}
    }
}

/// What may still occur at this point of a block.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Head {
    Phis,
    Preloads,
    Body,
}

fn check_head(report: &mut Report<'_, '_>, head: &mut Head, position: usize, block: Block, inst: Inst) {
    match report.f.insts[inst].op {
        Op::Ir(IrOp::Phi) => {
            if *head != Head::Phis {
                report.inst(Rule::Head, block, inst, "phis must be first in their block");
            }
        }
        Op::Ir(IrOp::Preload) => {
            if position != 0 || *head == Head::Body {
                report.inst(Rule::Head, block, inst, "preloads must be first in the entry block");
            }
            *head = (*head).max(Head::Preloads);
        }
        _ => *head = Head::Body,
    }
}

/// Checks that a phi has one source from each predecessor.
fn check_phi(report: &mut Report<'_, '_>, order: &Order, position: usize, block: Block, inst: Inst) {
    let data = report.f.insts[inst];
    if data.mods.len() != data.srcs.len() {
        report.inst(Rule::Head, block, inst, "a phi must have as many blocks as sources");
        return;
    }
    let mut named: Vec<Option<usize>> = data.mods.iter().map(|pred| order.position[Block(*pred)]).collect();
    named.sort_unstable();
    if !named.iter().copied().eq(order.preds[position].iter().map(|from| Some(*from))) {
        let preds: Vec<String> =
            order.preds[position].iter().map(|from| report.f.layout[*from].block.to_string()).collect();
        report.inst(
            Rule::Head,
            block,
            inst,
            format!("a phi must have one source from each predecessor: {}", preds.join(", ")),
        );
    }
}
