//! Where invocations that are killed go on.
//!
//! A killed invocation may go on without effect (`OpKill` and `OpTerminateInvocation` by Vulkan's
//! `VK_KHR_shader_terminate_invocation`, as helpers do), and derivatives stay defined. So code behind a conditional kill does not
//! need an arm of its own: the kill goes on to the merge block of a selection around it, and what its block has assigned is forgotten.
//!
//! Not everything may follow: a loop may rely on the kill to end, an access through a pointer on being valid, and an operation
//! across invocations on whom it sees. Then the kill leaves the function.

use std::cell::Cell;

use spirv::{AddressingModel, Op};

use super::module::{FunctionBody, Module};
use crate::frontend::kit::control::{Construct, End, Graph, NONE, Node};
use crate::frontend::rows::Rows;
use crate::ir::watch::Watch;

/// Blocks that are looked at for each block of a function, for all its kills: those beyond leave the function, so that time stays
/// linear.
const VISITS: usize = 64;

/// How the blocks end when `kills`, the blocks that end so, go on where they may; nothing when none may.
pub(super) fn go_on(
    (module, body): (&Module<'_>, &FunctionBody),
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
    let calls_may_loop = blocks.any(|block| block.next_round != 0);
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

/// Whether there are addresses that no bounds check guards.
fn has_pointers(module: &Module<'_>) -> bool {
    let mut declarations = module.words.instructions().map_while(Result::ok);
    let model = declarations.find(|inst| inst.op == Op::MemoryModel);
    model.is_none_or(|inst| inst.word(0).ok() != Some(AddressingModel::Logical as u32))
}

struct Finder<'g> {
    graph: &'g Graph,
    constructs: &'g [Construct],
    /// Nodes from which killed invocations can do all that is reached.
    harmless: Rows<bool>,
    /// Visits that are left.
    left: Cell<usize>,
    watch: &'g Watch,
}

impl Finder<'_> {
    /// Counts a visit; whether there was one left.
    fn visits(&self) -> bool {
        self.watch.visit(1);
        let left = self.left.get();
        self.left.set(left.saturating_sub(1));
        left > 0
    }

    /// Walks from the exit: what follows a node is known before it, but for headers of loops, where no kill goes on.
    fn find_harmless(&mut self, body: &FunctionBody, calls_may_loop: bool) {
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

    /// The merge block of the innermost construct around a kill from which it may go on. Its dominator dominates the kill,
    /// so that the new edge leaves dominators as they are.
    fn target(&self, kill: Node) -> Option<Node> {
        let graph = self.graph;
        let mut head = kill;
        // All paths from the head to the kill are one.
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

    /// Whether a path from `start` may lead to `kill`.
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
