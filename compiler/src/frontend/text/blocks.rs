//! Walks over the blocks of naga's functions.

use naga::{Block, Function, Module, Statement};

/// The blocks in a statement.
pub fn inner(statement: &mut Statement) -> Vec<&mut Block> {
    match statement {
        Statement::Block(block) => vec![block],
        Statement::If { accept, reject, .. } => vec![accept, reject],
        Statement::Switch { cases, .. } => cases.iter_mut().map(|case| &mut case.body).collect(),
        Statement::Loop { body, continuing, .. } => vec![body, continuing],
        _ => Vec::new(),
    }
}

/// The same for reading.
pub fn within(statement: &Statement) -> Vec<&Block> {
    match statement {
        Statement::Block(block) => vec![block],
        Statement::If { accept, reject, .. } => vec![accept, reject],
        Statement::Switch { cases, .. } => cases.iter().map(|case| &case.body).collect(),
        Statement::Loop { body, continuing, .. } => vec![body, continuing],
        _ => Vec::new(),
    }
}

/// The functions of a module, entry points last.
pub fn functions(module: &mut Module) -> impl Iterator<Item = &mut Function> {
    let points = module.entry_points.iter_mut().map(|point| &mut point.function);
    module.functions.iter_mut().map(|(_, function)| function).chain(points)
}

/// Calls `change` for a block, then for the blocks in it, and so on.
pub fn each(block: &mut Block, mut change: impl FnMut(&mut Block)) {
    let mut open = vec![block];
    while let Some(block) = open.pop() {
        change(block);
        open.extend(block.iter_mut().flat_map(inner));
    }
}
