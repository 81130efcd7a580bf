//! Continues killed invocations as helpers.
//!
//! A killed invocation may continue without effects, like a helper (`OpKill`, and `OpTerminateInvocation` by
//! Vulkan's `VK_KHR_shader_terminate_invocation`), and programs expect that the derivatives of its neighbours stay right.
//! So a kill goes on at the merge block of the innermost selection around it, as a demotion would, and the assignments of
//! its block become irrelevant. Values that the rest reads but the killed invocation did not compute are repaired when the
//! function is complete ([`repair_dominance`](crate::ssa::dominance_repair)), `lower_retired` lets it leave
//! loops that only killed invocations execute, and it reads zeros at addresses that are not bounds-checked, which the kill
//! may have guarded.
//!
//! A construct contains what its header dominates, but not what follows its merge block or is reached by leaving a construct
//! around it.
//!
//! A kill does not go on in a loop that nothing but kills leaves: it leaves the loop. A kill leaves the function if no merge
//! block can be reached, or if helpers take part in its operations on the subgroup.

use std::cell::Cell;

use spirv::ExecutionMode;

use super::module::Module;
use crate::frontend::kit::control::{Construct, End, Graph, NONE, Node};
use crate::ir::rows::Rows;
use crate::ir::watch::Watch;

/// Maximum number of visits per block of a function, for all of its kills; further kills leave the function,
/// so that the time stays linear.
const VISITS: usize = 64;

/// The ends of the blocks with kills redirected where possible; `None` if no kill is redirected. `kills` are
/// the blocks that end with a kill.
pub(super) fn redirect_kills(
    module: &Module<'_>,
    graph: &Graph,
    kills: impl Iterator<Item = Node>,
    constructs: &[Construct],
    watch: &Watch,
) -> Option<Vec<End>> {
    let kills: Vec<Node> = kills.filter(|kill| graph.is_reachable(*kill)).collect();
    if kills.is_empty() || helpers_take_part(module) {
        return None;
    }
    let left = Cell::new(VISITS.saturating_mul(graph.order.len()));
    let (is_left, joins) = (left_loops(graph, &kills, watch), joins(graph, constructs));
    let finder = Finder { graph, constructs, joins, is_left, left, watch };
    let mut ends = None;
    for kill in kills {
        if let Some(to) = finder.target(kill)
            && let Some(end) = ends.get_or_insert_with(|| graph.ends.clone()).get_mut(kill)
        {
            *end = End::Jump(to);
        }
    }
    ends
}

/// A node where a construct ends, or the continue target of a loop.
#[derive(Clone, Copy)]
struct Join {
    header: Node,
    /// The node is in the construct of the header, as a continue target is.
    is_inside: bool,
}

/// The merge blocks and continue targets of the constructs.
fn joins(graph: &Graph, constructs: &[Construct]) -> Rows<Option<Join>> {
    let mut joins: Rows<Option<Join>> = Rows::filled(graph.succs.len(), None);
    for header in graph.order.iter().copied() {
        let Some(construct) = constructs.get(header) else { continue };
        for (node, is_inside) in [(construct.merge, false), (construct.continue_target, true)] {
            if graph.is_reachable(node) && node != header && graph.dominates(header, node) {
                joins[node].get_or_insert(Join { header, is_inside });
            }
        }
    }
    joins
}

/// Whether helpers take part in operations on the subgroup, which killed invocations must not.
fn helpers_take_part(module: &Module<'_>) -> bool {
    let reconverges =
        |(_, mode, _): &(u32, u32, &[u32])| *mode == ExecutionMode::MaximallyReconvergesKHR as u32;
    module.is_convergent && module.modes().iter().any(reconverges)
}

/// For headers of loops, whether something other than a kill leaves the loop.
fn left_loops(graph: &Graph, kills: &[Node], watch: &Watch) -> Rows<bool> {
    // Nodes from which every path leads to a kill; not on a loop, whose back edges are passed later.
    let mut is_doomed = Rows::filled(graph.succs.len(), false);
    kills.iter().for_each(|kill| is_doomed[*kill] = true);
    let mut is_left = Rows::filled(graph.succs.len(), false);
    for node in graph.order.iter().rev().copied().filter(|node| *node != graph.exit()) {
        watch.visit(1);
        let nexts = &graph.succs[node];
        is_doomed[node] |= nexts.iter().all(|next| is_doomed[*next] && !graph.is_back_edge(node, *next));
        for next in nexts.iter().copied().filter(|next| !is_doomed[node] && !is_doomed[*next]) {
            let mut header = graph.innermost_loop(node);
            while header != NONE && !graph.is_in_loop(next, header) {
                is_left[header] = true;
                header = graph.outer_loop(header);
            }
        }
    }
    is_left
}

struct Finder<'g> {
    graph: &'g Graph,
    constructs: &'g [Construct],
    joins: Rows<Option<Join>>,
    /// For headers of loops: something other than a kill leaves the loop.
    is_left: Rows<bool>,
    /// Remaining visits.
    left: Cell<usize>,
    watch: &'g Watch,
}

impl Finder<'_> {
    /// Counts a visit; returns whether the limit allowed it.
    fn visits(&self) -> bool {
        self.watch.visit(1);
        let left = self.left.get();
        self.left.set(left.saturating_sub(1));
        left > 0
    }

    /// The merge block of the innermost construct around a kill at which it may continue.
    fn target(&self, kill: Node) -> Option<Node> {
        let graph = self.graph;
        let mut head = kill;
        // There is a single path from the head to the kill.
        let mut is_alone = true;
        while head != graph.dominator(head) && self.visits() {
            is_alone &= graph.is_entered_once(head);
            if let Some(join) = self.joins[head] {
                // Constructs between the header and here were left.
                (head, is_alone) = (join.header, false);
                if !join.is_inside {
                    continue;
                }
            } else {
                head = graph.dominator(head);
            }
            let to = self.constructs.get(head).map_or(NONE, |construct| construct.merge);
            if to != NONE
                && graph.is_reachable(to)
                && !graph.dominates(to, kill)
                && self.may_enter(to, kill)
                && (is_alone || !self.may_lead(to, kill, head))
            {
                return Some(to);
            }
        }
        None
    }

    /// Whether an edge from the kill keeps the loops around `to` single-entry, and all of them end.
    fn may_enter(&self, to: Node, kill: Node) -> bool {
        let graph = self.graph;
        let mut header = graph.innermost_loop(to);
        while header != NONE {
            if !(self.is_left[header] && self.visits() && (header == to || graph.dominates(header, kill))) {
                return false;
            }
            header = graph.outer_loop(header);
        }
        true
    }

    /// Whether a path from `start` may reach `kill` without `head`, which dominates it.
    fn may_lead(&self, start: Node, kill: Node, head: Node) -> bool {
        let graph = self.graph;
        let mut seen = Rows::filled(graph.succs.len(), false);
        seen[head] = true;
        let mut open = vec![start];
        while let Some(node) = open.pop() {
            if node == kill || !self.visits() {
                return true;
            }
            if !std::mem::replace(&mut seen[node], true) {
                open.extend(graph.succs[node].iter().copied());
            }
        }
        false
    }
}
