//! Checks of program pairs: the fragment program reads varyings that the vertex program writes.

use crate::check::Mode;
use crate::program::Stage;
use crate::rule::{Field, Rule, Violation};
use crate::shader::Shader;

/// Checks that a vertex and a fragment program fit together; returns the violations that `mode` tolerates.
///
/// # Errors
///
/// When a stage is wrong, or a varying is read that is not written; in strict mode also when the versions
/// differ or a varying is only partly written.
pub fn link(vertex: &Shader, fragment: &Shader, mode: Mode) -> Result<Vec<Violation>, Violation> {
    let mut found = Vec::new();
    if vertex.stage != Stage::Vertex {
        found.push(violation(Rule::NotVertex, 1));
    }
    if fragment.stage != Stage::Fragment {
        found.push(violation(Rule::NotFragment, 0));
    }
    if vertex.version != fragment.version {
        found.push(violation(Rule::VersionsDiffer, fragment.version.number().into()));
    }
    let varyings = vertex.interface.varyings_written.iter().zip(&fragment.interface.varyings_read);
    for (register, (written, read)) in varyings.enumerate() {
        match (*written, *read) {
            (_, 0) | (15, _) => {}
            (0, _) => found.push(violation(Rule::VaryingUnwritten, register as u64)),
            (_, _) => found.push(violation(Rule::VaryingIncomplete, register as u64)),
        }
    }
    match found.iter().find(|violation| mode.refuses(violation.rule)) {
        Some(violation) => Err(*violation),
        None => Ok(found),
    }
}

fn violation(rule: Rule, found: u64) -> Violation {
    Violation { rule, token: None, field: Field::Linkage, found, adobe: rule.row().adobe }
}
