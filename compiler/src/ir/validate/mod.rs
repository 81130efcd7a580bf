//! Checks that a function satisfies the rules of its stage.
//!
//! Every violation is reported, each with the instruction it concerns. The rules, in the order in which they
//! are checked: the layout is well formed and the edges match it; blocks end as their seams require; every
//! operation is allowed at the stage and has not been removed by a lowering; operands have the number and
//! types that the operation requires; values are defined once, before their uses; from the Machine stage on,
//! operands are legal for their row. docs/ir.md explains them.

mod operands;
mod ssa;
mod structure;
#[cfg(test)]
mod tests;

use std::fmt;

use super::entity::{Block, Inst};
use super::function::Function;
use super::types::Stage;
use crate::error::{CompileError, TextError};

/// Maximum number of violations that [`Function::check`] quotes.
const MAX_QUOTED: usize = 8;

/// The rules, in the order in which they are checked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Rule {
    /// Blocks and brackets form a layout, and the edges match it.
    Layout,
    /// A jump targets the header of an enclosing loop, or the block after an enclosing loop or scope.
    Jump,
    /// A block ends as its seam requires.
    End,
    /// Phis and preloads come first, and phis name the predecessors.
    Head,
    /// The operation is allowed at the stage, and no lowering has removed it.
    Stage,
    /// Operands have the number and types that the operation requires.
    Operands,
    /// From the Machine stage on, operands are legal for their row.
    Encoding,
    /// Values are defined once, before their uses.
    Definition,
}

/// A violated rule.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Violation {
    /// The rule.
    pub rule: Rule,
    /// The block it is in, if any.
    pub block: Option<Block>,
    /// The instruction it concerns, if any.
    pub inst: Option<Inst>,
    /// Text of the instruction; empty if it concerns none.
    pub text: String,
    /// How the rule is violated.
    pub message: String,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(block) = self.block {
            write!(f, "{block}: ")?;
        }
        if !self.text.is_empty() {
            write!(f, "`{}`: ", self.text)?;
        }
        f.write_str(&self.message)
    }
}

impl Violation {
    /// The error for an input with this violation and `more` others.
    pub fn error(&self, more: usize) -> CompileError {
        let others = if more == 0 { String::new() } else { format!(" (and {more} more violations)") };
        let violation = format!("{self}{others}");
        let error = match self.rule {
            Rule::Layout => TextError::Layout { violation },
            Rule::Jump => TextError::Jump { violation },
            Rule::End => TextError::End { violation },
            Rule::Head => TextError::Head { violation },
            Rule::Stage => TextError::Stage { violation },
            Rule::Operands => TextError::Operands { violation },
            Rule::Encoding => TextError::Encoding { violation },
            Rule::Definition => TextError::Definition { violation },
        };
        error.into()
    }
}

/// Checks `f` against the rules of `stage`.
///
/// # Errors
/// Every violation, in program order by kind of rule.
pub fn validate(f: &Function<'_>, stage: Stage) -> Result<(), Vec<Violation>> {
    let mut report = Report { f, stage, violations: Vec::new() };
    let structure = structure::check(&mut report);
    if let Some(order) = structure {
        structure::check_blocks(&mut report, &order);
        let typed = operands::check(&mut report);
        if stage < Stage::Allocated && typed {
            ssa::check(&mut report, &order);
        }
    }
    if report.violations.is_empty() { Ok(()) } else { Err(report.violations) }
}

impl Function<'_> {
    /// Checks the function after pass `pass` against the rules of its stage.
    ///
    /// # Errors
    /// An internal error that names the pass and quotes the first violations.
    pub fn check(&self, pass: &str) -> Result<(), CompileError> {
        let Err(violations) = validate(self, self.stage) else { return Ok(()) };
        let quoted: Vec<String> = violations.iter().take(MAX_QUOTED).map(Violation::to_string).collect();
        let count = violations.len();
        Err(CompileError::internal(format!(
            "{pass} left `{}` with {count} violations of the rules of stage {}: {}",
            self.name,
            self.stage.name(),
            quoted.join("; ")
        )))
    }
}

/// Violations found so far.
struct Report<'f, 'a> {
    f: &'f Function<'a>,
    stage: Stage,
    violations: Vec<Violation>,
}

impl Report<'_, '_> {
    /// Reports a violation that concerns the function as a whole.
    fn function(&mut self, rule: Rule, message: impl Into<String>) {
        let message = message.into();
        self.violations.push(Violation { rule, block: None, inst: None, text: String::new(), message });
    }

    /// Reports a violation that concerns a block.
    fn block(&mut self, rule: Rule, block: Block, message: impl Into<String>) {
        let message = message.into();
        self.violations.push(Violation {
            rule,
            block: Some(block),
            inst: None,
            text: String::new(),
            message,
        });
    }

    /// Reports a violation that concerns an instruction.
    fn inst(&mut self, rule: Rule, block: Block, inst: Inst, message: impl Into<String>) {
        let text = self.f.inst_text(inst).to_string();
        self.violations.push(Violation {
            rule,
            block: Some(block),
            inst: Some(inst),
            text,
            message: message.into(),
        });
    }
}
