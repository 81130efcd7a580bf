//! Structured control flow from a graph of blocks.
//!
//! A language with structured control flow uses `ir::Builder`'s `begin_if`, `begin_loop`
//! and `begin_scope` directly. A language with jumps creates a [`Graph`], implements [`Body`] and calls
//! [`build`].
//!
//! ```
//! use agx_abi::Stage;
//! use agx_compiler::internal::frontend::kit::Kit;
//! use agx_compiler::internal::frontend::kit::control::{Body, End, Graph, Node, build};
//! use agx_compiler::internal::frontend::ssa::Variable;
//! use agx_compiler::internal::ir::build::alu::IntCond;
//! use agx_compiler::internal::ir::{Arithmetic, Function, IrOp, Src};
//! use agx_compiler::{CompileError, CompileKey};
//! use bumpalo::Bump;
//!
//! /// Counts to ten: block 0 comes back to itself.
//! struct Count(Variable);
//!
//! impl<'f, 'a> Body<'f, 'a> for Count {
//!     fn block(&mut self, kit: &mut Kit<'f, 'a>, node: Node) -> Result<(), CompileError> {
//!         if node == 0 {
//!             let number = kit.vars.read(&mut kit.b, self.0);
//!             let next = kit.b.iadd(number, Src::imm32(1));
//!             kit.vars.write(&kit.b, self.0, next);
//!         }
//!         Ok(())
//!     }
//!
//!     fn condition(&mut self, kit: &mut Kit<'f, 'a>, _: Node) -> Result<Src, CompileError> {
//!         let number = kit.vars.read(&mut kit.b, self.0);
//!         Ok(kit.b.icmp(IntCond::ULT, number, Src::imm32(10)))
//!     }
//! }
//!
//! let (bump, key) = (Bump::new(), CompileKey::default());
//! let mut function = Function::new(&bump, "count");
//! let mut kit = Kit::start(&mut function, Stage::Compute, &key);
//! let number = kit.vars.add(&[32]);
//! let graph = Graph::new(vec![End::Branch { then: 0, otherwise: 1 }, End::Leave])?;
//! build(&mut kit, &graph, &mut Count(number))?;
//! kit.finish("count")?;
//! assert!(function.to_string().contains("loop"));
//! # Ok::<(), CompileError>(())
//! ```

mod graph;
mod lists;
mod reconverge;
mod structurize;

pub use graph::{End, Graph, NONE, Node};
pub use reconverge::Construct;
pub use structurize::{Plan, Step, structurize};

use super::Kit;
use super::limits::Budget;
use crate::error::CompileError;
use crate::ir::rows::Rows;
use crate::ir::{Block, Src};

/// Translation of a graph's blocks.
pub trait Body<'f, 'a> {
    /// Builds the instructions of a block without its terminator.
    ///
    /// # Errors
    /// Errors in the block.
    fn block(&mut self, kit: &mut Kit<'f, 'a>, node: Node) -> Result<(), CompileError>;

    /// The condition of the branch that ends a block: a boolean.
    ///
    /// # Errors
    /// Errors in the condition.
    fn condition(&mut self, kit: &mut Kit<'f, 'a>, node: Node) -> Result<Src, CompileError>;

    /// Whether the switch that ends `node` goes to `to`: a boolean. Languages without switches use the
    /// default.
    ///
    /// # Errors
    /// Errors in the switch.
    fn case(&mut self, kit: &mut Kit<'f, 'a>, node: Node, to: Node) -> Result<Src, CompileError> {
        let _ = (kit, node, to);
        Err(CompileError::internal("a switch in a language without switches"))
    }

    /// Called when control passes from one node to another; the exit is the node after all blocks. Languages
    /// that pass values in variables use the default.
    ///
    /// # Errors
    /// Errors on the edge.
    fn edge(&mut self, kit: &mut Kit<'f, 'a>, from: Node, to: Node) -> Result<(), CompileError> {
        let _ = (kit, from, to);
        Ok(())
    }
}

/// Builds a graph's blocks with structured control flow.
///
/// # Errors
/// The errors of `body`, and constructs that nest too deeply.
pub fn build<'f, 'a>(
    kit: &mut Kit<'f, 'a>,
    graph: &Graph,
    body: &mut impl Body<'f, 'a>,
) -> Result<(), CompileError> {
    let plan = structurize(graph);
    let mut walk = Walk::new(graph);
    let mut budget = Budget::default();
    while let Some(step) = walk.next(&plan) {
        match step {
            Step::Block(node) if node == graph.exit() => {}
            Step::Block(node) => body.block(kit, node)?,
            Step::If(node) => {
                let condition = body.condition(kit, node)?;
                walk.begin_if(kit, &plan, condition, &mut budget)?;
            }
            Step::Case(node, to) => {
                let condition = body.case(kit, node, to)?;
                walk.begin_if(kit, &plan, condition, &mut budget)?;
            }
            Step::Edge(from, to) => body.edge(kit, from, to)?,
            step => walk.apply(kit, &plan, step, &mut budget)?,
        }
    }
    Ok(())
}

/// A walk along a plan. Ifs on constants and unreachable code are not built.
pub struct Walk {
    /// The index of the next step.
    at: usize,
    /// What was built so far for each node.
    nodes: Rows<Built>,
    /// For each open if, whether it was built.
    built: Vec<bool>,
}

/// What was built for a node.
#[derive(Clone, Copy, Default)]
struct Built {
    /// An edge to it was built.
    is_reached: bool,
    /// The target of breaks to it.
    follow: Option<Block>,
    /// The target of continues of its loop.
    header: Option<Block>,
}

impl Walk {
    /// A walk from the entry on.
    pub fn new(graph: &Graph) -> Self {
        let mut nodes = Rows::filled(graph.succs.len(), Built::default());
        nodes[0].is_reached = true;
        Walk { at: 0, nodes, built: Vec::new() }
    }

    /// The header of the loop that was opened at `node`.
    pub fn header(&self, node: Node) -> Option<Block> {
        self.nodes[node].header
    }

    fn step(&mut self) {
        self.at = self.at.saturating_add(1);
    }

    /// The next reachable step.
    pub fn next(&mut self, plan: &Plan) -> Option<Step> {
        loop {
            let step = *plan.steps.get(self.at)?;
            match step {
                Step::Begin(node) if !self.nodes[node].is_reached => self.at = plan.partner[self.at],
                Step::Begin(_) | Step::End(_) => {}
                Step::Edge(_, to) => {
                    self.nodes[to].is_reached = true;
                    self.step();
                    return Some(step);
                }
                // The caller supplies the condition first, by which the walk continues.
                Step::If(_) | Step::Case(..) => return Some(step),
                _ => {
                    self.step();
                    return Some(step);
                }
            }
            self.step();
        }
    }

    /// Opens the if of the step [`Step::If`] or [`Step::Case`] that `next` returned; for a constant
    /// condition, selects the arm instead.
    ///
    /// # Errors
    /// Constructs nest too deeply.
    pub fn begin_if(
        &mut self,
        kit: &mut Kit<'_, '_>,
        plan: &Plan,
        condition: Src,
        budget: &mut Budget,
    ) -> Result<(), CompileError> {
        budget.open()?;
        match condition.as_imm() {
            None => kit.b.begin_if(condition),
            Some(truth) => {
                if truth & 1 == 0 {
                    self.at = plan.partner[self.at];
                }
                self.built.push(false);
                self.step();
                return Ok(());
            }
        };
        self.built.push(true);
        self.step();
        Ok(())
    }

    /// Builds a step that opens or closes a construct, or jumps. The caller builds blocks, conditions and
    /// edges.
    ///
    /// # Errors
    /// Constructs nest too deeply.
    pub fn apply(
        &mut self,
        kit: &mut Kit<'_, '_>,
        plan: &Plan,
        step: Step,
        budget: &mut Budget,
    ) -> Result<(), CompileError> {
        let missing = || CompileError::internal("a jump to a node after which no construct ends");
        match step {
            Step::Else if self.built.last() == Some(&false) => {
                // The reachable arm has been built: skip to the end of the if.
                self.at = plan.partner[self.at.saturating_sub(1)];
            }
            Step::Else => kit.b.begin_else(),
            Step::EndIf => {
                budget.close();
                if self.built.pop() == Some(true) {
                    kit.b.end_if();
                }
            }
            Step::Loop { header, follow } => {
                budget.open()?;
                let blocks = kit.b.begin_loop();
                kit.vars.open_loop(blocks.header);
                self.nodes[header].header = Some(blocks.header);
                if follow != NONE {
                    self.nodes[follow].follow = Some(blocks.after);
                }
            }
            Step::EndLoop => {
                budget.close();
                kit.b.end_loop();
                kit.vars.close_loop(kit.b.f);
            }
            Step::Scope(node) if !plan.is_target[node] => budget.open()?,
            Step::EndScope(node) if !plan.is_target[node] => budget.close(),
            Step::Scope(node) => {
                budget.open()?;
                self.nodes[node].follow = Some(kit.b.begin_scope());
            }
            Step::EndScope(_) => {
                budget.close();
                kit.b.end_scope();
            }
            Step::Break(node) => kit.b.jump(self.nodes[node].follow.ok_or_else(missing)?),
            Step::Continue(node) => kit.b.jump(self.nodes[node].header.ok_or_else(missing)?),
            _ => {}
        }
        Ok(())
    }
}
