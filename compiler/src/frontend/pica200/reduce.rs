//! Makes a graph reducible: every loop gets a single entry.
//!
//! A strongly connected set of nodes with several entries gets a dispatch node: edges to an entry first set a
//! selector and then go to the dispatch node, which branches to the selected entry. The same is done within
//! the set, without the edges back to its entry, until only loops with one entry remain.

use super::flow::{Block, Exit, Flow, Op, Test};
use crate::frontend::kit::control::Node;
use crate::ir::rows::Rows;

/// Gives every loop with several entries a single one.
pub(super) fn reduce(mut flow: Flow) -> Flow {
    // Sets of nodes to examine, each with the entry whose incoming edges are ignored within the set.
    let mut open = vec![((0..flow.blocks.len()).collect::<Vec<Node>>(), None)];
    while let Some((nodes, header)) = open.pop() {
        for mut set in cycles(&flow, &nodes, header) {
            let entries = entries(&flow, &set);
            let header = match entries.as_slice() {
                [] => continue,
                [only] => *only,
                _ => {
                    let (dispatcher, added) = dispatch(&mut flow, &set, &entries);
                    set.extend(added);
                    dispatcher
                }
            };
            open.push((set, Some(header)));
        }
    }
    flow
}

/// Nodes of `set` that control may reach from outside, or that are the entry of the program.
fn entries(flow: &Flow, set: &[Node]) -> Vec<Node> {
    let mut inside = Rows::filled(flow.blocks.len(), false);
    set.iter().for_each(|node| inside[*node] = true);
    let mut entered = Rows::filled(flow.blocks.len(), false);
    entered[0] = true;
    for (_, block) in flow.blocks.iter().enumerate().filter(|(node, _)| !inside[*node]) {
        block.exit.targets().for_each(|to| entered[to] = true);
    }
    set.iter().copied().filter(|node| entered[*node]).collect()
}

/// Inserts a dispatch node before the entries of a set. Returns it and the nodes added.
///
/// Edges from inside and from outside the set use separate nodes to set the selector, so that only the
/// dispatch node is entered from both.
fn dispatch(flow: &mut Flow, set: &[Node], entries: &[Node]) -> (Node, Vec<Node>) {
    let selector = flow.selectors;
    flow.selectors = flow.selectors.saturating_add(1);
    let before = flow.blocks.len();
    let mut inside = Rows::filled(before, false);
    set.iter().for_each(|node| inside[*node] = true);
    let dispatcher = flow.add(Vec::new(), Exit::End);
    let mut setters = || -> Vec<Node> {
        let setter = |value| vec![Op::Select { selector, value: value as u32 }];
        (0..entries.len()).map(|value| flow.add(setter(value), Exit::Go(dispatcher))).collect()
    };
    let (from_outside, from_inside) = (setters(), setters());
    for (node, is_inside) in inside.iter().enumerate() {
        let setters = if *is_inside { &from_inside } else { &from_outside };
        let redirects = entries.iter().zip(setters);
        let redirected =
            |to| redirects.clone().find(|(entry, _)| **entry == to).map_or(to, |(_, setter)| *setter);
        flow.blocks[node].exit = flow.blocks[node].exit.map(redirected);
    }
    let choice = choose(flow, selector, entries, 0);
    flow.blocks[dispatcher].exit = Exit::Go(choice);
    let mut redirects = entries.iter().zip(from_outside);
    if let Some((_, setter)) = redirects.find(|(entry, _)| **entry == 0) {
        move_entry(flow, dispatcher, setter);
    }
    (dispatcher, (before..flow.blocks.len()).collect())
}

/// If the program starts at an entry, its content moves to a new node, and node 0 goes to `setter`.
fn move_entry(flow: &mut Flow, dispatcher: Node, setter: Node) {
    let first = Block { ops: Vec::new(), exit: Exit::Go(setter) };
    let content = std::mem::replace(&mut flow.blocks[0], first);
    let moved = flow.add(content.ops, content.exit);
    for node in dispatcher..moved {
        flow.blocks[node].exit = flow.blocks[node].exit.map(|to| if to == 0 { moved } else { to });
    }
}

/// Branches to the entry that the selector names, from entry number `first` on.
fn choose(flow: &mut Flow, selector: usize, entries: &[Node], first: u32) -> Node {
    // A binary tree of branches, built from its leaves: neighbours are paired until one node is left.
    let mut level: Vec<(u32, Node)> = (first..).zip(entries.iter().copied()).collect();
    while level.len() > 1 {
        let mut next = Vec::with_capacity(level.len().div_ceil(2));
        for pair in level.chunks(2) {
            next.push(match *pair {
                [(low, yes), (value, no)] => {
                    let test = Test::Below { selector, value };
                    (low, flow.add(Vec::new(), Exit::Branch(test, yes, no)))
                }
                [single] => single,
                _ => continue,
            });
        }
        level = next;
    }
    level.first().map_or(0, |(_, node)| *node)
}

/// The cyclic strongly connected components of `nodes` without edges to `header`, by Tarjan's algorithm with
/// an explicit stack.
fn cycles(flow: &Flow, nodes: &[Node], header: Option<Node>) -> Vec<Vec<Node>> {
    let count = flow.blocks.len();
    let mut search = Search {
        flow,
        header,
        inside: Rows::filled(count, false),
        index: Rows::filled(count, usize::MAX),
        low: Rows::filled(count, usize::MAX),
        on_stack: Rows::filled(count, false),
        stack: Vec::new(),
        next: 0,
        found: Vec::new(),
    };
    nodes.iter().for_each(|node| search.inside[*node] = true);
    for node in nodes {
        if search.index[*node] == usize::MAX {
            search.run(*node);
        }
    }
    search.found
}

/// A search for strongly connected components.
struct Search<'f> {
    flow: &'f Flow,
    header: Option<Node>,
    inside: Rows<bool>,
    index: Rows<usize>,
    low: Rows<usize>,
    on_stack: Rows<bool>,
    stack: Vec<Node>,
    next: usize,
    found: Vec<Vec<Node>>,
}

impl Search<'_> {
    /// Successors within the searched set.
    fn successors(&self, node: Node) -> Vec<Node> {
        let targets = self.flow.blocks[node].exit.targets();
        targets.filter(|to| self.inside[*to] && Some(*to) != self.header).collect()
    }

    fn enter(&mut self, node: Node, path: &mut Vec<(Node, Vec<Node>)>) {
        self.index[node] = self.next;
        self.low[node] = self.next;
        self.next = self.next.saturating_add(1);
        self.stack.push(node);
        self.on_stack[node] = true;
        let successors = self.successors(node);
        path.push((node, successors));
    }

    fn run(&mut self, root: Node) {
        let mut path = Vec::new();
        self.enter(root, &mut path);
        while let Some((node, successors)) = path.last_mut() {
            let node = *node;
            if let Some(to) = successors.pop() {
                if self.index[to] == usize::MAX {
                    self.enter(to, &mut path);
                } else if self.on_stack[to] {
                    self.low[node] = self.low[node].min(self.index[to]);
                }
                continue;
            }
            path.pop();
            if let Some((parent, _)) = path.last() {
                self.low[*parent] = self.low[*parent].min(self.low[node]);
            }
            if self.low[node] == self.index[node] {
                self.close(node);
            }
        }
    }

    /// Pops the component of `root` from the stack; it counts if it has a cycle.
    fn close(&mut self, root: Node) {
        let mut set = Vec::new();
        while let Some(node) = self.stack.pop() {
            self.on_stack[node] = false;
            set.push(node);
            if node == root {
                break;
            }
        }
        let is_cycle = set.len() > 1 || self.successors(root).contains(&root);
        if is_cycle {
            set.sort_unstable();
            self.found.push(set);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frontend::kit::control::Graph;

    const TEST: Test = Test::Iterations { depth: 0 };

    /// A graph of nodes that go to one or two others, or end.
    fn flow(exits: &[&[Node]]) -> Flow {
        let mut flow = Flow::default();
        for targets in exits {
            let exit = match **targets {
                [] => Exit::End,
                [to] => Exit::Go(to),
                [yes, no, ..] => Exit::Branch(TEST, yes, no),
            };
            flow.add(Vec::new(), exit);
        }
        flow
    }

    #[test]
    fn loops_with_one_entry_stay() {
        let natural = flow(&[&[1], &[2, 3], &[1], &[]]);
        assert_eq!(reduce(natural.clone()), natural);
        let entry = flow(&[&[0, 1], &[]]);
        assert_eq!(reduce(entry.clone()), entry);
    }

    #[test]
    fn loops_with_several_entries_get_one() {
        let graphs: [&[&[Node]]; 4] = [
            // Two entries from one branch.
            &[&[1, 2], &[2, 3], &[1], &[]],
            // The program begins in the loop, and a jump enters it elsewhere.
            &[&[1, 2], &[2, 0], &[1, 3], &[]],
            // Nested sets.
            &[&[1, 2], &[2, 3], &[3, 1], &[4, 5], &[3, 6], &[4, 1], &[]],
            // Every node has two successors.
            &[&[1, 2], &[3, 4], &[4, 5], &[1, 5], &[2, 3], &[4, 6], &[]],
        ];
        for exits in graphs {
            let before = flow(exits);
            assert!(Graph::new(before.ends()).is_err(), "{exits:?} has a loop with several entries");
            let after = reduce(before);
            assert!(Graph::new(after.ends()).is_ok(), "{exits:?} {after:?}");
        }
    }

    #[test]
    fn long_chains_of_loops_are_reduced_soon() {
        // Every node leads to the next and back to an earlier one, and the entry leads to the middle of each.
        let count = 400;
        let mut flow = flow(&[&[1, 2]]);
        for node in 1..count {
            flow.add(Vec::new(), Exit::Branch(TEST, node + 1, (node * 7) % node.max(2)));
        }
        flow.add(Vec::new(), Exit::End);
        let after = reduce(flow);
        assert!(Graph::new(after.ends()).is_ok());
        assert!(after.blocks.len() < 20 * count, "{}", after.blocks.len());
    }
}
