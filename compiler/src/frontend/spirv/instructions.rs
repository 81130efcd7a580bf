//! Instructions on values and pointers of any kind.

use spirv::MemoryAccess;

use super::composite;
use super::module::Def;
use super::pointer::Pointer;
use super::pure::{self, Compute};
use super::translate::Translator;
use super::types::Kind;
use super::words::Inst;
use crate::error::{CompileError, FlowError, MemoryError, ModuleError};
use crate::ir::function::Access;

impl<'a> Translator<'_, 'a> {
    /// The value of a phi, which its edges set.
    pub(super) fn phi(&mut self, inst: &Inst<'a>) -> Result<(), CompileError> {
        let variable = self.phi_variable(inst)?;
        let ty = self.eval().ty(inst.word(0)?)?;
        let leaves = self.read_all(variable, ty)?;
        self.define(inst.word(1)?, Def::Value(ty, leaves))
    }

    /// A value that may be anything: zeros.
    pub(super) fn undefined(&mut self, inst: &Inst<'a>) -> Result<(), CompileError> {
        let ty = self.eval().ty(inst.word(0)?)?;
        let leaves = self.eval().zeros(ty)?;
        self.define(inst.word(1)?, Def::Value(ty, leaves))
    }

    /// `OpAccessChain`.
    pub(super) fn access_chain_instruction(&mut self, inst: &Inst<'a>) -> Result<(), CompileError> {
        let pointer = self.pointer(inst.word(2)?)?;
        let pointer = self.access_chain(pointer, inst.rest(3))?;
        self.define_pointer(inst, pointer)
    }

    /// `OpPtrAccessChain`: first by elements of the array that the pointer points into.
    pub(super) fn element_chain_instruction(&mut self, inst: &Inst<'a>) -> Result<(), CompileError> {
        let pointer = self.pointer(inst.word(2)?)?;
        let pointer = self.move_by_elements(pointer, inst.word(3)?)?;
        let pointer = self.access_chain(pointer, inst.rest(4))?;
        self.define_pointer(inst, pointer)
    }

    /// `OpLoad`, also of descriptors.
    pub(super) fn load_instruction(&mut self, inst: &Inst<'a>) -> Result<(), CompileError> {
        let pointer = self.pointer(inst.word(2)?)?;
        if self.load_resource(inst.word(1)?, pointer)? {
            return Ok(());
        }
        let leaves = self.load(pointer, memory_access(inst, 3))?;
        self.define_leaves(inst, leaves)
    }

    /// `OpStore`.
    pub(super) fn store_instruction(&mut self, inst: &Inst<'a>) -> Result<(), CompileError> {
        let pointer = self.pointer(inst.word(0)?)?;
        let data = inst.word(1)?;
        let (_, data) = self.with_pointers_as_values(&[data], |t| t.eval().value(data))?;
        self.store(pointer, data, memory_access(inst, 2))
    }

    /// `OpCopyMemory`.
    pub(super) fn copy_memory(&mut self, inst: &Inst<'a>) -> Result<(), CompileError> {
        let (to, from) = (self.pointer(inst.word(0)?)?, self.pointer(inst.word(1)?)?);
        let data = self.load(from, memory_access(inst, 2))?;
        self.store(to, data, memory_access(inst, 2))
    }

    /// `OpCopyObject` of a value, a descriptor, an array of descriptors, or a pointer.
    pub(super) fn copy_object(&mut self, inst: &Inst<'a>) -> Result<(), CompileError> {
        match self.values.defs.get(inst.word(2)? as usize).copied() {
            Some(Def::Resource(resource)) => self.define(inst.word(1)?, Def::Resource(resource)),
            Some(Def::Value(..)) => self.pure(inst, Compute::Whole(composite::copy), &[]),
            _ => {
                let pointer = self.pointer(inst.word(2)?)?;
                let ty = self.eval().ty(inst.word(0)?)?;
                let is_pointer = matches!(self.values.types.kind(ty), Kind::Pointer { .. });
                if !is_pointer && self.load_resource(inst.word(1)?, pointer)? {
                    return Ok(());
                }
                self.define_pointer(inst, pointer)
            }
        }
    }

    /// `OpCompositeExtract` from a value or an array of descriptors.
    pub(super) fn composite_extract(&mut self, inst: &Inst<'a>) -> Result<(), CompileError> {
        match self.extract_resource(inst)? {
            true => Ok(()),
            false => self.pure(inst, Compute::Whole(composite::extract), &[]),
        }
    }

    /// An instruction that only computes; those of `pointers` that are pointers with an address are values meanwhile.
    pub(super) fn pure(
        &mut self,
        inst: &Inst<'a>,
        compute: Compute,
        pointers: &[u32],
    ) -> Result<(), CompileError> {
        let ty = self.eval().ty(inst.word(0)?)?;
        let operands = inst.rest(2);
        let leaves =
            self.with_pointers_as_values(pointers, |t| pure::evaluate(&mut t.eval(), compute, ty, operands))?;
        let leaves = self.apart(ty, leaves);
        self.define(inst.word(1)?, Def::Value(ty, leaves))
    }

    /// Says what pointer the result of an instruction is.
    pub(super) fn define_pointer(
        &mut self,
        inst: &Inst<'a>,
        pointer: Pointer<'a>,
    ) -> Result<(), CompileError> {
        let ty = self.eval().ty(inst.word(0)?)?;
        if !matches!(self.values.types.kind(ty), Kind::Pointer { pointee: Some(to), .. } if to == pointer.ty)
        {
            return Err(MemoryError::Pointee.into());
        }
        let pointer = Pointer { pointer: Some(ty), ..pointer };
        self.define(inst.word(1)?, Def::Pointer(self.values.bump.alloc(pointer)))
    }

    /// Runs `act` while those of `ids` that are pointers with an address are values.
    pub(super) fn with_pointers_as_values<T>(
        &mut self,
        ids: &[u32],
        act: impl FnOnce(&mut Self) -> Result<T, CompileError>,
    ) -> Result<T, CompileError> {
        let mut changed = Vec::new();
        for id in ids {
            let pointer = match self.values.defs.get(*id as usize).copied() {
                Some(Def::Pointer(pointer)) => *pointer,
                Some(Def::Global(index)) => match self.global(index as usize) {
                    Ok(pointer) => pointer,
                    Err(_) => continue,
                },
                _ => continue,
            };
            if let Some((ty, value)) = self.pointer_value(pointer) {
                let leaves = self.values.bump.alloc_slice_copy(&[value]);
                changed.push((*id, self.values.defs[*id as usize]));
                self.values.defs[*id as usize] = Def::Value(ty, leaves);
            }
        }
        let result = act(self);
        for (id, def) in changed {
            self.values.defs[id as usize] = def;
        }
        result
    }

    /// An instruction of another set.
    pub(super) fn extended_instruction(&mut self, inst: &Inst<'a>) -> Result<(), CompileError> {
        match self.values.defs.get(inst.word(2)? as usize) {
            Some(Def::NonSemanticSet) => Ok(()),
            Some(Def::DebugSet) => self.debug_instruction(inst),
            Some(Def::GlslSet) => self.glsl(inst),
            _ => Err(ModuleError::NoExtendedSet { id: inst.word(2)? }.into()),
        }
    }

    /// A call: its arguments become the parameters, and the walk continues in the callee.
    pub(super) fn call(&mut self, inst: &Inst<'a>) -> Result<(), CompileError> {
        let Some(Def::Function(function)) = self.values.defs.get(inst.word(2)? as usize).copied() else {
            return Err(FlowError::NotAFunction { id: inst.word(2)? }.into());
        };
        let module = self.module;
        let callee = &module.functions[function as usize];
        let arguments = inst.rest(3);
        if arguments.len() != callee.params.len() {
            return Err(FlowError::Arguments {
                callee: callee.id,
                expected: callee.params.len(),
                found: arguments.len(),
            }
            .into());
        }
        for argument in arguments {
            self.eval().check_visible(*argument)?;
        }
        self.enter(function as usize, inst.word(1)?)?;
        for (param, argument) in callee.params.iter().zip(arguments) {
            let def = match self.values.defs.get(*argument as usize).copied() {
                Some(def @ (Def::Value(..) | Def::Pointer(_) | Def::Resource(_) | Def::Global(_))) => def,
                _ => return Err(FlowError::Argument { id: *argument }.into()),
            };
            self.define(*param, def)?;
        }
        Ok(())
    }

    /// The pointer an id denotes.
    pub(super) fn pointer(&mut self, id: u32) -> Result<Pointer<'a>, CompileError> {
        self.eval().check_visible(id)?;
        match self.values.defs.get(id as usize).copied() {
            Some(Def::Pointer(pointer)) => Ok(*pointer),
            Some(Def::Global(index)) => self.global(index as usize),
            Some(Def::Value(ty, leaves)) => self.pointer_from_value(ty, leaves),
            _ => Err(MemoryError::NotAPointer { id }.into()),
        }
    }
}

/// What the memory operands of an instruction say, from operand `index` on.
fn memory_access(inst: &Inst<'_>, index: usize) -> Access {
    let mask = MemoryAccess::from_bits_truncate(inst.rest(index).first().copied().unwrap_or(0));
    let ordered =
        MemoryAccess::VOLATILE | MemoryAccess::MAKE_POINTER_AVAILABLE | MemoryAccess::MAKE_POINTER_VISIBLE;
    if mask.intersects(ordered) { Access::VOLATILE } else { Access::empty() }
}
