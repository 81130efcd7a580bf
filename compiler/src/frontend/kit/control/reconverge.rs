//! Where invocations come together again, as far as the graph alone does not tell it.
//!
//! A natural loop ends where its header cannot be reached any more. Code on the way from there to the loop's merge block
//! would run after the loop, for all invocations at once, though they leave in different iterations: an operation across
//! lanes there must see only those that leave in the same iteration (maximal reconvergence, which contains what subgroup uniform
//! control flow promises). So a loop that has such operations there keeps everything that its construct contains. Other loops
//! do not: after the loop the code runs once instead of once an iteration.

use super::graph::{Graph, NONE, Node};
use crate::frontend::rows::Rows;

/// What the merge instruction of a block says, and what the block does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Construct {
    /// Where the construct that the block heads ends; `NONE` when it heads none.
    pub merge: Node,
    /// For the header of a loop, its continue target.
    pub next_round: Node,
    /// Something in the block depends on which invocations are active.
    pub is_convergent: bool,
}

impl Graph {
    /// Makes loops contain their whole construct where operations across lanes stand in the rest of it: one construct for each
    /// block.
    pub fn keep_constructs(&mut self, constructs: &[Construct]) {
        self.extend_loops(constructs);
        self.count_depths();
    }

    /// Makes loops contain their whole construct where operations across lanes stand in the rest of it.
    fn extend_loops(&mut self, constructs: &[Construct]) {
        if constructs.iter().all(|construct| !construct.is_convergent) {
            return;
        }
        let chain = self.construct_loops(constructs);
        let mut needs = Rows::filled(self.succs.len(), false);
        let is_convergent = |node: &Node| constructs.get(*node).is_some_and(|node| node.is_convergent);
        for node in self.order.iter().copied().filter(is_convergent) {
            self.watch.visit(1);
            let mut header = chain.innermost[node];
            while header != NONE {
                needs[header] |= !self.is_in_loop(node, header);
                header = chain.outer[header];
            }
        }
        if needs.iter().all(|needs| !needs) {
            return;
        }
        let kept = |node: Node, from: Node| {
            let mut header = from;
            while header != NONE && !needs[header] && !self.is_in_loop(node, header) {
                header = chain.outer[header];
            }
            header
        };
        let mut innermost = self.innermost.clone();
        let mut outer = self.outer.clone();
        for node in self.order.iter().copied() {
            if self.is_header(node) {
                outer[node] = kept(node, chain.outer[node]);
            } else {
                innermost[node] = kept(node, chain.innermost[node]);
            }
        }
        // Merge instructions that contradict the graph: it is the graph that counts.
        let contradicts = |node: &Node| {
            let natural = self.innermost[*node];
            let mut at = innermost[*node];
            while at != NONE && at != natural {
                at = outer[at];
            }
            at != natural
        };
        if !self.order.iter().any(contradicts) {
            (self.innermost, self.outer) = (innermost, outer);
        }
    }

    /// The loops around each node by their constructs: what a header dominates and no merge block around it or of its own
    /// does.
    fn construct_loops(&self, constructs: &[Construct]) -> Chain {
        let count = self.succs.len();
        let mut chain = Chain { innermost: Rows::filled(count, NONE), outer: Rows::filled(count, NONE) };
        let mut owner: Rows<Option<(Node, Role)>> = Rows::filled(count, None);
        for node in self.order.iter().copied() {
            let Some(Construct { merge, next_round, .. }) = constructs.get(node).copied() else { continue };
            let is_loop = next_round != NONE;
            for (target, role) in
                [(merge, if is_loop { Role::After } else { Role::Beside }), (next_round, Role::In)]
            {
                if target != NONE && target != node {
                    owner[target].get_or_insert((node, role));
                }
            }
        }
        for node in self.order.iter().copied().filter(|node| *node != self.exit()) {
            self.watch.visit(1);
            // The entry is its own dominator and in no loop but its own.
            let parent = if node == self.idom[node] { NONE } else { self.idom[node] };
            let around = match owner[node] {
                Some((head, Role::After)) if self.is_header(head) => chain.outer[head],
                Some((head, Role::In)) if self.is_header(head) => head,
                Some((head, _)) => chain.innermost[head],
                None if parent == NONE => NONE,
                // Without a merge instruction a loop is what can come back.
                None => self.without_plain(&chain, constructs, node, chain.innermost[parent]),
            };
            if self.is_header(node) {
                chain.outer[node] = around;
                chain.innermost[node] = node;
            } else {
                chain.innermost[node] = around;
            }
        }
        chain
    }

    /// The innermost loop from `header` on that has a merge instruction or that the node is in by the graph.
    fn without_plain(&self, chain: &Chain, constructs: &[Construct], node: Node, header: Node) -> Node {
        let mut at = header;
        let is_plain = |node: Node| constructs.get(node).is_none_or(|construct| construct.merge == NONE);
        while at != NONE && is_plain(at) && !self.is_in_loop(node, at) {
            at = chain.outer[at];
        }
        at
    }
}

/// Loops around nodes.
struct Chain {
    innermost: Rows<Node>,
    outer: Rows<Node>,
}

/// What a node is to the header that names it.
#[derive(Clone, Copy)]
enum Role {
    /// The merge block of its loop.
    After,
    /// Its continue target.
    In,
    /// The merge block of its selection.
    Beside,
}
