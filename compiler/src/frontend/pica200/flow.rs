//! The graph of a program: nodes with operations, and how each ends.

use agx_pica200::register::Condition;

use crate::frontend::kit::control::{End, Node};
use crate::frontend::rows::Rows;

/// What a node does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Op {
    /// Executes the instruction at an address, which is arithmetic or concerns emission.
    Inst(u32),
    /// Enters a loop of an integer uniform, at a depth from 0 on.
    EnterLoop { depth: usize, int: usize },
    /// The loops move down by one place: the outermost is forgotten.
    ForgetLoop,
    /// The counter register grows by the step of an integer uniform.
    StepLoop { int: usize },
    /// One iteration less is to come of the loop at a depth.
    Repeat { depth: usize },
    /// Leaves an inner loop: the counter register has the value again that it had around it.
    Restore { depth: usize },
    /// Sets a selector that a dispatching node tests.
    Select { selector: usize, value: u32 },
    /// Executes the control instruction at an address on stacks in variables.
    Control(u32),
    /// The next address is the one given, unless a stack has another.
    Fall(u32),
    /// Takes ended ranges from the stacks in variables, which gives the next address.
    Pop,
}

/// What a branch tests.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Test {
    /// A condition on the codes of comparisons.
    Condition(Condition),
    /// A boolean uniform has a value.
    Bool { uniform: usize, expected: bool },
    /// Iterations are to come of the loop at a depth.
    Iterations { depth: usize },
    /// A selector is below a value.
    Below { selector: usize, value: u32 },
    /// The next address on stacks in variables is below a value.
    AddressBelow(u32),
}

/// How a node ends.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(super) enum Exit {
    /// Goes to a node.
    Go(Node),
    /// Goes to one node if a test holds, else to another.
    Branch(Test, Node, Node),
    /// Ends the program.
    #[default]
    End,
}

/// A node.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub(super) struct Block {
    pub ops: Vec<Op>,
    pub exit: Exit,
}

/// The graph. The entry is node 0.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(super) struct Flow {
    pub blocks: Rows<Block>,
    /// Number of selectors.
    pub selectors: usize,
    /// Whether the stacks are in variables.
    pub has_stacks: bool,
}

impl Exit {
    /// Successors, of which both may be the same.
    pub fn targets(&self) -> impl Iterator<Item = Node> + use<> {
        let (first, second) = match *self {
            Exit::Go(to) => (Some(to), None),
            Exit::Branch(_, yes, no) => (Some(yes), Some(no)),
            Exit::End => (None, None),
        };
        first.into_iter().chain(second)
    }

    /// The same with other targets.
    pub fn map(self, mut target: impl FnMut(Node) -> Node) -> Exit {
        match self {
            Exit::Go(to) => Exit::Go(target(to)),
            Exit::Branch(test, yes, no) => Exit::Branch(test, target(yes), target(no)),
            Exit::End => Exit::End,
        }
    }
}

impl Flow {
    /// Appends a node.
    pub fn add(&mut self, ops: Vec<Op>, exit: Exit) -> Node {
        let node = self.blocks.len();
        self.blocks.push(Block { ops, exit });
        node
    }

    /// The ends of the nodes, as the kit's graph takes them.
    pub fn ends(&self) -> Vec<End> {
        let end = |block: &Block| match block.exit {
            Exit::Go(to) => End::Jump(to),
            Exit::Branch(_, yes, no) if yes == no => End::Jump(yes),
            Exit::Branch(_, then, otherwise) => End::Branch { then, otherwise },
            Exit::End => End::Leave,
        };
        self.blocks.iter().map(end).collect()
    }

    /// Joins nodes with their only successor where they are its only predecessor, drops nodes that are not reached, and
    /// branches whose ways are the same.
    pub fn compact(self) -> Flow {
        let count = self.blocks.len();
        let mut preds = Rows::filled(count, 0u32);
        let mut reached = Rows::filled(count, false);
        let mut open = vec![0];
        // The entry has a predecessor outside the graph.
        if count > 0 {
            preds[0] = 1;
        }
        while let Some(node) = open.pop() {
            if std::mem::replace(&mut reached[node], true) {
                continue;
            }
            let exit = simplified(self.blocks[node].exit);
            for to in exit.targets() {
                preds[to] = preds[to].saturating_add(1);
                open.push(to);
            }
        }
        let joins = |node: Node| match simplified(self.blocks[node].exit) {
            Exit::Go(to) if preds[to] == 1 && to != node => Some(to),
            _ => None,
        };
        let mut joined = Rows::filled(count, false);
        for node in (0..count).filter(|node| reached[*node]) {
            if let Some(to) = joins(node) {
                joined[to] = true;
            }
        }
        let heads: Vec<Node> = (0..count).filter(|node| reached[*node] && !joined[*node]).collect();
        let mut numbers = Rows::filled(count, usize::MAX);
        for (number, head) in heads.iter().enumerate() {
            numbers[*head] = number;
        }
        let (selectors, has_stacks) = (self.selectors, self.has_stacks);
        let mut flow = Flow { blocks: Rows::default(), selectors, has_stacks };
        for head in heads {
            let mut at = head;
            let mut ops = self.blocks[at].ops.clone();
            while let Some(next) = joins(at) {
                at = next;
                ops.extend_from_slice(&self.blocks[at].ops);
            }
            flow.add(ops, simplified(self.blocks[at].exit).map(|to| numbers[to]));
        }
        flow
    }
}

/// A branch whose ways are the same is none.
fn simplified(exit: Exit) -> Exit {
    match exit {
        Exit::Branch(_, yes, no) if yes == no => Exit::Go(yes),
        other => other,
    }
}
