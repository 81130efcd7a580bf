//! Instructions of a block: each is handed to whoever translates its kind.

use spirv::{MemoryAccess, Op};

use super::module::Def;
use super::pointers::Pointer;
use super::translate::Translator;
use super::types::Kind;
use super::words::Inst;
use crate::error::CompileError;
use crate::ir::function::Access;

impl<'a> Translator<'_, 'a> {
    /// Translates an instruction.
    pub(super) fn instruction(&mut self, inst: &Inst<'a>) -> Result<(), CompileError> {
        self.float_mode(inst);
        self.relaxed.first_new = self.kit.b.f.values.len();
        match inst.op {
            Op::Line => self.line(inst),
            Op::NoLine => {
                self.kit.b.line = 0;
                Ok(())
            }
            Op::Nop | Op::SelectionMerge | Op::LoopMerge | Op::Name | Op::AssumeTrueKHR => Ok(()),
            Op::LifetimeStart | Op::LifetimeStop => Ok(()),
            Op::Variable => self.local_variable(inst),
            Op::Phi => {
                let variable = self.phi_variable(inst)?;
                let ty = self.eval().ty(inst.word(0)?)?;
                let leaves = self.read_all(variable, ty)?;
                self.define(inst.word(1)?, Def::Value(ty, leaves))
            }
            Op::FunctionCall => self.call(inst),
            Op::Undef => {
                let ty = self.eval().ty(inst.word(0)?)?;
                let leaves = self.eval().zeros(ty)?;
                self.define(inst.word(1)?, Def::Value(ty, leaves))
            }
            Op::ArrayLength => self.array_length(inst),
            Op::ExtInst => self.extended_instruction(inst),
            _ => self.memory_instruction(inst),
        }
    }

    /// Instructions on pointers; others are handed on.
    fn memory_instruction(&mut self, inst: &Inst<'a>) -> Result<(), CompileError> {
        if self.resource_instruction(inst)? || self.sampling(inst)? || self.image_instruction(inst)? {
            return Ok(());
        }
        match inst.op {
            Op::AccessChain | Op::InBoundsAccessChain => {
                let pointer = self.pointer(inst.word(2)?)?;
                let pointer = self.access_chain(pointer, inst.rest(3))?;
                self.define_pointer(inst, pointer)
            }
            Op::PtrAccessChain | Op::InBoundsPtrAccessChain => {
                let pointer = self.pointer(inst.word(2)?)?;
                let pointer = self.move_by_elements(pointer, inst.word(3)?)?;
                let pointer = self.access_chain(pointer, inst.rest(4))?;
                self.define_pointer(inst, pointer)
            }
            Op::Load => {
                let pointer = self.pointer(inst.word(2)?)?;
                let leaves = self.load(pointer, memory_access(inst, 3))?;
                let ty = self.eval().ty(inst.word(0)?)?;
                let leaves = self.eval().checked(ty, leaves)?;
                self.define(inst.word(1)?, Def::Value(ty, leaves))
            }
            Op::Store => {
                let pointer = self.pointer(inst.word(0)?)?;
                let data = inst.word(1)?;
                let (_, data) = self.with_pointers_as_values(&[data], |t| t.eval().value(data))?;
                self.store(pointer, data, memory_access(inst, 2))
            }
            Op::CopyMemory => {
                let (to, from) = (self.pointer(inst.word(0)?)?, self.pointer(inst.word(1)?)?);
                let data = self.load(from, memory_access(inst, 2))?;
                self.store(to, data, memory_access(inst, 2))
            }
            Op::CopyObject if !matches!(self.defs.get(inst.word(2)? as usize), Some(Def::Value(..))) => {
                let pointer = self.pointer(inst.word(2)?)?;
                self.define_pointer(inst, pointer)
            }
            _ => self.other(inst),
        }
    }

    /// Says what pointer the result of an instruction is.
    pub(super) fn define_pointer(
        &mut self,
        inst: &Inst<'a>,
        pointer: Pointer<'a>,
    ) -> Result<(), CompileError> {
        let ty = self.eval().ty(inst.word(0)?)?;
        if !matches!(self.types.kind(ty), Kind::Pointer { pointee: Some(to), .. } if to == pointer.ty) {
            return Err(CompileError::invalid("the result type does not match what is pointed to"));
        }
        let pointer = Pointer { pointer: Some(ty), ..pointer };
        self.define(inst.word(1)?, Def::Pointer(self.bump.alloc(pointer)))
    }

    /// Runs `act` while those of `ids` that are pointers with an address are values.
    pub(super) fn with_pointers_as_values<T>(
        &mut self,
        ids: &[u32],
        act: impl FnOnce(&mut Self) -> Result<T, CompileError>,
    ) -> Result<T, CompileError> {
        let mut changed = Vec::new();
        for id in ids {
            let pointer = match self.defs.get(*id as usize).copied() {
                Some(Def::Pointer(pointer)) => *pointer,
                Some(Def::Global(index)) => match self.global(index as usize) {
                    Ok(pointer) => pointer,
                    Err(_) => continue,
                },
                _ => continue,
            };
            if let Some((ty, value)) = self.pointer_value(pointer) {
                let leaves = self.bump.alloc_slice_copy(&[value]);
                changed.push((*id, self.defs[*id as usize]));
                self.defs[*id as usize] = Def::Value(ty, leaves);
            }
        }
        let result = act(self);
        for (id, def) in changed {
            self.defs[id as usize] = def;
        }
        result
    }

    /// Instructions that only compute, and those that are not supported.
    fn other(&mut self, inst: &Inst<'a>) -> Result<(), CompileError> {
        if self.synchronize(inst)?
            || self.fragment_instruction(inst)?
            || self.derivative_instruction(inst)?
            || self.tile_instruction(inst)?
        {
            return Ok(());
        }
        let unsupported = || CompileError::unsupported("this instruction");
        let ty = inst.word(0).ok().and_then(|id| self.eval().ty(id).ok()).ok_or_else(unsupported)?;
        let operands = inst.rest(2);
        let pointers = if takes_pointers(inst.op) { operands } else { &[] };
        let leaves = self.with_pointers_as_values(pointers, |t| t.eval().evaluate(inst.op, ty, operands))?;
        let leaves = leaves.ok_or_else(unsupported)?;
        let leaves = self.apart(ty, leaves);
        self.define(inst.word(1)?, Def::Value(ty, leaves))
    }

    fn extended_instruction(&mut self, inst: &Inst<'a>) -> Result<(), CompileError> {
        match self.defs.get(inst.word(2)? as usize) {
            Some(Def::NonSemanticSet) => Ok(()),
            Some(Def::DebugSet) => self.debug_instruction(inst),
            Some(Def::GlslSet) => self.glsl(inst),
            _ => Err(CompileError::invalid("an extended instruction of no imported set")),
        }
    }

    fn call(&mut self, inst: &Inst<'a>) -> Result<(), CompileError> {
        let Some(Def::Function(function)) = self.defs.get(inst.word(2)? as usize).copied() else {
            return Err(CompileError::invalid("the callee is not a function"));
        };
        let module = self.module;
        let callee = &module.functions[function as usize];
        let arguments = inst.rest(3);
        if arguments.len() != callee.params.len() {
            let message = format!("{} arguments for {} parameters", arguments.len(), callee.params.len());
            return Err(CompileError::invalid(message));
        }
        for argument in arguments {
            self.eval().check_visible(*argument)?;
        }
        self.enter(function as usize, inst.word(1)?)?;
        for (param, argument) in callee.params.iter().zip(arguments) {
            let def = match self.defs.get(*argument as usize).copied() {
                Some(def @ (Def::Value(..) | Def::Pointer(_) | Def::Resource(_) | Def::Global(_))) => def,
                _ => return Err(CompileError::invalid(format!("argument {argument} is not a value"))),
            };
            self.define(*param, def)?;
        }
        Ok(())
    }

    /// The pointer an id stands for.
    pub(super) fn pointer(&mut self, id: u32) -> Result<Pointer<'a>, CompileError> {
        self.eval().check_visible(id)?;
        match self.defs.get(id as usize).copied() {
            Some(Def::Pointer(pointer)) => Ok(*pointer),
            Some(Def::Global(index)) => self.global(index as usize),
            Some(Def::Value(ty, leaves)) => self.pointer_from_value(ty, leaves),
            _ => Err(CompileError::invalid(format!("id {id} is not a pointer"))),
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

/// Whether pointers may be operands of a computation.
fn takes_pointers(op: Op) -> bool {
    matches!(
        op,
        Op::Select
            | Op::CompositeConstruct
            | Op::CompositeInsert
            | Op::PtrEqual
            | Op::PtrNotEqual
            | Op::PtrDiff
            | Op::ConvertPtrToU
            | Op::Bitcast
            | Op::CopyLogical
    )
}
