//! Continues killed invocations at a reconvergence point.
//!
//! A killed invocation may continue without effects, like a helper (`OpKill`, and `OpTerminateInvocation` by
//! Vulkan's `VK_KHR_shader_terminate_invocation`), and derivatives stay defined. A kill in a conditional
//! block then needs no early exit: it jumps to the merge block of an enclosing selection, and the assignments
//! of its block become irrelevant.
//!
//! This is not always possible: a loop may rely on the kill to terminate, an access through a pointer on the
//! pointer being valid, and a subgroup operation on the set of active invocations. In these cases the kill
//! leaves the function.

use std::cell::Cell;

use spirv::{AddressingModel, Op};

use super::module::{FunctionBody, Module};
use crate::frontend::kit::control::{Construct, End, Graph, NONE, Node};
use crate::frontend::rows::Rows;
use crate::ir::watch::Watch;

/// Maximum number of visits per block of a function, for all of its kills; further kills leave the function,
/// so that the time stays linear.
const VISITS: usize = 64;

/// The ends of the blocks with kills redirected where possible; `None` if no kill is redirected. `kills` are
/// the blocks that end with a kill.
pub(super) fn redirect_kills(
    (module, body): (&Module<'_>, &FunctionBody<'_>),
    graph: &Graph,
    kills: impl Iterator<Item = Node>,
    constructs: &[Construct],
    watch: &Watch,
) -> Option<Vec<End>> {
    let mut kills = kills.filter(|kill| graph.is_reachable(*kill)).peekable();
    kills.peek()?;
    if has_pointers(module) {
        return None;
    }
    let mut blocks = module.functions.iter().flat_map(|function| &function.blocks);
    let calls_may_loop = blocks.any(|block| block.continue_target != 0);
    let left = Cell::new(VISITS.saturating_mul(graph.order.len()));
    let mut finder =
        Finder { graph, constructs, harmless: Rows::filled(graph.succs.len(), false), left, watch };
    finder.find_harmless(body, calls_may_loop);
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

/// Whether the module has addresses that are not bounds-checked.
fn has_pointers(module: &Module<'_>) -> bool {
    let mut declarations = module.words.instructions().map_while(Result::ok);
    let model = declarations.find(|inst| inst.op == Op::MemoryModel);
    model.is_none_or(|inst| inst.word(0).ok() != Some(AddressingModel::Logical as u32))
}

struct Finder<'g> {
    graph: &'g Graph,
    constructs: &'g [Construct],
    /// Nodes from which killed invocations may safely execute all reachable code.
    harmless: Rows<bool>,
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

    /// Walks backward from the exit: the successors of a node are known before it, except at loop headers,
    /// where no kill may continue.
    fn find_harmless(&mut self, body: &FunctionBody<'_>, calls_may_loop: bool) {
        let graph = self.graph;
        for node in graph.order.iter().rev().copied() {
            self.watch.visit(1);
            let calls = body.blocks.get(node).is_some_and(|block| block.has_calls);
            let is_convergent = self.constructs.get(node).is_some_and(|construct| construct.is_convergent);
            let stays = graph.is_header(node) || is_convergent || (calls && calls_may_loop);
            let is_harmless =
                node == graph.exit() || !stays && graph.succs[node].iter().all(|next| self.harmless[*next]);
            self.harmless[node] = is_harmless;
        }
    }

    /// The merge block of the innermost construct around a kill at which it may continue. The merge block's
    /// dominator dominates the kill, so the new edge does not change dominators.
    fn target(&self, kill: Node) -> Option<Node> {
        let graph = self.graph;
        let mut head = kill;
        // There is a single path from the head to the kill.
        let mut is_alone = true;
        while head != graph.dominator(head) && self.visits() {
            is_alone &= graph.is_entered_once(head);
            head = graph.dominator(head);
            let to = self.constructs.get(head).map_or(NONE, |construct| construct.merge);
            let is_join = to != NONE && graph.is_reachable(to) && graph.dominates(graph.dominator(to), kill);
            if is_join
                && !graph.dominates(to, kill)
                && self.harmless[to]
                && (is_alone || !self.may_lead(to, kill))
            {
                return Some(to);
            }
        }
        None
    }

    /// Whether a path from `start` may reach `kill`.
    fn may_lead(&self, start: Node, kill: Node) -> bool {
        let graph = self.graph;
        let mut seen = Rows::filled(graph.succs.len(), false);
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
