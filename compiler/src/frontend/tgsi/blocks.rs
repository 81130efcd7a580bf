//! The graph of a program's basic blocks, with subroutines inlined.
//!
//! Registers are global to the program, so the body of a subroutine is the same for every call: an inlined
//! copy is a list of nodes that refer to the same instructions but return to different places.

use agx_tgsi::{Flow, Opcode, Shader};
use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;

use crate::error::{CompileError, KitError, TgsiError};
use crate::frontend::kit::control::{Construct, End, Graph, NONE, Node};
use crate::frontend::kit::limits::{MAX_CALL_DEPTH, MAX_INSTRUCTIONS};
use crate::ir::rows::Rows;

/// A basic block.
#[derive(Clone)]
pub(super) struct Block {
    /// Its instructions, by position in the program.
    pub instructions: std::ops::Range<usize>,
    /// The instruction that ends the block with several successors, if any.
    pub decides: Option<usize>,
    /// For the targets of a switch, by node: the position of the case.
    pub cases: Vec<(Node, usize)>,
}

/// The blocks of a program and their control flow.
pub(super) struct Blocks {
    /// Blocks, by node.
    pub blocks: Rows<Block>,
    /// Their exits.
    pub graph: Graph,
}

/// The successors of an instruction.
enum Next {
    /// To the instruction after it.
    Follow,
    /// To another instruction.
    To(usize),
    /// To one of two.
    Either(usize, usize),
    /// To a case of a switch.
    Switch(usize),
    /// Into a subroutine, always or under a condition.
    Call { target: usize, always: bool },
    /// Out of the subroutine or the program.
    Return,
    /// Out of the program.
    End,
}

/// A copy of the main program or a subroutine.
#[derive(Clone)]
struct Copy {
    /// Positions of its instructions.
    range: std::ops::Range<usize>,
    /// The instruction and copy it returns to; `None` for the end of the program.
    returns: Option<(usize, usize)>,
    depth: usize,
}

/// The graph during construction.
struct Maker<'s> {
    shader: &'s Shader,
    flow: &'s Flow,
    copies: Rows<Copy>,
    /// The node of an instruction of a copy.
    nodes: HashMap<(usize, usize), Node, FxBuildHasher>,
    /// For each node its copy and first instruction.
    places: Rows<(usize, usize)>,
    blocks: Rows<Block>,
    ends: Vec<End>,
    total: usize,
}

/// Makes the graph.
///
/// # Errors
/// Calls that nest too deeply, programs that grow too large, branches out of a subroutine, or into a loop
/// from outside.
pub(super) fn blocks(shader: &Shader, flow: &Flow) -> Result<Blocks, CompileError> {
    let end = (flow.end as usize).saturating_add(1);
    let copy = |range| Copy { range, returns: None, depth: 0 };
    let mut maker = Maker {
        shader,
        flow,
        copies: Rows::of(vec![copy(0..end)]),
        nodes: HashMap::default(),
        places: Rows::default(),
        blocks: Rows::default(),
        ends: Vec::new(),
        total: 0,
    };
    let leaders = maker.leaders();
    maker.node(0, 0);
    // Building a block may create nodes that are not built yet.
    while maker.blocks.len() < maker.places.len() {
        maker.build(maker.blocks.len(), &leaders)?;
    }
    let mut graph = Graph::new(maker.ends.clone())?;
    let constructs = maker.constructs();
    graph.keep_constructs(&constructs);
    Ok(Blocks { blocks: maker.blocks, graph })
}

impl Maker<'_> {
    /// The node of an instruction of a copy.
    fn node(&mut self, copy: usize, instruction: usize) -> Node {
        let places = &mut self.places;
        *self.nodes.entry((copy, instruction)).or_insert_with(|| {
            let node = places.len();
            places.push((copy, instruction));
            node
        })
    }

    /// The instructions that control may reach other than from the preceding instruction.
    fn leaders(&self) -> Rows<bool> {
        let count = self.shader.instructions.len();
        let mut leaders = Rows::filled(count.saturating_add(1), false);
        for at in 0..count {
            let mut targets = Vec::new();
            match self.next(at) {
                Next::Follow => continue,
                Next::To(target) => targets.push(target),
                Next::Either(then, otherwise) => targets.extend([then, otherwise]),
                Next::Switch(switch) => {
                    targets.extend(self.flow.cases(self.shader, switch));
                    targets.extend(self.flow.partner_of(switch));
                }
                Next::Call { target, .. } => targets.push(target.saturating_add(1)),
                Next::Return | Next::End => {}
            }
            targets.push(at.saturating_add(1));
            for target in targets.into_iter().filter(|target| *target <= count) {
                leaders[target] = true;
            }
        }
        leaders
    }

    /// The successors of an instruction.
    fn next(&self, at: usize) -> Next {
        let partner = self.flow.partner_of(at);
        let following = at.saturating_add(1);
        let after = partner.map_or(following, |partner| partner.saturating_add(1));
        match opcode(self.shader, at) {
            Opcode::If | Opcode::Uif | Opcode::Ifc => Next::Either(following, after),
            Opcode::Else | Opcode::Brk | Opcode::Bgnsub => Next::To(after),
            Opcode::Endloop => Next::To(after),
            // Through the end of the loop, where iterations reconverge.
            Opcode::Cont => Next::To(partner.and_then(|begin| self.flow.partner_of(begin)).unwrap_or(after)),
            Opcode::Breakc => Next::Either(after, following),
            Opcode::Bra => Next::To(partner.unwrap_or(following)),
            Opcode::Switch => Next::Switch(at),
            Opcode::Cal => partner.map_or(Next::Follow, |target| Next::Call { target, always: true }),
            Opcode::Callnz => partner.map_or(Next::Follow, |target| Next::Call { target, always: false }),
            Opcode::Ret | Opcode::Endsub => Next::Return,
            Opcode::End => Next::End,
            _ => Next::Follow,
        }
    }

    /// Builds the block of a node.
    fn build(&mut self, node: Node, leaders: &Rows<bool>) -> Result<(), CompileError> {
        let (copy, first) = self.places[node];
        let range = self.copies[copy].range.clone();
        if !range.contains(&first) {
            let line = self.shader.instructions.get(first).map_or(0, |instruction| instruction.place.line);
            return Err(TgsiError::BranchOut { line }.into());
        }
        let mut at = first;
        let mut next = first.saturating_add(1);
        while matches!(self.next(at), Next::Follow) && next < range.end && !leaders[next] {
            (at, next) = (next, next.saturating_add(1));
        }
        self.total = self.total.saturating_add(next.saturating_sub(first));
        if self.total > MAX_INSTRUCTIONS {
            return Err(KitError::Instructions { most: MAX_INSTRUCTIONS }.into());
        }
        let mut block = Block { instructions: first..next, decides: None, cases: Vec::new() };
        let end = self.end(copy, at, &mut block)?;
        self.blocks.push(block);
        self.ends.push(end);
        Ok(())
    }

    /// The exit of a block whose last instruction is at `at`.
    fn end(&mut self, copy: usize, at: usize, block: &mut Block) -> Result<End, CompileError> {
        Ok(match self.next(at) {
            Next::Follow => End::Jump(self.node(copy, at.saturating_add(1))),
            Next::To(target) => End::Jump(self.node(copy, target)),
            Next::Either(then, otherwise) => {
                let (then, otherwise) = (self.node(copy, then), self.node(copy, otherwise));
                branch(then, otherwise, at, block)
            }
            Next::Switch(switch) => self.switch(copy, switch, block),
            Next::Call { target, always } => {
                let entry = self.call(copy, at, target)?;
                let after = self.node(copy, at.saturating_add(1));
                if always { End::Jump(entry) } else { branch(entry, after, at, block) }
            }
            Next::Return => match self.copies[copy].returns {
                Some((caller, instruction)) => End::Jump(self.node(caller, instruction)),
                None => End::Leave,
            },
            Next::End => End::Leave,
        })
    }

    fn switch(&mut self, copy: usize, switch: usize, block: &mut Block) -> End {
        let cases = self.flow.cases(self.shader, switch);
        let is_default = |case: &usize| opcode(self.shader, *case) == Opcode::Default;
        let default = cases.iter().copied().find(|case| is_default(case));
        let default = default.or(self.flow.partner_of(switch)).unwrap_or(switch.saturating_add(1));
        let default = self.node(copy, default);
        for case in cases.into_iter().filter(|case| !is_default(case)) {
            block.cases.push((self.node(copy, case), case));
        }
        if block.cases.is_empty() {
            return End::Jump(default);
        }
        block.decides = Some(switch);
        let mut targets: Vec<Node> = block.cases.iter().map(|(node, _)| *node).collect();
        targets.sort_unstable();
        targets.dedup();
        End::Switch { targets, default }
    }

    /// The first node of a new copy of a subroutine.
    fn call(&mut self, copy: usize, at: usize, target: usize) -> Result<Node, CompileError> {
        let depth = self.copies[copy].depth.saturating_add(1);
        if depth > MAX_CALL_DEPTH {
            return Err(KitError::Calls { most: MAX_CALL_DEPTH }.into());
        }
        let end = self.flow.partner_of(target).unwrap_or(target).saturating_add(1);
        let first = target.saturating_add(1);
        let callee = self.copies.len();
        self.copies.push(Copy { range: first..end, returns: Some((copy, at.saturating_add(1))), depth });
        Ok(self.node(callee, first))
    }

    /// The ends of the constructs that blocks head, and whether blocks depend on which invocations are
    /// active.
    fn constructs(&self) -> Vec<Construct> {
        let lookup =
            |copy: usize, instruction: usize| self.nodes.get(&(copy, instruction)).copied().unwrap_or(NONE);
        let construct = |node: Node| {
            let (copy, first) = self.places[node];
            let block = &self.blocks[node];
            let last = block.instructions.end.saturating_sub(1);
            let is_convergent = block.instructions.clone().any(|at| is_convergent(self.shader, at));
            let mut construct = Construct { merge: NONE, continue_target: NONE, is_convergent };
            // The header of a loop is the block after its BGNLOOP.
            let begin = first.checked_sub(1).filter(|at| opcode(self.shader, *at) == Opcode::Bgnloop);
            if let Some(end) = begin.and_then(|begin| self.flow.partner_of(begin)) {
                construct.merge = lookup(copy, end.saturating_add(1));
                construct.continue_target = lookup(copy, end);
            } else if let Some(end) = self.end_of_if(last) {
                construct.merge = lookup(copy, end.saturating_add(1));
            }
            construct
        };
        (0..self.places.len()).map(construct).collect()
    }

    /// The ENDIF of an if, after its ELSE, or the ENDSWITCH of a switch.
    fn end_of_if(&self, at: usize) -> Option<usize> {
        let partner = self.flow.partner_of(at)?;
        match opcode(self.shader, at) {
            Opcode::Switch => Some(partner),
            Opcode::If | Opcode::Uif | Opcode::Ifc => match opcode(self.shader, partner) {
                Opcode::Else => self.flow.partner_of(partner),
                _ => Some(partner),
            },
            _ => None,
        }
    }
}

fn branch(then: Node, otherwise: Node, at: usize, block: &mut Block) -> End {
    if then == otherwise {
        return End::Jump(then);
    }
    block.decides = Some(at);
    End::Branch { then, otherwise }
}

/// The opcode at a position; END past the last one.
fn opcode(shader: &Shader, at: usize) -> Opcode {
    shader.instructions.get(at).map_or(Opcode::End, |instruction| instruction.opcode)
}

/// Whether the instruction's result depends on which invocations are active.
fn is_convergent(shader: &Shader, at: usize) -> bool {
    use agx_tgsi::Class;
    matches!(opcode(shader, at).info().class, Class::Lanes | Class::Barrier)
}
