//! Scans function bodies for uses of variables, according to the `pointers` column of the opcode table.

use bumpalo::Bump;
use spirv::{GlslStd450Op, Op, StorageClass};

use super::module::{Def, Module};
use super::opcodes::{self, Pointers};
use super::types::{Kind, Ty};
use super::usage::{Contents, Usage};
use crate::error::CompileError;
use crate::ir::watch::Watch;

/// Maximum number of scalars of a constant variable whose elements are selected; larger ones are loaded from
/// the constant section.
pub const MAX_SELECTED_CONSTANTS: usize = 16;

/// Longest array in scalar variables that may be indexed dynamically: each access selects among all elements.
pub const MAX_SELECTED_ELEMENTS: u32 = 16;

/// A pointer during the scan: the variable or parameter it comes from, and its pointee.
#[derive(Clone, Copy)]
struct Origin {
    root: u32,
    ty: Ty,
}

/// Sets the row of an id; ids without a row are ignored.
fn put<V>(rows: &mut [V], id: u32, row: V) {
    if let Some(known) = rows.get_mut(id as usize) {
        *known = row;
    }
}

/// Scans the bodies of a module.
pub(super) fn scan<'a>(
    bump: &'a Bump,
    module: &Module<'a>,
    watch: &Watch,
) -> Result<Usage<'a>, CompileError> {
    let bound = module.words.bound as usize;
    let none = || bump.alloc_slice_fill_copy(bound, false);
    let mut scan = Scan {
        module,
        origins: bump.alloc_slice_fill_copy(bound, None),
        read: none(),
        marked: none(),
        indexed: none(),
        contents: bump.alloc_slice_fill_copy(bound, Contents::Nothing),
        scalar: none(),
        links: Vec::new(),
    };
    for global in &module.globals {
        put(scan.origins, global.id, Some(Origin { root: global.id, ty: global.ty }));
        if let (StorageClass::Private, Some(init)) = (global.class, global.init) {
            put(scan.contents, global.id, Contents::Always(init));
        }
    }
    if let Some(first) = module.functions.first() {
        for inst in module.words.instructions_from(first.start) {
            let inst = inst?;
            watch.visit(1);
            scan.instruction(inst.op, inst.operands);
        }
    }
    scan.spread();
    for (contents, indexed) in scan.contents.iter_mut().zip(&*scan.indexed) {
        if !matches!(contents, Contents::Always(all) if *indexed && all.len() > MAX_SELECTED_CONSTANTS) {
            *contents = Contents::Changes;
        }
    }
    for (marked, scalar) in scan.marked.iter_mut().zip(&*scan.scalar) {
        *marked &= !scalar;
    }
    Ok(Usage { read: scan.read, needs_memory: scan.marked, constants: scan.contents })
}

struct Scan<'s, 'a> {
    module: &'s Module<'a>,
    origins: &'a mut [Option<Origin>],
    read: &'a mut [bool],
    marked: &'a mut [bool],
    /// By variable: whether it contains a dynamically indexed array.
    indexed: &'a mut [bool],
    contents: &'a mut [Contents<'a>],
    /// By variable: whether it is interpolated, and so must be kept in scalar variables however it is
    /// indexed.
    scalar: &'a mut [bool],
    /// Pairs of parameter and argument.
    links: Vec<(u32, u32)>,
}

impl<'a> Scan<'_, 'a> {
    fn instruction(&mut self, op: Op, operands: &[u32]) {
        let pointers = opcodes::find(op).map_or(Pointers::Escape, |row| row.pointers);
        match (pointers, operands) {
            (Pointers::Variable, [ty, id, _, init @ ..]) => {
                self.root(*id, *ty);
                if let [init, ..] = init {
                    self.store(*id, *init);
                }
            }
            (Pointers::Parameter, [ty, id, ..]) => self.root(*id, *ty),
            (Pointers::Chain, [ty, id, base, indices @ ..]) => {
                self.read(*base);
                self.chain(*ty, *id, *base, indices);
            }
            (Pointers::Load, [_, _, pointer, ..]) => self.read(*pointer),
            (Pointers::Store, [pointer, object, ..]) => self.store(*pointer, *object),
            // Debug information names variables without using them.
            (Pointers::Extended, [_, _, set, ..]) if self.is_debug(*set) => {}
            (Pointers::Extended, [_, _, set, number, pointer, rest @ ..])
                if self.interpolates(*set, *number) =>
            {
                self.escape(rest);
                if let Some(Some(origin)) = self.origins.get(*pointer as usize) {
                    put(self.scalar, origin.root, true);
                }
            }
            (Pointers::Call, [_, _, callee, arguments @ ..]) => {
                self.escape(arguments);
                let Some(Def::Function(function)) = self.module.defs.get(*callee as usize) else { return };
                let Ok(function) = self.module.function(*function as usize) else { return };
                self.links.extend(function.params.iter().copied().zip(arguments.iter().copied()));
            }
            _ => self.escape(operands),
        }
    }

    fn is_debug(&self, set: u32) -> bool {
        matches!(self.module.defs.get(set as usize), Some(Def::DebugSet | Def::NonSemanticSet))
    }

    fn interpolates(&self, set: u32, number: u32) -> bool {
        use GlslStd450Op::{InterpolateAtCentroid, InterpolateAtOffset, InterpolateAtSample};
        let op = GlslStd450Op::from_u32(number);
        let is_glsl = matches!(self.module.defs.get(set as usize), Some(Def::GlslSet));
        is_glsl && matches!(op, Some(InterpolateAtCentroid | InterpolateAtOffset | InterpolateAtSample))
    }

    /// Records that the variables which these operands point into may change. A literal that happens to be an
    /// id is harmless.
    fn escape(&mut self, operands: &[u32]) {
        for operand in operands {
            if let Some(Some(origin)) = self.origins.get(*operand as usize) {
                put(self.contents, origin.root, Contents::Changes);
                put(self.read, *operand, true);
            }
        }
    }

    fn read(&mut self, pointer: u32) {
        if let Some(read) = self.read.get_mut(pointer as usize) {
            *read = true;
        }
    }

    fn store(&mut self, pointer: u32, object: u32) {
        self.escape(&[object]);
        let Some(Some(origin)) = self.origins.get(pointer as usize).copied() else { return };
        let constant = match self.module.defs.get(object as usize) {
            Some(Def::Value(_, leaves)) if origin.root == pointer => Some(*leaves),
            _ => None,
        };
        let Some(contents) = self.contents.get_mut(origin.root as usize) else { return };
        *contents = match (constant, *contents) {
            (Some(new), Contents::Nothing) => Contents::Always(new),
            (Some(new), Contents::Always(old)) if new == old => Contents::Always(old),
            _ => Contents::Changes,
        };
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
            if let (None, Kind::Array { count, .. }) = (constant, self.module.types.kind(ty)) {
                put(self.indexed, origin.root, true);
                if count > MAX_SELECTED_ELEMENTS {
                    put(self.marked, origin.root, true);
                }
            }
            let Ok((part, _)) = self.module.types.element(ty, constant.unwrap_or(0) as u32) else { return };
            ty = part;
        }
        if let (Some(ty), Some(slot)) = (self.pointee(pointer), self.origins.get_mut(id as usize)) {
            *slot = Some(Origin { root: origin.root, ty });
        }
    }

    /// Propagates the uses of parameters to the arguments, repeated while that finds more, at most once per
    /// level of calls.
    fn spread(&mut self) {
        let mut changed = true;
        while changed {
            changed = false;
            for (param, argument) in &self.links {
                let Some(Some(origin)) = self.origins.get(*argument as usize) else { continue };
                let root = origin.root;
                for facts in [&mut *self.marked, &mut *self.scalar] {
                    if facts.get(*param as usize) == Some(&true) && facts.get(root as usize) == Some(&false) {
                        put(facts, root, true);
                        changed = true;
                    }
                }
            }
        }
    }
}
