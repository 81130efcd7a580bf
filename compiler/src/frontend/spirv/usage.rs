//! Which variables need memory of their own because they are indexed dynamically.

use spirv::Op;

use super::module::{Def, Module};
use super::types::{Kind, Ty};
use crate::error::CompileError;

/// Longest array in scalar variables that may be indexed dynamically: each access selects among all elements.
pub const MAX_SELECTED_ELEMENTS: u32 = 16;

/// What a scan over all bodies found.
#[derive(Default)]
pub(super) struct Usage {
    needs_memory: Vec<bool>,
}

/// A pointer while scanning: the variable or parameter it comes from, and what it points to.
#[derive(Clone, Copy)]
struct Origin {
    root: u32,
    ty: Ty,
}

impl Usage {
    /// Scans the bodies of a module.
    pub fn scan(module: &Module<'_>) -> Result<Self, CompileError> {
        let bound = module.words.bound as usize;
        let mut scan =
            Scan { module, origins: vec![None; bound], marked: vec![false; bound], links: Vec::new() };
        for global in &module.globals {
            scan.origins[global.id as usize] = Some(Origin { root: global.id, ty: global.ty });
        }
        if let Some(first) = module.functions.first() {
            for inst in module.words.instructions_from(first.start) {
                let inst = inst?;
                scan.instruction(inst.op, inst.operands);
            }
        }
        scan.spread();
        Ok(Usage { needs_memory: scan.marked })
    }

    /// Whether the variable cannot be scalar variables.
    pub fn needs_memory(&self, id: u32) -> bool {
        self.needs_memory.get(id as usize).copied().unwrap_or(false)
    }
}

struct Scan<'s, 'a> {
    module: &'s Module<'a>,
    origins: Vec<Option<Origin>>,
    marked: Vec<bool>,
    /// Parameter and argument.
    links: Vec<(u32, u32)>,
}

impl Scan<'_, '_> {
    fn instruction(&mut self, op: Op, operands: &[u32]) {
        match (op, operands) {
            (Op::Variable | Op::FunctionParameter, [ty, id, ..]) => self.root(*id, *ty),
            (Op::AccessChain | Op::InBoundsAccessChain, [ty, id, base, indices @ ..]) => {
                self.chain(*ty, *id, *base, indices);
            }
            (Op::CopyObject, [ty, id, base]) => self.chain(*ty, *id, *base, &[]),
            (Op::FunctionCall, [_, _, callee, arguments @ ..]) => {
                let Some(Def::Function(function)) = self.module.defs.get(*callee as usize) else { return };
                let params = &self.module.functions[*function as usize].params;
                self.links.extend(params.iter().copied().zip(arguments.iter().copied()));
            }
            _ => {}
        }
    }

    fn pointee(&self, pointer: u32) -> Option<Ty> {
        match self.module.defs.get(pointer as usize) {
            Some(Def::Type(ty)) => match self.module.types.kind(*ty) {
                Kind::Pointer { pointee, .. } => pointee,
                _ => None,
            },
            _ => None,
        }
    }

    fn root(&mut self, id: u32, pointer: u32) {
        if let (Some(ty), Some(slot)) = (self.pointee(pointer), self.origins.get_mut(id as usize)) {
            *slot = Some(Origin { root: id, ty });
        }
    }

    fn chain(&mut self, pointer: u32, id: u32, base: u32, indices: &[u32]) {
        let Some(Some(origin)) = self.origins.get(base as usize).copied() else { return };
        let mut ty = origin.ty;
        for index in indices {
            let constant = match self.module.defs.get(*index as usize) {
                Some(Def::Value(_, [leaf])) => leaf.as_imm(),
                _ => None,
            };
            if let (None, Kind::Array { count, .. }) = (constant, self.module.types.kind(ty))
                && count > MAX_SELECTED_ELEMENTS
            {
                self.marked[origin.root as usize] = true;
            }
            let Ok((part, _)) = self.module.types.element(ty, constant.unwrap_or(0) as u32) else { return };
            ty = part;
        }
        if let (Some(ty), Some(slot)) = (self.pointee(pointer), self.origins.get_mut(id as usize)) {
            *slot = Some(Origin { root: origin.root, ty });
        }
    }

    /// What a function does to a parameter it does to the arguments: repeated while that finds more, at most once for
    /// every level of calls.
    fn spread(&mut self) {
        let mut changed = true;
        while changed {
            changed = false;
            for (param, argument) in &self.links {
                let Some(Some(origin)) = self.origins.get(*argument as usize) else { continue };
                let root = origin.root as usize;
                if self.marked.get(*param as usize) == Some(&true) && !self.marked[root] {
                    self.marked[root] = true;
                    changed = true;
                }
            }
        }
    }
}
