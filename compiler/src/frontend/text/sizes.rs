//! Lists that are too long for an instruction of SPIR-V, which naga's writer does not check.

use naga::{Arena, Expression, Module, Statement, TypeInner};

use super::blocks;
use crate::error::{CompileError, NagaError};

/// Elements of a list. An instruction has at most 65,535 words, the first few of which are not elements.
const MOST: usize = 65_000;

/// Fails if a list of `module` is too long.
///
/// # Errors
/// The kind of list.
pub fn check(module: &mut Module) -> Result<(), CompileError> {
    let members = |inner: &TypeInner| match inner {
        TypeInner::Struct { members, .. } => members.len(),
        _ => 0,
    };
    at_most(
        module.types.iter().map(|(_, ty)| members(&ty.inner)).max(),
        MOST,
        "a structure has too many members",
    )?;
    at_most(Some(module.global_variables.len()), MOST, "the module has too many variables")?;
    expressions(&module.global_expressions)?;
    for function in blocks::functions(module) {
        expressions(&function.expressions)?;
        let mut cases = 0;
        blocks::each(&mut function.body, |block| {
            for statement in block.iter() {
                if let Statement::Switch { cases: found, .. } = statement {
                    cases = cases.max(found.len());
                }
            }
        });
        // A case has two words.
        at_most(Some(cases), MOST / 2, "a switch has too many cases")?;
    }
    Ok(())
}

fn expressions(expressions: &Arena<Expression>) -> Result<(), CompileError> {
    let components = |expression: &Expression| match expression {
        Expression::Compose { components, .. } => components.len(),
        _ => 0,
    };
    let most = expressions.iter().map(|(_, expression)| components(expression)).max();
    at_most(most, MOST, "a constructor has too many arguments")
}

fn at_most(found: Option<usize>, most: usize, what: &'static str) -> Result<(), CompileError> {
    match found.is_some_and(|found| found > most) {
        true => Err(NagaError::Long { what, most }.into()),
        false => Ok(()),
    }
}
