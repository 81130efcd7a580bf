//! Gives the values that a text names (`let`) variables of their names, which SPIR-V can name, for debuggers.

use naga::valid::{FunctionInfo, ModuleInfo};
use naga::{
    Block, Expression, Function, Handle, LocalVariable, Module, Span, Statement, Type, TypeInner, UniqueArena,
};
use rustc_hash::FxHashMap;

use super::blocks;
use crate::ir::named::ADDED_VARIABLE;

/// Adds the variables, and stores to them where the values are computed.
pub fn to_variables(module: &mut Module, info: &ModuleInfo) {
    let Module { functions, entry_points, types, .. } = module;
    for (handle, function) in functions.iter_mut() {
        add(function, &info[handle], types);
    }
    for (index, entry) in entry_points.iter_mut().enumerate() {
        add(&mut entry.function, info.get_entry_point(index), types);
    }
}

fn add(function: &mut Function, info: &FunctionInfo, types: &mut UniqueArena<Type>) {
    // By value: the pointer to its variable.
    let mut pointers: FxHashMap<Handle<Expression>, Handle<Expression>> = FxHashMap::default();
    for (value, name) in &function.named_expressions {
        let resolved = &info[*value].ty;
        if !is_data(resolved.inner_with(types)) {
            continue;
        }
        let ty = match resolved.handle() {
            Some(ty) => ty,
            None => {
                types.insert(Type { name: None, inner: resolved.inner_with(types).clone() }, Span::UNDEFINED)
            }
        };
        let variable = LocalVariable { name: Some(format!("{name}{ADDED_VARIABLE}")), ty, init: None };
        let variable = function.local_variables.append(variable, Span::UNDEFINED);
        let pointer = function.expressions.append(Expression::LocalVariable(variable), Span::UNDEFINED);
        pointers.insert(*value, pointer);
    }
    blocks::each(&mut function.body, |block| store(block, &mut pointers));
    // The others have a value from the start.
    let mut rest: Vec<_> = pointers.into_iter().collect();
    rest.sort_unstable();
    let body = std::mem::take(&mut function.body);
    for (value, pointer) in rest {
        function.body.push(Statement::Store { pointer, value }, Span::UNDEFINED);
    }
    for (statement, span) in body.span_into_iter() {
        function.body.push(statement, span);
    }
}

/// Whether variables can have a type.
fn is_data(inner: &TypeInner) -> bool {
    matches!(inner, TypeInner::Scalar(_) | TypeInner::Vector { .. } | TypeInner::Matrix { .. })
}

/// Stores the values that the statements of a block compute, after them.
fn store(block: &mut Block, pointers: &mut FxHashMap<Handle<Expression>, Handle<Expression>>) {
    let statements = std::mem::take(block);
    for (statement, span) in statements.span_into_iter() {
        let values = computed(&statement);
        block.push(statement, span);
        for value in values {
            if let Some(pointer) = pointers.remove(&value) {
                block.push(Statement::Store { pointer, value }, span);
            }
        }
    }
}

/// The values that a statement computes.
fn computed(statement: &Statement) -> Vec<Handle<Expression>> {
    match statement {
        Statement::Emit(range) => range.clone().collect(),
        Statement::Call { result: Some(result), .. }
        | Statement::Atomic { result: Some(result), .. }
        | Statement::WorkGroupUniformLoad { result, .. }
        | Statement::SubgroupBallot { result, .. }
        | Statement::SubgroupGather { result, .. }
        | Statement::SubgroupCollectiveOperation { result, .. } => vec![*result],
        _ => Vec::new(),
    }
}
