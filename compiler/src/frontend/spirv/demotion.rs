//! Where invocations that are killed go on.
//!
//! A killed invocation may go on without effect (`OpKill` and `OpTerminateInvocation` by Vulkan's
//! `VK_KHR_shader_terminate_invocation`, as helpers do), and derivatives stay defined. So code behind a conditional kill does not
//! need an arm of its own: the kill goes on to the merge block of a selection around it, and what its block has assigned is forgotten.
//!
//! Not everything may follow: a loop may rely on the kill to end, an access through a pointer on being valid, and an operation
//! across invocations on whom it sees. Then the kill leaves the function.

use spirv::{AddressingModel, Op};

use super::cfg::Terminator;
use super::module::{FunctionBody, Module};
use crate::frontend::kit::control::{Construct, End, Graph, NONE, Node};
use crate::frontend::rows::Rows;
use crate::ir::watch::Watch;

/// How the blocks end when kills go on where they may; nothing when none may.
pub(super) fn go_on(
    (module, body): (&Module<'_>, &FunctionBody),
    graph: &Graph,
    terminators: &[Terminator<'_>],
    constructs: &[Construct],
    watch: &Watch,
) -> Option<Vec<End>> {
    let is_kill = |(node, terminator): &(Node, &Terminator<'_>)| {
        matches!(terminator, Terminator::Kill) && graph.is_reachable(*node)
    };
    let mut kills = terminators.iter().enumerate().filter(is_kill).map(|(node, _)| node).peekable();
    kills.peek()?;
    if has_pointers(module) {
        return None;
    }
    let mut blocks = module.functions.iter().flat_map(|function| &function.blocks);
    let calls_may_loop = blocks.any(|block| block.next_round != 0);
    let finder = Finder { graph, constructs, calls_may_loop, body, watch };
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
    /// A function that is called may have a loop.
    calls_may_loop: bool,
    body: &'g FunctionBody,
    watch: &'g Watch,
}

impl Finder<'_> {
    /// The merge block of the innermost construct around a kill from which it may go on. Its dominator dominates the kill,
    /// so that the new edge leaves dominators as they are.
    fn target(&self, kill: Node) -> Option<Node> {
        let graph = self.graph;
        let mut head = kill;
        while head != graph.dominator(head) {
            head = graph.dominator(head);
            let to = self.constructs.get(head).map_or(NONE, |construct| construct.merge);
            let is_join = to != NONE && graph.is_reachable(to) && graph.dominates(graph.dominator(to), kill);
            if is_join && !graph.dominates(to, kill) && self.may_follow(to, kill) {
                return Some(to);
            }
        }
        None
    }

    /// Whether killed invocations can do all that is reached from a node, which does not lead to `kill`.
    fn may_follow(&self, start: Node, kill: Node) -> bool {
        let graph = self.graph;
        let mut seen = Rows::filled(graph.succs.len(), false);
        let mut open = vec![start];
        while let Some(node) = open.pop() {
            self.watch.visit(1);
            if node == graph.exit() || std::mem::replace(&mut seen[node], true) {
                continue;
            }
            let calls = self.body.blocks.get(node).is_some_and(|block| block.has_calls);
            let is_convergent = self.constructs.get(node).is_some_and(|construct| construct.is_convergent);
            let stays = graph.is_header(node) || is_convergent;
            if node == kill || stays || (calls && self.calls_may_loop) {
                return false;
            }
            open.extend(graph.succs[node].iter().copied());
        }
        true
    }
}
