//! Scans function bodies for uses of variables, according to the `pointers` column of the opcode table.

use bumpalo::Bump;
use bumpalo::collections::Vec as ArenaVec;
use spirv::{GlslStd450Op, Op, StorageClass};

use super::kernel;
use super::module::{Def, Global, Init, Module};
use super::opcodes::{self, Pointers};
use super::types::{Kind, Ty};
use super::uncopied::{self, Region, UncopiedScan};
use super::usage::{Contents, Usage};
use super::words::Inst;

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
    /// The memory that it points into.
    region: Region,
}

/// Sets the row of an id; ids without a row are ignored.
fn put<V>(rows: &mut [V], id: u32, row: V) {
    if let Some(known) = rows.get_mut(id as usize) {
        *known = row;
    }
}

/// The scan in progress.
pub(super) struct UsageScan<'a> {
    origins: &'a mut [Option<Origin>],
    read: &'a mut [bool],
    marked: &'a mut [bool],
    /// By variable: whether it contains a dynamically indexed array.
    indexed: &'a mut [bool],
    contents: &'a mut [Contents<'a>],
    /// By variable: whether it is interpolated, and so must be kept in scalar variables however it is
    /// indexed.
    scalar: &'a mut [bool],
    /// Calls: the id of the function, and the arguments.
    calls: ArenaVec<'a, (u32, &'a [u32])>,
    /// Loads of large values.
    uncopied: UncopiedScan<'a>,
    /// Operands of phis (kernels), which may be defined later.
    phis: Vec<u32>,
    /// By pointer of another type than its variable (kernels): the variable, or 0. Empty as long as there are none.
    casts: Vec<u32>,
}

impl<'a> UsageScan<'a> {
    /// Starts a scan of a module with ids below `bound`.
    pub fn new_in(bump: &'a Bump, bound: u32) -> Self {
        let bound = bound as usize;
        let none = || bump.alloc_slice_fill_copy(bound, false);
        UsageScan {
            origins: bump.alloc_slice_fill_copy(bound, None),
            read: none(),
            marked: none(),
            indexed: none(),
            contents: bump.alloc_slice_fill_copy(bound, Contents::Nothing),
            scalar: none(),
            calls: ArenaVec::new_in(bump),
            uncopied: UncopiedScan::new_in(bump, bound as u32),
            phis: Vec::new(),
            casts: Vec::new(),
        }
    }

    /// A variable of module scope.
    pub fn global(&mut self, global: &Global<'a>) {
        let region = Region::of(global.class, global.id, false);
        put(self.origins, global.id, Some(Origin { root: global.id, ty: global.ty, region }));
        match (global.class, global.init) {
            (StorageClass::Private, Some(Init::Constant(init))) => {
                put(self.contents, global.id, Contents::Always(init));
            }
            (_, Some(Init::Variable(id))) => {
                self.escape(&[id]);
                put(self.contents, global.id, Contents::Changes);
            }
            _ => {}
        }
    }

    /// An instruction of a function of `module`, whose declarations have been read.
    #[inline]
    pub fn instruction(&mut self, module: &Module<'a>, inst: &Inst<'a>) {
        let row = opcodes::own_row(inst.op);
        if module.types.is_kernel {
            self.kernel(module, inst);
            return self.large(module, inst, row.is_some());
        }
        match row.map(|row| row.pointers) {
            // Operations without a row of their own only compute values.
            None | Some(Pointers::Escape) => self.escape(inst.operands),
            Some(pointers) => self.tracked(module, pointers, inst.operands),
        }
        self.large(module, inst, row.is_some());
    }

    /// Notes how an instruction uses large values, which are in memory. Operations without a row of their own change none.
    fn large(&mut self, module: &Module<'a>, inst: &Inst<'a>, has_row: bool) {
        let region = |scan: &Self, id: u32| scan.origin(id).map_or(Region::Unknown, |origin| origin.region);
        let is_large_type = |id: &u32| match module.defs.get(*id as usize) {
            Some(Def::Type(ty)) => module.types.is_large(*ty),
            _ => false,
        };
        let is_large = inst.operands.first().is_some_and(is_large_type);
        let stored = match (inst.op, inst.operands) {
            (Op::Load, [_, id, pointer, ..]) if is_large => {
                self.uncopied.load(*id, region(self, *pointer));
                self.copied(module, *pointer);
                None
            }
            (Op::Store, [pointer, object, ..]) => {
                let is_constant = matches!(module.defs.get(*object as usize), Some(Def::Value(..)));
                if !is_constant {
                    self.copied(module, *pointer);
                }
                Some(region(self, *pointer))
            }
            (Op::CopyMemory, [to, from, ..]) => {
                self.copied(module, *to);
                self.copied(module, *from);
                Some(region(self, *to))
            }
            (Op::ExtInst, [_, _, set, ..]) if is_debug(module, *set) => return,
            (op, _) if has_row => uncopied::changed(op),
            _ => None,
        };
        self.uncopied.instruction(inst, is_large, stored);
    }

    /// Notes how an instruction of a kernel uses pointers: what does more than load, store and select a part needs an address.
    fn kernel(&mut self, module: &Module<'a>, inst: &Inst<'a>) {
        match (inst.op, inst.operands) {
            (Op::LifetimeStart | Op::LifetimeStop, _) => return,
            (Op::Bitcast, [_, id, from, ..]) => return self.cast(*id, *from),
            (Op::Variable, [ty, id, _, init @ ..]) => {
                self.root(module, *id, *ty, false);
                init.iter().for_each(|init| self.store(module, *id, *init));
            }
            (Op::FunctionParameter, [ty, id, ..]) => self.root(module, *id, *ty, true),
            (Op::Load, [_, _, pointer, ..]) => self.read(*pointer),
            (Op::Store, [pointer, object, ..]) => {
                self.addressed(&[*object]);
                self.store(module, *pointer, *object);
            }
            (Op::AccessChain | Op::InBoundsAccessChain | Op::CopyObject, [ty, id, base, indices @ ..]) => {
                self.chain(module, *ty, *id, *base, indices);
            }
            (Op::PtrAccessChain | Op::InBoundsPtrAccessChain, [ty, id, base, first, indices @ ..])
                if is_zero(module, *first) =>
            {
                self.chain(module, *ty, *id, *base, indices);
            }
            (Op::FunctionCall, [_, _, callee, arguments @ ..]) => self.calls.push((*callee, arguments)),
            (Op::CopyMemory, _) => self.escape(inst.operands),
            (Op::ExtInst, [_, _, set, number, ..]) if keeps_registers(module, *set, *number) => {
                self.escape(inst.operands);
            }
            (Op::Phi, [_, _, operands @ ..]) => self.phis.extend(operands.iter().step_by(2)),
            (_, operands) => self.addressed(operands),
        }
        for operand in inst.operands {
            let root = self.casts.get(*operand as usize).copied().unwrap_or(0);
            put(self.marked, root, true);
        }
    }

    /// A pointer as one of another type.
    fn cast(&mut self, id: u32, from: u32) {
        let cast = self.casts.get(from as usize).copied().filter(|root| *root != 0);
        let Some(root) = cast.or_else(|| self.origin(from).map(|origin| origin.root)) else { return };
        let length = self.origins.len();
        self.casts.resize(length, 0);
        put(&mut self.casts, id, root);
        put(self.contents, root, Contents::Changes);
    }

    /// Notes that variables need an address.
    fn addressed(&mut self, operands: &[u32]) {
        self.escape(operands);
        for operand in operands {
            if let Some(origin) = self.origin(*operand) {
                put(self.marked, origin.root, true);
            }
        }
    }

    fn origin(&self, id: u32) -> Option<Origin> {
        self.origins.get(id as usize).copied().flatten()
    }

    /// A copy of what a pointer points to: variables with huge parts that are copied are in memory.
    fn copied(&mut self, module: &Module<'a>, pointer: u32) {
        if let Some(origin) = self.origin(pointer).filter(|origin| module.types.is_huge(origin.ty)) {
            put(self.marked, origin.root, true);
        }
    }

    /// An instruction with uses that are tracked.
    fn tracked(&mut self, module: &Module<'a>, pointers: Pointers, operands: &'a [u32]) {
        match (pointers, operands) {
            (Pointers::Variable, [ty, id, _, init @ ..]) => {
                self.root(module, *id, *ty, false);
                if let [init, ..] = init {
                    self.store(module, *id, *init);
                }
            }
            (Pointers::Parameter, [ty, id, ..]) => self.root(module, *id, *ty, true),
            (Pointers::Chain, [ty, id, base, indices @ ..]) => {
                self.read(*base);
                self.chain(module, *ty, *id, *base, indices);
            }
            (Pointers::Load, [_, _, pointer, ..]) => self.read(*pointer),
            (Pointers::Store, [pointer, object, ..]) => self.store(module, *pointer, *object),
            // Debug information names variables without using them.
            (Pointers::Extended, [_, _, set, ..]) if is_debug(module, *set) => {}
            (Pointers::Extended, [_, _, set, number, pointer, rest @ ..])
                if interpolates(module, *set, *number) =>
            {
                self.escape(rest);
                if let Some(Some(origin)) = self.origins.get(*pointer as usize) {
                    put(self.scalar, origin.root, true);
                }
            }
            (Pointers::Call, [_, _, callee, arguments @ ..]) => {
                self.escape(arguments);
                self.calls.push((*callee, arguments));
            }
            _ => self.escape(operands),
        }
    }

    /// The result, after all functions of `module`.
    pub fn finish(mut self, module: &Module<'a>) -> Usage<'a> {
        let phis = std::mem::take(&mut self.phis);
        self.addressed(&phis);
        for id in phis {
            put(self.marked, self.casts.get(id as usize).copied().unwrap_or(0), true);
        }
        self.spread(module);
        for (contents, indexed) in self.contents.iter_mut().zip(&*self.indexed) {
            if !matches!(contents, Contents::Always(all) if *indexed && all.len() > MAX_SELECTED_CONSTANTS) {
                *contents = Contents::Changes;
            }
        }
        for (marked, scalar) in self.marked.iter_mut().zip(&*self.scalar) {
            *marked &= !scalar;
        }
        let copied = self.uncopied.finish();
        Usage { read: self.read, needs_memory: self.marked, constants: self.contents, copied }
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

    fn store(&mut self, module: &Module<'a>, pointer: u32, object: u32) {
        self.escape(&[object]);
        let Some(Some(origin)) = self.origins.get(pointer as usize).copied() else { return };
        let constant = match module.defs.get(object as usize) {
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

    fn root(&mut self, module: &Module<'a>, id: u32, pointer: u32, is_parameter: bool) {
        let Some((class, ty)) = pointee(module, pointer) else { return };
        let region = Region::of(class, id, is_parameter);
        put(self.origins, id, Some(Origin { root: id, ty, region }));
    }

    fn chain(&mut self, module: &Module<'a>, pointer: u32, id: u32, base: u32, indices: &[u32]) {
        let Some(Some(origin)) = self.origins.get(base as usize).copied() else { return };
        let mut ty = origin.ty;
        for index in indices {
            let constant = match module.defs.get(*index as usize) {
                Some(Def::Value(_, [leaf])) => leaf.as_imm(),
                _ => None,
            };
            if let (None, Kind::Array { count, .. }) = (constant, module.types.kind(ty)) {
                put(self.indexed, origin.root, true);
                if count > MAX_SELECTED_ELEMENTS {
                    put(self.marked, origin.root, true);
                }
            }
            let Ok((part, _)) = module.types.element(ty, constant.unwrap_or(0) as u32) else { return };
            ty = part;
        }
        if let Some((_, ty)) = pointee(module, pointer) {
            put(self.origins, id, Some(Origin { ty, ..origin }));
        }
    }

    /// Propagates the uses of parameters to the arguments, repeated while that finds more, at most once per
    /// level of calls.
    fn spread(&mut self, module: &Module<'a>) {
        let links: Vec<(u32, u32)> = self.calls.iter().flat_map(|call| links(module, *call)).collect();
        let mut changed = true;
        while changed {
            changed = false;
            for (param, argument) in &links {
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

/// Whether an extended instruction of a kernel leaves the variables that it gets pointers to in registers.
fn keeps_registers(module: &Module<'_>, set: u32, number: u32) -> bool {
    let is_opencl = matches!(module.defs.get(set as usize), Some(Def::OpenClSet));
    is_debug(module, set) || is_opencl && kernel::has_two_results(number)
}

/// Whether an index is the constant 0.
fn is_zero(module: &Module<'_>, id: u32) -> bool {
    matches!(module.defs.get(id as usize), Some(Def::Value(_, [leaf])) if leaf.as_imm() == Some(0))
}

/// Whether `set` is one of the sets of debug information.
fn is_debug(module: &Module<'_>, set: u32) -> bool {
    matches!(module.defs.get(set as usize), Some(Def::DebugSet | Def::NonSemanticSet))
}

/// Whether an extended instruction interpolates an input.
fn interpolates(module: &Module<'_>, set: u32, number: u32) -> bool {
    use GlslStd450Op::{InterpolateAtCentroid, InterpolateAtOffset, InterpolateAtSample};
    let op = GlslStd450Op::from_u32(number);
    let is_glsl = matches!(module.defs.get(set as usize), Some(Def::GlslSet));
    is_glsl && matches!(op, Some(InterpolateAtCentroid | InterpolateAtOffset | InterpolateAtSample))
}

/// Pairs of parameter and argument of a call.
fn links<'s>(
    module: &'s Module<'_>,
    (callee, arguments): (u32, &'s [u32]),
) -> impl Iterator<Item = (u32, u32)> + use<'s> {
    let params = match module.defs.get(callee as usize) {
        Some(Def::Function(function)) => {
            module.function(*function as usize).map(|callee| &*callee.params).ok()
        }
        _ => None,
    };
    params.unwrap_or_default().iter().copied().zip(arguments.iter().copied())
}

/// The storage class of a pointer type, and the type that it points to.
fn pointee(module: &Module<'_>, pointer: u32) -> Option<(StorageClass, Ty)> {
    match module.defs.get(pointer as usize) {
        Some(Def::Type(ty)) => match module.types.kind(*ty) {
            Kind::Pointer { class, pointee, .. } => Some((class, pointee?)),
            _ => None,
        },
        _ => None,
    }
}
