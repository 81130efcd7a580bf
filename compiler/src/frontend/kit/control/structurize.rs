//! Structures a graph: which constructs to open and close, and where to jump.
//!
//! The method follows Ramsey, "Beyond Relooper" (2022): a node's code is nested in that of its immediate
//! dominator; nodes where forward edges join follow a scope, and edges to them leave the scope. There are two
//! differences for this hardware: a loop contains only the nodes that can reach its header again, so that
//! invocations wait for each other after the loop; and jumps to the next code are omitted, together with
//! scopes without jumps out of them.

use super::graph::{End, Graph, NONE, Node};
use crate::ir::rows::Rows;

/// A step of the plan, in program order.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Step {
    /// Everything that a node dominates is between this and its [`Step::End`].
    Begin(Node),
    /// The end of the node's region.
    End(Node),
    /// The instructions of a block.
    Block(Node),
    /// An if on the condition of the block's terminator.
    If(Node),
    /// An if on whether the selector of the block's terminator is one of the literals that lead to a node.
    Case(Node, Node),
    /// The other arm of an if or case.
    Else,
    /// The end of an if or case.
    EndIf,
    /// A loop.
    Loop {
        /// Its header.
        header: Node,
        /// The node after it, the target of breaks; `NONE` if there is none.
        follow: Node,
    },
    /// The end of a loop.
    EndLoop,
    /// A scope; the node follows it.
    Scope(Node),
    /// The end of a scope.
    EndScope(Node),
    /// Control passes from one node to another: the values of phis are set.
    Edge(Node, Node),
    /// Jumps to the node that follows a scope or loop.
    Break(Node),
    /// Jumps back to a header.
    Continue(Node),
}

/// Where control continues without a jump.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Fall {
    /// The caller's code.
    Out,
    /// A node.
    To(Node),
    /// The next iteration of a loop.
    Again(Node),
}

/// The structure of a function.
pub struct Plan {
    /// Steps in program order.
    pub steps: Vec<Step>,
    /// Whether there is a jump to the node, so that the scope before it is needed.
    pub is_target: Rows<bool>,
    /// By position in `steps`: for a `Begin` its `End`, for an if its `Else`, for an `Else` its `EndIf`.
    pub partner: Rows<usize>,
}

/// Remaining work, last first.
enum Task {
    Emit(Step),
    Place(Node, Fall),
    Edge(Node, Node, Fall),
    Branch(Node, Fall),
    /// The cases of a switch, starting at a position in its list of targets.
    Cases(Node, usize, Fall),
}

/// The placement of a node's code.
#[derive(Clone, Default)]
struct Place {
    /// Nodes that follow scopes around its own code, in order.
    inside: Vec<Node>,
    /// Nodes that follow the loop that it is the header of, in order.
    after: Vec<Node>,
    /// It follows a scope or loop, so it is reached by a jump or by falling through rather than nested in place.
    is_follow: bool,
}

/// The placement of every node's code.
type Layout = Rows<Place>;

/// Finds the structure of a graph.
pub fn structurize(graph: &Graph) -> Plan {
    if graph.is_straight() {
        return straight();
    }
    general(graph)
}

/// The plan of a single block and the exit.
fn straight() -> Plan {
    use Step::{Begin, Block, Edge, End};
    Plan {
        steps: vec![Begin(0), Block(0), Edge(0, 1), Begin(1), Block(1), End(1), End(0)],
        is_target: Rows::filled(2, false),
        partner: Rows::of(vec![6, 1, 2, 5, 4, 5, 6]),
    }
}

fn general(graph: &Graph) -> Plan {
    let layout = lay_out(graph);
    let is_target = Rows::filled(graph.succs.len(), false);
    // A node has at least a beginning, its code, an edge and an end. Most have an if or a scope too.
    let steps = Vec::with_capacity(graph.succs.len().saturating_mul(6));
    let mut plan = Plan { steps, is_target, partner: Rows::default() };
    let mut tasks = Vec::with_capacity(graph.succs.len().saturating_mul(3).saturating_add(8));
    tasks.push(Task::Place(0, Fall::Out));
    while let Some(task) = tasks.pop() {
        graph.watch.visit(1);
        match task {
            Task::Emit(step) => plan.steps.push(step),
            Task::Place(node, fall) => place(graph, &layout, &mut tasks, node, fall),
            Task::Edge(from, to, fall) => edge(graph, &layout, &mut plan, &mut tasks, (from, to), fall),
            Task::Branch(node, fall) => branch(graph, &mut plan, &mut tasks, node, fall),
            Task::Cases(node, position, fall) => cases(graph, &mut plan, &mut tasks, (node, position), fall),
        }
    }
    plan.partner = partners(&plan.steps);
    plan
}

/// Matching steps: see [`Plan::partner`]. Steps without a partner are their own.
fn partners(steps: &[Step]) -> Rows<usize> {
    let mut partner = Rows::of((0..steps.len()).collect());
    let mut open = Vec::new();
    for (position, step) in steps.iter().enumerate() {
        match step {
            Step::Begin(_) | Step::If(_) | Step::Case(..) => open.push(position),
            Step::Else | Step::End(_) | Step::EndIf => {
                if let Some(begin) = open.pop() {
                    partner[begin] = position;
                }
                if *step == Step::Else {
                    open.push(position);
                }
            }
            _ => {}
        }
    }
    partner
}

/// Determines for every node whether its code is nested in, or follows, that of its dominator. A node outside
/// a loop that contains its dominator follows the outermost such loop.
fn lay_out(graph: &Graph) -> Layout {
    let mut layout = Layout::filled(graph.succs.len(), Place::default());
    for node in graph.order.iter().copied().skip(1) {
        graph.watch.visit(1);
        let parent = graph.dominator(node);
        let mut left = NONE;
        let mut at = graph.places[parent].innermost;
        while at != NONE && !graph.is_in_loop(node, at) {
            left = at;
            at = graph.places[at].outer;
        }
        if left != NONE {
            layout[left].after.push(node);
            layout[node].is_follow = true;
        } else if graph.places[node].forward_preds > 1 {
            layout[parent].inside.push(node);
            layout[node].is_follow = true;
        }
    }
    layout
}

/// Plans a node with everything it dominates.
fn place(graph: &Graph, layout: &Layout, tasks: &mut Vec<Task>, node: Node, fall: Fall) {
    let Place { inside, after, .. } = &layout[node];
    let is_loop = graph.is_header(node);
    let first = tasks.len();
    tasks.push(Task::Emit(Step::Begin(node)));
    for follow in after.iter().skip(1).rev() {
        tasks.push(Task::Emit(Step::Scope(*follow)));
    }
    if is_loop {
        let follow = after.first().copied().unwrap_or(NONE);
        tasks.push(Task::Emit(Step::Loop { header: node, follow }));
    }
    for follow in inside.iter().rev() {
        tasks.push(Task::Emit(Step::Scope(*follow)));
    }
    tasks.push(Task::Emit(Step::Block(node)));
    let end = if is_loop { Fall::Again(node) } else { fall };
    let next =
        |list: &[Node], position: usize, end: Fall| list.get(position).map_or(end, |node| Fall::To(*node));
    tasks.push(Task::Branch(node, next(inside, 0, end)));
    for (position, follow) in inside.iter().enumerate() {
        tasks.push(Task::Emit(Step::EndScope(*follow)));
        tasks.push(Task::Place(*follow, next(inside, position.saturating_add(1), end)));
    }
    if is_loop {
        tasks.push(Task::Emit(Step::EndLoop));
    }
    for (position, follow) in after.iter().enumerate() {
        if position > 0 {
            tasks.push(Task::Emit(Step::EndScope(*follow)));
        }
        tasks.push(Task::Place(*follow, next(after, position.saturating_add(1), fall)));
    }
    tasks.push(Task::Emit(Step::End(node)));
    // The last task is processed first.
    if let Some(tasks) = tasks.get_mut(first..) {
        tasks.reverse();
    }
}

/// Plans the transfer from one node to another.
fn edge(
    graph: &Graph,
    layout: &Layout,
    plan: &mut Plan,
    tasks: &mut Vec<Task>,
    (from, to): (Node, Node),
    fall: Fall,
) {
    plan.steps.push(Step::Edge(from, to));
    if graph.is_back_edge(from, to) {
        if fall != Fall::Again(to) {
            plan.steps.push(Step::Continue(to));
        }
    } else if layout[to].is_follow {
        if fall != Fall::To(to) {
            plan.is_target[to] = true;
            plan.steps.push(Step::Break(to));
        }
    } else {
        tasks.push(Task::Place(to, fall));
    }
}

/// Plans the terminator of a node.
fn branch(graph: &Graph, plan: &mut Plan, tasks: &mut Vec<Task>, node: Node, fall: Fall) {
    let Some(end) = graph.ends.get(node) else { return };
    match *end {
        End::Jump(to) => tasks.push(Task::Edge(node, to, fall)),
        End::Leave => tasks.push(Task::Edge(node, graph.exit(), fall)),
        End::Branch { then, otherwise } => {
            plan.steps.push(Step::If(node));
            tasks.push(Task::Emit(Step::EndIf));
            tasks.push(Task::Edge(node, otherwise, fall));
            tasks.push(Task::Emit(Step::Else));
            tasks.push(Task::Edge(node, then, fall));
        }
        End::Switch { .. } => tasks.push(Task::Cases(node, 0, fall)),
    }
}

/// Plans the targets of a switch, the default last.
fn cases(graph: &Graph, plan: &mut Plan, tasks: &mut Vec<Task>, (node, position): (Node, usize), fall: Fall) {
    // The default comes last among the successors.
    let Some((default, targets)) = graph.succs[node].split_last() else { return };
    match targets.get(position).copied() {
        Some(to) => {
            plan.steps.push(Step::Case(node, to));
            tasks.push(Task::Emit(Step::EndIf));
            tasks.push(Task::Cases(node, position.saturating_add(1), fall));
            tasks.push(Task::Emit(Step::Else));
            tasks.push(Task::Edge(node, to, fall));
        }
        None => tasks.push(Task::Edge(node, *default, fall)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_single_block_is_planned_as_any_other() {
        let graph = Graph::new(vec![End::Leave]).expect("a graph without loops");
        let (straight, general) = (straight(), general(&graph));
        assert_eq!((straight.steps, straight.is_target), (general.steps, general.is_target));
        assert_eq!(straight.partner, general.partner);
    }
}
