//! Assignments to source variables, recorded while variables become values.

use hashbrown::{HashMap, HashSet};
use rustc_hash::FxBuildHasher;

use super::Variable;
use crate::ir::builder::Builder;
use crate::ir::entity::{Block, Entity, Value};
use crate::ir::named::{Assigned, Assignment, Named, SourceVariable};
use crate::ir::src::Src;

/// The record.
pub(crate) struct NamedVariables {
    /// Source variables by the front end's ids.
    labels: HashMap<u32, SourceVariable, FxBuildHasher>,
    named: Named,
    /// The source variable and its scalar for scalar variables.
    scalars: HashMap<Variable, (u32, u32), FxBuildHasher>,
    /// Scalar variables whose first assignment does not count.
    fresh: HashSet<Variable, FxBuildHasher>,
}

impl NamedVariables {
    /// A record of the source variables with these ids.
    pub(crate) fn new(labels: HashMap<u32, SourceVariable, FxBuildHasher>) -> NamedVariables {
        NamedVariables {
            labels,
            named: Named::default(),
            scalars: HashMap::default(),
            fresh: HashSet::default(),
        }
    }

    /// The number of a new variable with the label of `id`, if it has one with `count` scalars.
    fn add(&mut self, id: u32, count: usize) -> Option<u32> {
        let label = self.labels.get(&id).filter(|label| label.leaves.len() == count)?;
        self.named.variables.push(label.clone());
        (self.named.variables.len() as u32).checked_sub(1)
    }

    /// Declares that the scalar variables from `first` on hold the variable of `id`.
    pub(crate) fn hold(&mut self, id: u32, first: Variable, count: usize) {
        if let Some(variable) = self.add(id, count) {
            let scalars = (0..count as u32).map(|leaf| (first.at(leaf), (variable, leaf)));
            self.scalars.extend(scalars);
            if self.named.variables.last().is_some_and(|variable| variable.is_added) {
                self.fresh.extend((0..count as u32).map(|leaf| first.at(leaf)));
            }
        }
    }

    /// Records the values of a named result.
    pub(crate) fn define(&mut self, b: &Builder<'_, '_>, id: u32, leaves: &[Src]) {
        if let Some(variable) = self.add(id, leaves.len()) {
            for (leaf, src) in (0..).zip(leaves) {
                self.assign(b, (variable, leaf), Assigned::Source(*src));
            }
        }
    }

    /// Declares that the variable of `id` is in stack memory, with scalars every `slot` bytes from `base` on.
    pub(crate) fn place(&mut self, b: &Builder<'_, '_>, id: u32, count: usize, (base, slot): (u32, u32)) {
        if let Some(variable) = self.add(id, count) {
            for leaf in 0..count as u32 {
                let byte = base.saturating_add(leaf.saturating_mul(slot));
                self.assign(b, (variable, leaf), Assigned::Stack(byte));
            }
        }
    }

    /// Records an assignment to a scalar variable.
    pub(super) fn write(&mut self, b: &Builder<'_, '_>, variable: Variable, src: Src) {
        let is_initial = !self.fresh.is_empty() && self.fresh.remove(&variable);
        if let Some(scalar) = self.scalars.get(&variable).copied().filter(|_| !is_initial) {
            self.assign(b, scalar, Assigned::Source(src));
        }
    }

    fn assign(&mut self, b: &Builder<'_, '_>, (variable, leaf): (u32, u32), to: Assigned) {
        let time = Some(b.f.values.len() as u32);
        self.named.assignments.push(Assignment { variable, leaf, to, block: b.block(), time });
    }

    /// Records that a variable is a phi from the start of `block` on.
    pub(super) fn join(&mut self, block: Block, variable: Variable, phi: Value) {
        if let Some((variable, leaf)) = self.scalars.get(&variable).copied() {
            let to = Assigned::Source(Src::value(phi));
            self.named.assignments.push(Assignment { variable, leaf, to, block, time: None });
        }
    }

    /// The record, with the sources that `arrive` gives.
    pub(super) fn finish(mut self, values: usize, arrive: impl Fn(Src) -> Src) -> Box<Named> {
        for assignment in &mut self.named.assignments {
            if let Assigned::Source(src) = &mut assignment.to {
                *src = arrive(*src);
            }
        }
        self.named.built = Value::new(values).0;
        Box::new(self.named)
    }
}
