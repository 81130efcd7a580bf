//! The graph of a program: nodes with operations and exits.

use agx_pica200::register::Condition;

use crate::frontend::kit::control::{End, Node};
use crate::ir::rows::Rows;

/// An operation of a node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Op {
    /// Executes the instruction at an address: arithmetic or geometry emission.
    Inst(u32),
    /// What follows, including the test of the exit, belongs to the instruction at an address.
    At(u32),
    /// Enters a loop of an integer uniform at a depth, counted from 0.
    EnterLoop { depth: usize, int: usize },
    /// Shifts the loops down by one: the outermost is dropped.
    ForgetLoop,
    /// Adds the step of an integer uniform to the counter register.
    StepLoop { int: usize },
    /// Decrements the remaining iterations of the loop at a depth.
    Repeat { depth: usize },
    /// Leaves an inner loop: restores the counter register's outer value.
    Restore { depth: usize },
    /// Sets a selector that a dispatch node tests.
    Select { selector: usize, value: u32 },
    /// Executes the control instruction at an address, with the stacks in variables.
    Control(u32),
    /// Sets the next address, unless a stack entry overrides it.
    Fall(u32),
    /// Pops ended ranges from the stacks in variables and determines the next address.
    Pop,
}

/// The test of a branch.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Test {
    /// A condition on the codes of comparisons.
    Condition(Condition),
    /// A boolean uniform has a value.
    Bool { uniform: usize, expected: bool },
    /// The loop at a depth has remaining iterations.
    Iterations { depth: usize },
    /// A selector is below a value.
    Below { selector: usize, value: u32 },
    /// The next address, with the stacks in variables, is below a value.
    AddressBelow(u32),
}

/// The exit of a node.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(super) enum Exit {
    /// Continues at a node.
    Go(Node),
    /// Continues at one node if a test holds, else at another.
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
    /// Successors, which may be the same.
    pub fn targets(&self) -> impl Iterator<Item = Node> + use<> {
        let (first, second) = match *self {
            Exit::Go(to) => (Some(to), None),
            Exit::Branch(_, yes, no) => (Some(yes), Some(no)),
            Exit::End => (None, None),
        };
        first.into_iter().chain(second)
    }

    /// The same exit with other targets.
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

    /// The exits of the nodes in the form of the kit's graph.
    pub fn ends(&self) -> Vec<End> {
        let end = |block: &Block| match block.exit {
            Exit::Go(to) => End::Jump(to),
            Exit::Branch(_, yes, no) if yes == no => End::Jump(yes),
            Exit::Branch(_, then, otherwise) => End::Branch { then, otherwise },
            Exit::End => End::Leave,
        };
        self.blocks.iter().map(end).collect()
    }

    /// Merges nodes with their only successor if they are its only predecessor, and removes unreachable nodes
    /// and branches with equal targets.
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

/// Replaces a branch with equal targets by a jump.
fn simplified(exit: Exit) -> Exit {
    match exit {
        Exit::Branch(_, yes, no) if yes == no => Exit::Go(yes),
        other => other,
    }
}
