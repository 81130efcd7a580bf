//! The control-flow graph of a function body: reachable blocks, order, dominators, loops.

use super::lists::Lists;
pub use super::lists::Node;
use crate::error::{CompileError, KitError};
use crate::ir::rows::Rows;
use crate::ir::watch::Watch;

/// No node.
pub const NONE: Node = usize::MAX;

/// How a block ends.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum End {
    /// Continues at one block.
    Jump(Node),
    /// Continues at one of two different blocks.
    Branch {
        /// The target if the condition holds.
        then: Node,
        /// The target if it does not hold.
        otherwise: Node,
    },
    /// Continues at one of several blocks.
    Switch {
        /// The targets of matching literals: ascending, each once, without the default.
        targets: Vec<Node>,
        /// The target if none matches.
        default: Node,
    },
    /// Returns from the function.
    Leave,
}

impl End {
    /// Successors, each once; the default of a switch last.
    fn successors(&self, exit: Node) -> impl Iterator<Item = Node> + '_ {
        let (first, last): (&[Node], _) = match self {
            End::Jump(to) => (&[], *to),
            End::Branch { then, otherwise } => (std::slice::from_ref(then), *otherwise),
            End::Switch { targets, default } => (targets, *default),
            End::Leave => (&[], exit),
        };
        first.iter().copied().chain([last])
    }
}

/// The graph of a function. The entry is node 0.
pub struct Graph {
    /// How each block ends.
    pub ends: Vec<End>,
    /// Successors, each once.
    pub succs: Lists,
    /// Reachable nodes in reverse post-order.
    pub order: Vec<Node>,
    /// The place of each node.
    pub(super) places: Rows<Place>,
    /// Counts visited nodes.
    pub(super) watch: Watch,
}

/// The place of a node in the order, among the dominators, and in loops.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Place {
    /// Position in [`Graph::order`]; `NONE` for unreachable nodes.
    pub rank: usize,
    /// Immediate dominator; the entry is its own.
    pub idom: Node,
    /// Position in the dominator tree, parents before children, and number of nodes it dominates.
    subtree: (u32, u32),
    /// Header of the innermost loop that contains it; for a header, its own loop.
    pub innermost: Node,
    /// For a header, the header of the loop around its own.
    pub outer: Node,
    /// For a header, the number of loops around its own.
    loop_depth: u32,
    /// Number of edges into it other than back edges.
    pub forward_preds: usize,
}

impl Place {
    /// That of a node that is not reached.
    const NOWHERE: Place = Place {
        rank: NONE,
        idom: NONE,
        subtree: (0, 1),
        innermost: NONE,
        outer: NONE,
        loop_depth: 0,
        forward_preds: 0,
    };
}

impl Graph {
    /// The graph of blocks with these ends; there must be at least one block, and every target must be one.
    ///
    /// # Errors
    /// Loops with several entries.
    pub fn new(ends: Vec<End>) -> Result<Self, CompileError> {
        Graph::watched(ends, Watch::default())
    }

    /// Like [`Graph::new`], with `watch` counting nodes.
    ///
    /// # Errors
    /// Same as [`Graph::new`].
    pub(crate) fn watched(ends: Vec<End>, watch: Watch) -> Result<Self, CompileError> {
        if ends == [End::Leave] {
            return Ok(Graph::straight(ends, watch));
        }
        Graph::general(ends, watch)
    }

    /// The graph of a single block, the most common case.
    fn straight(ends: Vec<End>, watch: Watch) -> Self {
        let mut succs = Lists::with_capacity(2, 1);
        succs.push([1]);
        succs.push([]);
        let entry = Place { rank: 0, idom: 0, subtree: (0, 2), ..Place::NOWHERE };
        let exit = Place { rank: 1, idom: 0, subtree: (1, 1), forward_preds: 1, ..Place::NOWHERE };
        let places = Rows::of(vec![entry, exit]);
        Graph { ends, succs, order: vec![0, 1], places, watch }
    }

    /// Whether there is only one block.
    pub(super) fn is_straight(&self) -> bool {
        self.ends == [End::Leave]
    }

    fn general(ends: Vec<End>, watch: Watch) -> Result<Self, CompileError> {
        let count = ends.len();
        let nodes = count.saturating_add(1);
        let mut succs = Lists::with_capacity(nodes, count.saturating_mul(2));
        ends.iter().for_each(|end| succs.push(end.successors(count)));
        succs.push([]);
        let mut graph = Graph {
            ends,
            order: post_order(&succs, &watch),
            succs,
            places: Rows::filled(nodes, Place::NOWHERE),
            watch,
        };
        graph.order.reverse();
        for (position, node) in graph.order.iter().enumerate() {
            graph.places[*node].rank = position;
        }
        let preds = graph.succs.reversed(&graph.order);
        graph.find_dominators(&preds);
        graph.number_dominator_tree();
        graph.find_loops(&preds)?;
        Ok(graph)
    }

    /// Whether a node is reachable.
    pub fn is_reachable(&self, node: Node) -> bool {
        self.places.row(node).is_some_and(|place| place.rank != NONE)
    }

    /// The immediate dominator of a reachable node; the entry is its own.
    pub fn dominator(&self, node: Node) -> Node {
        self.places[node].idom
    }

    /// Whether a node has exactly one incoming edge, not counting back edges.
    pub fn is_entered_once(&self, node: Node) -> bool {
        self.places[node].forward_preds == 1
    }

    /// The node that all returns lead to.
    pub fn exit(&self) -> Node {
        self.ends.len()
    }

    /// Whether the edge goes backward in the order; in a reducible graph, such an edge leads to a loop
    /// header.
    pub fn is_back_edge(&self, from: Node, to: Node) -> bool {
        self.places[to].rank <= self.places[from].rank
    }

    /// Whether `node` is the header of a loop.
    pub fn is_header(&self, node: Node) -> bool {
        self.places[node].innermost == node
    }

    /// The header of the innermost loop that contains `node`; `NONE` if there is none.
    pub fn innermost_loop(&self, node: Node) -> Node {
        self.places[node].innermost
    }

    /// The header of the loop around the one of `header`; `NONE` if there is none.
    pub fn outer_loop(&self, header: Node) -> Node {
        self.places[header].outer
    }

    /// Whether `node` is in the loop of `header`.
    pub fn is_in_loop(&self, node: Node, header: Node) -> bool {
        let (mut at, depth) = (self.places[node].innermost, self.places[header].loop_depth);
        while at != NONE && self.places[at].loop_depth > depth {
            at = self.places[at].outer;
        }
        at == header
    }

    /// Computes immediate dominators by the algorithm of Cooper, Harvey and Kennedy.
    fn find_dominators(&mut self, preds: &Lists) {
        let Some(entry) = self.order.first() else { return };
        self.places[*entry].idom = *entry;
        let mut changed = true;
        while changed {
            changed = false;
            for node in self.order.iter().skip(1) {
                self.watch.visit(1);
                let mut found = NONE;
                for pred in preds[*node].iter().filter(|pred| self.places[**pred].idom != NONE) {
                    found = if found == NONE { *pred } else { self.common(found, *pred) };
                }
                let idom = &mut self.places[*node].idom;
                changed |= *idom != found;
                *idom = found;
            }
        }
    }

    fn common(&self, mut a: Node, mut b: Node) -> Node {
        while a != b {
            while self.places[a].rank > self.places[b].rank {
                a = self.places[a].idom;
            }
            while self.places[b].rank > self.places[a].rank {
                b = self.places[b].idom;
            }
        }
        a
    }

    /// Whether every path to `b` passes `a`. Both are reachable.
    pub fn dominates(&self, a: Node, b: Node) -> bool {
        let ((start, count), (position, _)) = (self.places[a].subtree, self.places[b].subtree);
        position.checked_sub(start).is_some_and(|after| after < count)
    }

    fn number_dominator_tree(&mut self) {
        for node in self.order.iter().skip(1).rev() {
            let Place { subtree: (_, count), idom, .. } = self.places[*node];
            let (_, whole) = &mut self.places[idom].subtree;
            *whole = whole.saturating_add(count);
        }
        let mut next = Rows::filled(self.succs.len(), 1u32);
        for node in self.order.iter().skip(1) {
            let parent = self.places[*node].idom;
            let place = self.places[parent].subtree.0.saturating_add(next[parent]);
            let (start, count) = &mut self.places[*node].subtree;
            *start = place;
            next[parent] = next[parent].saturating_add(*count);
        }
    }

    /// Finds natural loops, inner ones first, and rejects graphs with loops of several entries.
    fn find_loops(&mut self, preds: &Lists) -> Result<(), CompileError> {
        // For a header, the outermost loop known to contain its own, with path compression.
        let mut outermost = Rows::of((0..self.succs.len()).collect());
        let mut work = Vec::new();
        for position in (0..self.order.len()).rev() {
            let Some(header) = self.order.get(position).copied() else { continue };
            self.watch.visit(1);
            for pred in &preds[header] {
                if !self.is_back_edge(*pred, header) {
                    let count = &mut self.places[header].forward_preds;
                    *count = count.saturating_add(1);
                } else if self.dominates(header, *pred) {
                    work.push(*pred);
                } else {
                    return Err(KitError::Irreducible.into());
                }
            }
            if !work.is_empty() {
                self.collect_loop(header, &mut work, preds, &mut outermost);
            }
        }
        self.count_depths();
        Ok(())
    }

    pub(super) fn count_depths(&mut self) {
        for node in self.order.iter().copied() {
            let outer = self.places[node].outer;
            let depth = if outer == NONE { 0 } else { self.places[outer].loop_depth.saturating_add(1) };
            self.places[node].loop_depth = depth;
        }
    }

    /// Assigns the nodes that reach `header` without leaving the loop to its loop. Loops found earlier are
    /// nested inside.
    fn collect_loop(
        &mut self,
        header: Node,
        work: &mut Vec<Node>,
        preds: &Lists,
        outermost: &mut Rows<Node>,
    ) {
        self.places[header].innermost = header;
        while let Some(node) = work.pop() {
            self.watch.visit(1);
            let inner = self.places[node].innermost;
            if inner == NONE {
                self.places[node].innermost = header;
                work.extend(preds[node].iter().copied());
                continue;
            }
            let found = follow(outermost, inner);
            if found != header {
                self.places[found].outer = header;
                outermost[found] = header;
                work.extend(preds[found].iter().copied().filter(|pred| !self.is_back_edge(*pred, found)));
            }
        }
    }
}

/// The end of a chain of links, with path halving.
fn follow(links: &mut Rows<Node>, mut node: Node) -> Node {
    while links[node] != node {
        links[node] = links[links[node]];
        node = links[node];
    }
    node
}

/// Nodes reachable from the first in post-order, without recursion.
fn post_order(succs: &Lists, watch: &Watch) -> Vec<Node> {
    let mut seen = Rows::filled(succs.len(), false);
    let mut order = Vec::with_capacity(succs.len());
    let mut stack = Vec::with_capacity(succs.len());
    stack.push((0, succs[0].len()));
    seen[0] = true;
    while let Some((node, left)) = stack.last_mut() {
        watch.visit(1);
        let node = *node;
        let last = left.checked_sub(1);
        match last.and_then(|index| Some((index, *succs[node].get(index)?))) {
            Some((index, next)) => {
                *left = index;
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_single_block_gives_the_same_result_as_the_general_case() {
        let straight = Graph::straight(vec![End::Leave], Watch::default());
        let general = Graph::general(vec![End::Leave], Watch::default()).expect("a graph without loops");
        assert_eq!((&straight.order, &straight.places), (&general.order, &general.places));
        assert_eq!((&straight.succs[0], &straight.succs[1]), (&general.succs[0], &general.succs[1]));
    }
}
