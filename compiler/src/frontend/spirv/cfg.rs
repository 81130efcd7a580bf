//! The control-flow graph of a function body: reachable blocks, order, dominators, loops.
//!
//! What the specification makes merge instructions promise is derived from the graph itself, but for what `reconverge`
//! needs them for.

use spirv::Op;

use super::module::{Def, FunctionBody, Module};
use super::reconverge::Construct;
use super::words::Inst;
use crate::error::CompileError;

/// A node: the index of a block, or the number of blocks for the exit that all returns lead to.
pub(super) type Node = usize;

/// No node.
pub(super) const NONE: Node = usize::MAX;

/// How a block ends.
#[derive(Clone, Copy, Debug)]
pub(super) enum Terminator<'a> {
    /// Goes to one block.
    Branch(Node),
    /// Condition id, target if true, target if false.
    Conditional(u32, Node, Node),
    /// Selector id, default target, and pairs of literal and label as they stand in the module.
    Switch { selector: u32, default: Node, cases: Cases<'a> },
    /// Returns, with the id of a value or 0.
    Return(u32),
    /// Ends the invocation without effect.
    Kill,
    /// Is not reached by a valid program.
    Unreachable,
}

/// The cases of a switch as they stand in the module: literal and label each.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cases<'a> {
    words: &'a [u32],
    /// Literals have two words.
    pub wide: bool,
}

impl<'a> Cases<'a> {
    /// Literals with their labels.
    pub fn iter(self) -> impl Iterator<Item = (u64, u32)> + use<'a> {
        let size = if self.wide { 3 } else { 2 };
        self.words.chunks_exact(size).map(move |case| match case {
            [low, high, label] => (u64::from(*high) << 32 | u64::from(*low), *label),
            [literal, label] => (u64::from(*literal), *label),
            _ => (0, 0),
        })
    }

    /// The literals have the width of the selector, whose type is not known while the graph is read: they are taken
    /// for words if that makes every label a label. Where the selector turns out to be different, that is an error.
    fn read(words: &'a [u32], is_label: impl Fn(u32) -> bool) -> Result<Self, CompileError> {
        let fits = |wide: bool| {
            let cases = Cases { words, wide };
            words.len().is_multiple_of(if wide { 3 } else { 2 })
                && cases.iter().all(|(_, label)| is_label(label))
        };
        match (fits(false), fits(true)) {
            (true, _) => Ok(Cases { words, wide: false }),
            (false, true) => Ok(Cases { words, wide: true }),
            _ => Err(CompileError::invalid("a switch names something that is not a block of the function")),
        }
    }
}

/// The graph of a function. Node numbers of blocks are their positions in the body.
pub(super) struct Cfg<'a> {
    /// How each block ends.
    pub terminators: Vec<Terminator<'a>>,
    /// Successors, each once.
    pub succs: Vec<Vec<Node>>,
    /// Reachable nodes in reverse post-order.
    pub order: Vec<Node>,
    /// Position in `order`; `NONE` for unreachable nodes.
    pub rank: Vec<usize>,
    /// Immediate dominator; the entry is its own.
    pub idom: Vec<Node>,
    /// Position of a node in the dominator tree, parents before children, and number of nodes it dominates.
    subtree: Vec<(u32, u32)>,
    /// Header of the innermost loop a node is in; for a header its own loop.
    pub innermost: Vec<Node>,
    /// For a header, the header of the loop around its own.
    pub outer: Vec<Node>,
    /// For a header, the number of loops around its own.
    loop_depth: Vec<u32>,
    /// For a block that ends with a switch, target and literal of each case, by target.
    cases: Vec<Vec<(Node, u64)>>,
    /// Edges into a node that do not go back to a loop's header.
    pub forward_preds: Vec<usize>,
}

impl<'a> Cfg<'a> {
    /// Reads the graph of `body`.
    pub fn read(module: &Module<'a>, body: &FunctionBody) -> Result<Self, CompileError> {
        let (words, defs) = (module.words, module.defs.as_slice());
        let count = body.blocks.len();
        if count == 0 {
            return Err(CompileError::unsupported(format!("function {} without a body: linkage", body.id)));
        }
        let mut terminators = Vec::with_capacity(count);
        let mut succs: Vec<Vec<Node>> = Vec::with_capacity(count + 1);
        let mut cases = Vec::with_capacity(count);
        for block in &body.blocks {
            let inst = words.instructions_from(block.end).next();
            let inst = inst.ok_or_else(|| CompileError::invalid("a block has no terminator"))??;
            let target = |label: u32| node_of(defs, body, label).map_err(|error| inst.locate(error));
            let terminator = read_terminator(&inst, defs, &target).map_err(|error| inst.locate(error))?;
            succs.push(successors(terminator, count, &target)?);
            cases.push(cases_by_target(terminator, &target)?);
            terminators.push(terminator);
        }
        succs.push(Vec::new());
        let mut cfg = Cfg {
            terminators,
            order: post_order(&succs),
            succs,
            rank: vec![NONE; count + 1],
            idom: Vec::new(),
            subtree: Vec::new(),
            innermost: vec![NONE; count + 1],
            outer: vec![NONE; count + 1],
            loop_depth: vec![0; count + 1],
            cases,
            forward_preds: vec![0; count + 1],
        };
        cfg.order.reverse();
        for (position, node) in cfg.order.iter().enumerate() {
            cfg.rank[*node] = position;
        }
        let preds = cfg.preds();
        cfg.idom = cfg.dominators(&preds);
        cfg.subtree = cfg.number_dominator_tree();
        cfg.find_loops(&preds)?;
        let node = |label: u32| node_of(defs, body, label).unwrap_or(NONE);
        let constructs: Vec<Construct> = body
            .blocks
            .iter()
            .map(|block| Construct {
                merge: node(block.merge),
                next_round: node(block.next_round),
                is_convergent: block.is_convergent || (block.has_calls && module.is_convergent),
            })
            .collect();
        cfg.extend_loops(&constructs);
        cfg.count_depths();
        Ok(cfg)
    }

    /// The node all returns lead to.
    pub fn exit(&self) -> Node {
        self.terminators.len()
    }

    /// Whether the edge goes back in the order; in a reducible graph, to the header of a loop.
    pub fn is_back_edge(&self, from: Node, to: Node) -> bool {
        self.rank[to] <= self.rank[from]
    }

    /// Whether `node` is the header of a loop.
    pub fn is_header(&self, node: Node) -> bool {
        self.innermost[node] == node
    }

    /// Whether `node` is in the loop of `header`.
    pub fn is_in_loop(&self, node: Node, header: Node) -> bool {
        let mut at = self.innermost[node];
        while at != NONE && self.loop_depth[at] > self.loop_depth[header] {
            at = self.outer[at];
        }
        at == header
    }

    /// The literals of the switch that ends `node` that lead to `to`.
    pub fn literals(&self, node: Node, to: Node) -> impl Iterator<Item = u64> {
        let cases = &self.cases[node];
        let start = cases.partition_point(|(target, _)| *target < to);
        cases[start..].iter().take_while(move |(target, _)| *target == to).map(|(_, literal)| *literal)
    }

    fn preds(&self) -> Vec<Vec<Node>> {
        let mut preds = vec![Vec::new(); self.succs.len()];
        for from in &self.order {
            for to in &self.succs[*from] {
                preds[*to].push(*from);
            }
        }
        preds
    }

    /// Immediate dominators by the iteration of Cooper, Harvey and Kennedy.
    fn dominators(&self, preds: &[Vec<Node>]) -> Vec<Node> {
        let mut idom = vec![NONE; self.succs.len()];
        let Some(entry) = self.order.first() else { return idom };
        idom[*entry] = *entry;
        let mut changed = true;
        while changed {
            changed = false;
            for node in &self.order[1..] {
                let mut found = NONE;
                for pred in preds[*node].iter().filter(|pred| idom[**pred] != NONE) {
                    found = if found == NONE { *pred } else { self.common(&idom, found, *pred) };
                }
                if idom[*node] != found {
                    idom[*node] = found;
                    changed = true;
                }
            }
        }
        idom
    }

    fn common(&self, idom: &[Node], mut a: Node, mut b: Node) -> Node {
        while a != b {
            while self.rank[a] > self.rank[b] {
                a = idom[a];
            }
            while self.rank[b] > self.rank[a] {
                b = idom[b];
            }
        }
        a
    }

    /// Whether every path to `b` leads through `a`. Both are reachable.
    pub fn dominates(&self, a: Node, b: Node) -> bool {
        let ((start, count), (position, _)) = (self.subtree[a], self.subtree[b]);
        start <= position && position - start < count
    }

    fn number_dominator_tree(&self) -> Vec<(u32, u32)> {
        let mut subtree = vec![(0, 1); self.succs.len()];
        for node in self.order.iter().skip(1).rev() {
            let count = subtree[*node].1;
            subtree[self.idom[*node]].1 += count;
        }
        let mut next = vec![1; self.succs.len()];
        for node in self.order.iter().skip(1) {
            let parent = self.idom[*node];
            subtree[*node].0 = subtree[parent].0 + next[parent];
            next[parent] += subtree[*node].1;
        }
        subtree
    }

    /// Finds natural loops, inner ones first, and refuses graphs with loops of several entries.
    fn find_loops(&mut self, preds: &[Vec<Node>]) -> Result<(), CompileError> {
        // For a header, a loop around its own as far out as is known, found with path compression.
        let mut outermost: Vec<Node> = (0..self.succs.len()).collect();
        for header in self.order.clone().into_iter().rev() {
            let mut work = Vec::new();
            for pred in &preds[header] {
                if !self.is_back_edge(*pred, header) {
                    self.forward_preds[header] += 1;
                } else if self.dominates(header, *pred) {
                    work.push(*pred);
                } else {
                    return Err(CompileError::unsupported(
                        "irreducible control flow: a loop with several entries",
                    ));
                }
            }
            if !work.is_empty() {
                self.collect_loop(header, work, preds, &mut outermost);
            }
        }
        self.count_depths();
        Ok(())
    }

    fn count_depths(&mut self) {
        for node in self.order.iter().copied() {
            let outer = self.outer[node];
            self.loop_depth[node] = if outer == NONE { 0 } else { self.loop_depth[outer] + 1 };
        }
    }

    /// Gives the nodes that reach `header` without leaving the loop to its loop. Loops found earlier are inside.
    fn collect_loop(
        &mut self,
        header: Node,
        mut work: Vec<Node>,
        preds: &[Vec<Node>],
        outermost: &mut [Node],
    ) {
        self.innermost[header] = header;
        while let Some(node) = work.pop() {
            let inner = self.innermost[node];
            if inner == NONE {
                self.innermost[node] = header;
                work.extend(preds[node].iter().copied());
                continue;
            }
            let found = follow(outermost, inner);
            if found != header {
                self.outer[found] = header;
                outermost[found] = header;
                work.extend(preds[found].iter().copied().filter(|pred| !self.is_back_edge(*pred, found)));
            }
        }
    }
}

/// The end of a chain of links; halves the chain on the way.
fn follow(links: &mut [Node], mut node: Node) -> Node {
    while links[node] != node {
        links[node] = links[links[node]];
        node = links[node];
    }
    node
}

/// Target and literal of each case of a switch, by target.
fn cases_by_target(
    terminator: Terminator<'_>,
    target: &impl Fn(u32) -> Result<Node, CompileError>,
) -> Result<Vec<(Node, u64)>, CompileError> {
    let Terminator::Switch { cases, .. } = terminator else { return Ok(Vec::new()) };
    let mut list =
        cases.iter().map(|(literal, label)| Ok((target(label)?, literal))).collect::<Result<Vec<_>, _>>()?;
    list.sort_unstable();
    Ok(list)
}

fn node_of(defs: &[Def<'_>], body: &FunctionBody, label: u32) -> Result<Node, CompileError> {
    match defs.get(label as usize) {
        Some(Def::Label(index))
            if body.blocks.get(*index as usize).is_some_and(|block| block.label == label) =>
        {
            Ok(*index as usize)
        }
        _ => Err(CompileError::invalid(format!("id {label} is not a block of the function"))),
    }
}

fn read_terminator<'a>(
    inst: &Inst<'a>,
    defs: &[Def<'a>],
    target: &impl Fn(u32) -> Result<Node, CompileError>,
) -> Result<Terminator<'a>, CompileError> {
    Ok(match inst.op {
        Op::Branch => Terminator::Branch(target(inst.word(0)?)?),
        Op::BranchConditional => {
            let (then, otherwise) = (target(inst.word(1)?)?, target(inst.word(2)?)?);
            let constant = match defs.get(inst.word(0)? as usize) {
                Some(Def::Value(_, [leaf])) => leaf.as_imm(),
                _ => None,
            };
            match constant {
                Some(0) => Terminator::Branch(otherwise),
                Some(_) => Terminator::Branch(then),
                None if then == otherwise => Terminator::Branch(then),
                None => Terminator::Conditional(inst.word(0)?, then, otherwise),
            }
        }
        Op::Switch => {
            let cases = Cases::read(inst.rest(2), |label| target(label).is_ok())?;
            Terminator::Switch { selector: inst.word(0)?, default: target(inst.word(1)?)?, cases }
        }
        Op::Return => Terminator::Return(0),
        Op::ReturnValue => Terminator::Return(inst.word(0)?),
        Op::Kill | Op::TerminateInvocation => Terminator::Kill,
        Op::Unreachable => Terminator::Unreachable,
        _ => return Err(CompileError::unsupported("this terminator")),
    })
}

/// Successors, each once; the default of a switch last.
fn successors(
    terminator: Terminator<'_>,
    exit: Node,
    target: &impl Fn(u32) -> Result<Node, CompileError>,
) -> Result<Vec<Node>, CompileError> {
    Ok(match terminator {
        Terminator::Branch(to) => vec![to],
        Terminator::Conditional(_, then, otherwise) => vec![then, otherwise],
        Terminator::Return(_) | Terminator::Kill | Terminator::Unreachable => vec![exit],
        Terminator::Switch { default, cases, .. } => {
            let mut list = cases.iter().map(|(_, label)| target(label)).collect::<Result<Vec<_>, _>>()?;
            list.sort_unstable();
            list.dedup();
            list.retain(|to| *to != default);
            list.push(default);
            list
        }
    })
}

/// Nodes reachable from the first in post-order, without recursion.
fn post_order(succs: &[Vec<Node>]) -> Vec<Node> {
    let mut seen = vec![false; succs.len()];
    let mut order = Vec::with_capacity(succs.len());
    let mut stack = vec![(0, succs[0].len())];
    seen[0] = true;
    while let Some((node, left)) = stack.last_mut() {
        let node = *node;
        match left.checked_sub(1) {
            Some(index) => {
                *left = index;
                let next = succs[node][index];
                if !seen[next] {
                    seen[next] = true;
                    stack.push((next, succs[next].len()));
                }
            }
            None => {
                order.push(node);
                stack.pop();
            }
        }
    }
    order
}
