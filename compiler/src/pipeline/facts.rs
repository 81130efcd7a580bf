//! Facts about a function that hold between passes. Rows of [`PASSES`](super::PASSES) state which a pass needs, keeps and
//! establishes, and the driver keeps account.

use bitflags::bitflags;

use super::Pass;
use crate::context::Context;
use crate::error::CompileError;
use crate::ir::function::Revision;
use crate::ir::{Function, Stage};
use crate::opt;

bitflags! {
    /// Facts about a function.
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    pub struct Facts: u8 {
        /// Predecessors, successors and loop depths are those of the layout.
        const EDGES = 1 << 0;
        /// No instruction is unused: `opt_dce` would remove nothing.
        const USED = 1 << 1;
        /// Since `opt_simplify` has run, instructions were only removed: `opt_cse` would merge nothing but phis of loops.
        const SIMPLIFIED = 1 << 2;
        /// The register demand in the context is that of the function.
        const DEMAND = 1 << 3;
    }
}

/// What is known of the function, as of one of its revisions.
pub(super) struct Known {
    revision: Revision,
    /// At later stages more instructions are unused, and others are the same.
    stage: Stage,
    facts: Facts,
}

impl Known {
    /// Nothing, of a function that no pass has seen.
    pub(super) fn nothing(f: &Function<'_>) -> Known {
        Known { revision: f.revision(), stage: f.stage, facts: Facts::empty() }
    }

    /// Whether `facts` hold.
    pub(super) fn holds(&self, facts: Facts) -> bool {
        self.facts.contains(facts)
    }

    /// Makes `facts` hold that follow from the function alone.
    pub(super) fn provide(&mut self, f: &mut Function<'_>, facts: Facts) {
        if facts.contains(Facts::EDGES) && !self.holds(Facts::EDGES) {
            f.compute_cfg();
            self.facts |= Facts::EDGES;
        }
    }

    /// Updates what is known after `pass`. Returns whether that has changed the function.
    pub(super) fn after(&mut self, pass: &Pass, f: &Function<'_>, context: &mut Context<'_>) -> bool {
        let is_changed = self.advance(f, pass.keeps);
        self.facts |= pass.establishes;
        if !self.holds(Facts::DEMAND) {
            context.back_end.demand = None;
        }
        is_changed
    }

    /// Keeps `kept` if the function has changed; returns whether it has.
    pub(super) fn advance(&mut self, f: &Function<'_>, kept: Facts) -> bool {
        let is_changed = (f.revision(), f.stage) != (self.revision, self.stage);
        if is_changed {
            (self.revision, self.stage) = (f.revision(), f.stage);
            self.facts &= kept;
        }
        is_changed
    }

    /// Checks the facts that are said to hold after `pass` by computing them anew. The validator checks the edges.
    ///
    /// # Errors
    /// An internal error that names a fact which does not hold.
    pub(super) fn check(
        &self,
        pass: &str,
        f: &Function<'_>,
        context: &Context<'_>,
    ) -> Result<(), CompileError> {
        let demand = || context.back_end.demand.as_ref().is_some_and(|demand| demand.is_of(f));
        let broken = match () {
            () if self.holds(Facts::USED) && opt::has_unused(f) => "unused instructions",
            () if self.holds(Facts::SIMPLIFIED) && opt::has_equal(f) => "equal instructions",
            () if self.holds(Facts::DEMAND) && !demand() => "another register demand than it states",
            () => return Ok(()),
        };
        Err(CompileError::internal(format!("{pass} left {broken} in `{}`", f.name)))
    }
}
