//! The control-flow graph of a function body.
//!
//! Structure is derived from the graph itself rather than from merge instructions, except where [`Construct`]
//! requires them.

use spirv::Op;

use super::demotion;
use super::module::{Def, FunctionBody, Module};
use super::words::Inst;
use crate::error::{CompileError, FlowError};
use crate::frontend::kit::control::{Construct, End, Graph, NONE, Node, Plan};
use crate::ir::watch::Watch;

/// A function's graph and structure, shared by all of its calls.
pub(super) struct Body<'a> {
    pub cfg: Cfg<'a>,
    pub plan: Plan,
}

/// How a block ends.
#[derive(Clone, Copy, Debug)]
pub(super) enum Terminator<'a> {
    /// Branches to one block.
    Branch(Node),
    /// Condition id, target if true, target if false.
    Conditional(u32, Node, Node),
    /// Selector id, default target, and pairs of literal and label as encoded in the module.
    Switch { selector: u32, default: Node, cases: Cases<'a> },
    /// Returns, with the id of a value or 0.
    Return(u32),
    /// Ends a task shader, with the ids of the numbers of workgroups that it emits.
    EmitMeshTasks([u32; 3]),
    /// Ends the invocation.
    Kill,
    /// Never reached in a valid program.
    Unreachable,
}

/// The cases of a switch as encoded in the module: a literal and a label each.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cases<'a> {
    words: &'a [u32],
    /// Whether literals have two words.
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

    /// Reads the cases. Literals have the width of the selector, whose type is not known while the graph is
    /// read: they are assumed to be single words if that makes every label valid. If the selector turns out
    /// to have another width, that is an error.
    fn read(words: &'a [u32], is_label: impl Fn(u32) -> bool) -> Result<Self, CompileError> {
        let fits = |wide: bool| {
            let cases = Cases { words, wide };
            words.len().is_multiple_of(if wide { 3 } else { 2 })
                && cases.iter().all(|(_, label)| is_label(label))
        };
        match (fits(false), fits(true)) {
            (true, _) => Ok(Cases { words, wide: false }),
            (false, true) => Ok(Cases { words, wide: true }),
            _ => Err(FlowError::SwitchTarget.into()),
        }
    }
}

/// The graph of a function. Node numbers of blocks are their positions in the body.
pub(super) struct Cfg<'a> {
    /// The graph itself.
    pub graph: Graph,
    /// The graph in which kills end the invocation, if the other one differs: it tells where definitions are visible.
    as_written: Option<Graph>,
    /// How each block ends.
    pub terminators: Vec<Terminator<'a>>,
    /// For a block that ends with a switch, target and literal of each case, sorted by target.
    cases: Vec<Vec<(Node, u64)>>,
}

impl<'a> Cfg<'a> {
    /// Builds the graph of `body`.
    pub fn read(module: &Module<'a>, body: &FunctionBody<'_>, watch: &Watch) -> Result<Self, CompileError> {
        let (words, defs) = (module.words, &*module.defs);
        let count = body.blocks.len();
        if count == 0 {
            return Err(FlowError::NoBody { id: body.id }.into());
        }
        let mut terminators = Vec::with_capacity(count);
        let mut ends = Vec::with_capacity(count);
        let mut cases = Vec::with_capacity(count);
        for block in &body.blocks {
            watch.visit(1);
            let inst = words.instructions_from(block.end).next();
            let inst = inst.ok_or(FlowError::NoTerminator)??;
            let target = |label: u32| node_of(defs, body, label).map_err(|error| inst.locate(error));
            let terminator = read_terminator(&inst, defs, &target).map_err(|error| inst.locate(error))?;
            let list = cases_by_target(terminator, &target)?;
            ends.push(end(terminator, &list));
            cases.push(list);
            terminators.push(terminator);
        }
        let mut graph = Graph::watched(ends, watch.clone())?;
        let node = |label: u32| find_node(defs, body, label).unwrap_or(NONE);
        let constructs: Vec<Construct> = body
            .blocks
            .iter()
            .map(|block| Construct {
                merge: node(block.merge),
                continue_target: node(block.continue_target),
                is_convergent: block.is_convergent || (block.has_calls && module.is_convergent),
            })
            .collect();
        let is_kill = |node: &usize| matches!(terminators.get(*node), Some(Terminator::Kill));
        let kills = (0..terminators.len()).filter(is_kill);
        let mut as_written = None;
        // Merge instructions that contradict the graph may lead into a loop: then all kills leave the function.
        if let Some(ends) = demotion::redirect_kills(module, &graph, kills, &constructs, watch)
            && let Ok(redirected) = Graph::watched(ends, watch.clone())
        {
            as_written = Some(std::mem::replace(&mut graph, redirected));
        }
        graph.keep_constructs(&constructs);
        Ok(Cfg { graph, as_written, terminators, cases })
    }

    /// The graph whose dominators tell where definitions are visible.
    pub fn visibility(&self) -> &Graph {
        self.as_written.as_ref().unwrap_or(&self.graph)
    }

    /// The literals, in the switch that ends `node`, that lead to `to`.
    pub fn literals(&self, node: Node, to: Node) -> impl Iterator<Item = u64> {
        let cases = self.cases.get(node).map_or(&[][..], Vec::as_slice);
        let start = cases.partition_point(|(target, _)| *target < to);
        let cases = cases.iter().skip(start);
        cases.take_while(move |(target, _)| *target == to).map(|(_, literal)| *literal)
    }
}

/// Target and literal of each case of a switch, sorted by target.
fn cases_by_target(
    terminator: Terminator<'_>,
    target: &impl Fn(u32) -> Result<Node, CompileError>,
) -> Result<Vec<(Node, u64)>, CompileError> {
    let Terminator::Switch { cases, .. } = terminator else { return Ok(Vec::new()) };
    let mut list = cases
        .iter()
        .map(|(literal, label)| Ok((target(label)?, literal)))
        .collect::<Result<Vec<_>, CompileError>>()?;
    list.sort_unstable();
    Ok(list)
}

fn node_of(defs: &[Def<'_>], body: &FunctionBody<'_>, label: u32) -> Result<Node, CompileError> {
    find_node(defs, body, label).ok_or_else(|| FlowError::NotABlock { id: label }.into())
}

/// The block with this label, if the function has one.
fn find_node(defs: &[Def<'_>], body: &FunctionBody<'_>, label: u32) -> Option<Node> {
    let Some(Def::Label(index)) = defs.get(label as usize) else { return None };
    let block = body.blocks.get(*index as usize)?;
    (block.label == label).then_some(*index as usize)
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
        Op::EmitMeshTasksEXT => Terminator::EmitMeshTasks([inst.word(0)?, inst.word(1)?, inst.word(2)?]),
        Op::Kill | Op::TerminateInvocation => Terminator::Kill,
        Op::Unreachable => Terminator::Unreachable,
        _ => return Err(FlowError::Terminator { op: inst.op }.into()),
    })
}

/// The end of a block with this terminator; `cases` are those of a switch, sorted by target.
fn end(terminator: Terminator<'_>, cases: &[(Node, u64)]) -> End {
    match terminator {
        Terminator::Branch(to) => End::Jump(to),
        Terminator::Conditional(_, then, otherwise) => End::Branch { then, otherwise },
        Terminator::Return(_) | Terminator::EmitMeshTasks(_) | Terminator::Kill | Terminator::Unreachable => {
            End::Leave
        }
        Terminator::Switch { default, .. } => {
            let mut targets: Vec<Node> = cases.iter().map(|(target, _)| *target).collect();
            targets.dedup();
            targets.retain(|to| *to != default);
            End::Switch { targets, default }
        }
    }
}
