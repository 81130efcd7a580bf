//! Reconvergence points that the graph alone does not determine.
//!
//! A natural loop ends where its header can no longer be reached. Code between there and the loop's merge
//! block would run after the loop, for all invocations at once, although they leave in different iterations:
//! a subgroup operation in that code must see only the invocations that leave in the same iteration (maximal
//! reconvergence, which includes the guarantees of subgroup uniform control flow). A loop with such
//! operations therefore keeps everything that its construct contains. Other loops do not: after the loop the
//! code runs once instead of once per iteration.

use super::graph::{Graph, NONE, Node};
use crate::ir::rows::Rows;

/// The merge instruction of a block, and whether the block is convergent.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Construct {
    /// The merge block of the construct that the block heads; `NONE` if it heads none.
    pub merge: Node,
    /// For the header of a loop, its continue target.
    pub continue_target: Node,
    /// Whether an instruction in the block depends on which invocations are active.
    pub is_convergent: bool,
}

impl Graph {
    /// Extends loops to their whole construct if the rest of it contains subgroup operations. There is one
    /// construct per block.
    pub fn keep_constructs(&mut self, constructs: &[Construct]) {
        self.extend_loops(constructs);
        self.count_depths();
    }

    /// Extends loops to their whole construct if the rest of it contains subgroup operations.
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
        let mut places = self.places.clone();
        for node in self.order.iter().copied() {
            if self.is_header(node) {
                places[node].outer = kept(node, chain.outer[node]);
            } else {
                places[node].innermost = kept(node, chain.innermost[node]);
            }
        }
        // If merge instructions contradict the graph, the graph takes precedence.
        let contradicts = |node: &Node| {
            let natural = self.places[*node].innermost;
            let mut at = places[*node].innermost;
            while at != NONE && at != natural {
                at = places[at].outer;
            }
            at != natural
        };
        if !self.order.iter().any(contradicts) {
            self.places = places;
        }
    }

    /// The loops around each node according to their constructs: nodes dominated by a header and not by the
    /// merge block of its own or an enclosing construct.
    fn construct_loops(&self, constructs: &[Construct]) -> Chain {
        let count = self.succs.len();
        let mut chain = Chain { innermost: Rows::filled(count, NONE), outer: Rows::filled(count, NONE) };
        let mut owner: Rows<Option<(Node, Role)>> = Rows::filled(count, None);
        for node in self.order.iter().copied() {
            let Some(Construct { merge, continue_target, .. }) = constructs.get(node).copied() else {
                continue;
            };
            let is_loop = continue_target != NONE;
            for (target, role) in
                [(merge, if is_loop { Role::After } else { Role::Beside }), (continue_target, Role::In)]
            {
                if target != NONE && target != node {
                    owner[target].get_or_insert((node, role));
                }
            }
        }
        for node in self.order.iter().copied().filter(|node| *node != self.exit()) {
            self.watch.visit(1);
            // The entry is its own dominator and only in its own loop.
            let idom = self.dominator(node);
            let parent = if node == idom { NONE } else { idom };
            let around = match owner[node] {
                Some((head, Role::After)) if self.is_header(head) => chain.outer[head],
                // A later header cannot contain the node, whatever its merge instruction names.
                Some((head, Role::In))
                    if self.is_header(head) && self.places[head].rank < self.places[node].rank =>
                {
                    head
                }
                Some((head, _)) => chain.innermost[head],
                None if parent == NONE => NONE,
                // Without a merge instruction, the natural loop counts.
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

    /// The innermost loop, from `header` outward, that has a merge instruction or that contains the node
    /// according to the graph.
    fn without_plain(&self, chain: &Chain, constructs: &[Construct], node: Node, header: Node) -> Node {
        let mut at = header;
        let is_plain = |node: Node| constructs.get(node).is_none_or(|construct| construct.merge == NONE);
        while at != NONE && is_plain(at) && !self.is_in_loop(node, at) {
            at = chain.outer[at];
        }
        at
    }
}

/// The loops around nodes.
struct Chain {
    innermost: Rows<Node>,
    outer: Rows<Node>,
}

/// The role of a node for a header whose merge instruction names it.
#[derive(Clone, Copy)]
enum Role {
    /// The merge block of its loop.
    After,
    /// Its continue target.
    In,
    /// The merge block of its selection.
    Beside,
}

#[cfg(test)]
mod tests {
    use agx_random::Random;

    use super::super::graph::End;
    use super::super::structurize;
    use super::*;

    /// A graph of `count` blocks with random ends and merge instructions, most of which contradict the graph.
    fn random(random: &mut Random, count: usize) -> (Vec<End>, Vec<Construct>) {
        let mut ends = Vec::with_capacity(count);
        let mut constructs = Vec::with_capacity(count);
        for block in 0..count {
            let mut target = || 1 + random.below(count - 1);
            let (then, otherwise) = (target(), target());
            let (merge, continue_target) = (target(), target());
            ends.push(match (block + 1 == count, then == otherwise) {
                (true, _) => End::Leave,
                (false, true) => End::Jump(then),
                (false, false) => End::Branch { then, otherwise },
            });
            let named = |node: Node, is_named: bool| if is_named { node } else { NONE };
            let heads = random.flip();
            constructs.push(Construct {
                merge: named(merge, heads),
                continue_target: named(continue_target, heads && random.flip()),
                is_convergent: random.flip(),
            });
        }
        (ends, constructs)
    }

    #[test]
    fn merge_instructions_that_contradict_the_graph_nest_no_loop_in_itself() {
        let mut loops = 0;
        for seed in 0..20_000 {
            let mut numbers = Random::new(seed);
            let count = 3 + numbers.below(7);
            let (ends, constructs) = random(&mut numbers, count);
            // Irreducible graphs are rejected.
            let Ok(mut graph) = Graph::new(ends) else { continue };
            let chain = graph.construct_loops(&constructs);
            for node in 0..count {
                let mut at = chain.outer[node];
                for _ in 0..count {
                    at = if at == NONE { NONE } else { chain.outer[at] };
                }
                assert_eq!(at, NONE, "seed {seed}: the loops around block {node} are a circle");
            }
            graph.keep_constructs(&constructs);
            structurize(&graph);
            loops += graph.order.iter().filter(|node| graph.is_header(**node)).count();
        }
        assert!(loops > 1000, "{loops} loops were tried");
    }
}
