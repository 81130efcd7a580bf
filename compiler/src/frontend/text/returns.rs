//! Functions that end without a return.
//!
//! naga appends a return without a value to most ways to the end of a function, and its validator rejects it in a
//! function with a result. In WGSL the end of a function is unreachable if the behaviour of its body lacks *Next*
//! (WGSL, "Behavior analysis"), as after a loop that always returns; then the appended returns are removed. If the end
//! can be reached, a return is appended where naga has none, as after a switch with a break.

use naga::{Block, Module, Span, Statement};

use super::blocks;

/// The behaviours of a statement: the ways in which control leaves it.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Behaviours {
    next: bool,
    breaks: bool,
    continues: bool,
}

impl Behaviours {
    const NEXT: Behaviours = Behaviours { next: true, breaks: false, continues: false };
    const NONE: Behaviours = Behaviours { next: false, ..Behaviours::NEXT };

    fn or(self, other: Behaviours) -> Behaviours {
        Behaviours {
            next: self.next | other.next,
            breaks: self.breaks | other.breaks,
            continues: self.continues | other.continues,
        }
    }
}

/// Adapts the returns that naga appended to functions with results.
pub fn complete(module: &mut Module) {
    for function in blocks::functions(module).filter(|function| function.result.is_some()) {
        if of_block(&function.body).next {
            function.body.push(Statement::Return { value: None }, Span::UNDEFINED);
        } else {
            blocks::each(&mut function.body, |block| {
                let is_appended =
                    block.span_iter().last().is_some_and(|(statement, span)| appended(statement, *span));
                if is_appended {
                    block.cull(block.len().saturating_sub(1)..);
                }
            });
        }
    }
}

/// Whether naga appended the statement: it has no place in the text.
fn appended(statement: &Statement, span: Span) -> bool {
    matches!(statement, Statement::Return { value: None }) && !span.is_defined()
}

/// The behaviours of a block. The recursion follows the nesting of the text, for which there is a stack.
fn of_block(block: &Block) -> Behaviours {
    let mut all = Behaviours::NEXT;
    for (statement, span) in block.span_iter() {
        if !appended(statement, *span) {
            let one = of_statement(statement);
            all = Behaviours { next: one.next, ..all.or(one) };
        }
        if !all.next {
            break;
        }
    }
    all
}

fn of_statement(statement: &Statement) -> Behaviours {
    match statement {
        Statement::Block(block) => of_block(block),
        Statement::If { accept, reject, .. } => of_block(accept).or(of_block(reject)),
        Statement::Switch { cases, .. } => {
            let bodies = cases.iter().filter(|case| !case.fall_through).map(|case| of_block(&case.body));
            let all = bodies.fold(Behaviours::NONE, Behaviours::or);
            Behaviours { next: all.next | all.breaks, breaks: false, ..all }
        }
        Statement::Loop { body, continuing, break_if } => {
            let all = of_block(body).or(of_block(continuing));
            Behaviours { next: all.breaks | break_if.is_some(), ..Behaviours::NONE }
        }
        Statement::Break => Behaviours { breaks: true, ..Behaviours::NONE },
        Statement::Continue => Behaviours { continues: true, ..Behaviours::NONE },
        // By the specification a discard goes on, but functions that end with one are accepted.
        Statement::Return { .. } | Statement::Kill => Behaviours::NONE,
        _ => Behaviours::NEXT,
    }
}
