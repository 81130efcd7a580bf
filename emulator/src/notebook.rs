//! Collects findings with their locations; the same finding at the same location is recorded once.

use std::mem::{Discriminant, discriminant};

use rustc_hash::FxHashMap;

use crate::findings::{Finding, FindingKind, Observation};
use crate::group::Group;
use crate::program::Op;

/// Maximum number of distinct findings; further ones are dropped.
const KEPT: usize = 256;

/// The findings of a run.
#[derive(Clone, Debug, Default)]
pub(crate) struct Notebook {
    findings: Vec<Finding>,
    places: FxHashMap<(bool, u32, Discriminant<FindingKind>), usize>,
}

impl Notebook {
    /// Records an observation of `group` at `op`.
    pub(crate) fn add(
        &mut self,
        observation: Observation,
        text: impl FnOnce() -> String,
        preamble: bool,
        group: &Group,
    ) {
        let key = (preamble, group.pc, discriminant(&observation.kind));
        if let Some(finding) = self.places.get(&key).and_then(|at| self.findings.get_mut(*at)) {
            finding.count += 1;
            return;
        }
        if self.findings.len() < KEPT {
            self.places.insert(key, self.findings.len());
            self.findings.push(finding(observation, text(), preamble, group));
        }
    }

    /// The findings so far.
    pub(crate) fn findings(&self) -> &[Finding] {
        &self.findings
    }

    /// The findings in the order of their first occurrence.
    pub(crate) fn into_findings(self) -> Vec<Finding> {
        self.findings
    }
}

/// A finding from an observation and its location.
pub(crate) fn finding(observation: Observation, text: String, preamble: bool, group: &Group) -> Finding {
    Finding {
        kind: observation.kind,
        pc: group.pc,
        preamble,
        text,
        lane: observation.lane,
        workgroup: group.workgroup,
        simd_group: group.index,
        count: 1,
        mask_changes: group.mask_changes(),
    }
}

/// Disassembly of an instruction that may not exist.
pub(crate) fn text_of(op: Option<&Op>) -> String {
    op.map_or_else(|| String::from("?"), Op::text)
}
