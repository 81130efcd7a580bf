//! Variables that only their invocation sees: scalar variables, stack memory, or the constant section.

use spirv::StorageClass;

use super::module::Def;
use super::pointer::{Pointer, Root};
use super::translate::Translator;
use super::types::{Kind, Layout, Ty};
use super::words::Inst;
use crate::error::{CompileError, MemoryError};
use crate::frontend::kit::limits::{MAX_CONSTANT_BYTES, MAX_SCRATCH_BYTES};
use crate::ir::function::Access;
use crate::ir::src::Src;

/// Alignment of arrays in the constant section: that of the widest load.
const CONSTANT_ALIGN: u32 = 16;

impl<'a> Translator<'_, 'a> {
    /// A variable of a function.
    pub(super) fn local_variable(&mut self, inst: &Inst<'a>) -> Result<(), CompileError> {
        let id = inst.word(1)?;
        let pointee = self.eval().ty(inst.word(0)?)?;
        let Kind::Pointer { class: StorageClass::Function, pointee: Some(ty), .. } =
            self.values.types.kind(pointee)
        else {
            return Err(MemoryError::FunctionVariable { id }.into());
        };
        let pointer = self.allocate(id, ty)?;
        let init = match inst.rest(3) {
            [init, ..] => self.with_pointers_as_values(&[*init], |t| t.eval().value(*init))?.1,
            [] if matches!(pointer.root, Root::Variables(_)) => self.eval().zeros(ty)?,
            [] => &[],
        };
        if !init.is_empty() {
            self.store(pointer, init, Access::empty())?;
        }
        self.define(id, Def::Pointer(self.values.bump.alloc(pointer)))
    }

    /// Finds a place for a variable that only its invocation sees: the constant section for what is indexed dynamically
    /// and never changes, stack memory for other arrays that are indexed dynamically and too long for selections,
    /// else scalar variables.
    pub(super) fn allocate(&mut self, id: u32, ty: Ty) -> Result<Pointer<'a>, CompileError> {
        let widths = self.values.types.leaves(ty)?;
        if let Some(leaves) = self.memory.usage.constant(id).filter(|leaves| leaves.len() == widths.len()) {
            let fixed = self.constant_array(ty, leaves)?;
            let pointer = Pointer::new(Root::Constants, ty, Layout::Natural, Access::empty());
            return Ok(Pointer { fixed, ..pointer });
        }
        let root = if self.memory.usage.needs_memory(id) {
            let slot = if widths.contains(&64) { 8 } else { 4 };
            let base = self.kit.memory.scratch_bytes;
            self.kit.memory.scratch_bytes = base + widths.len() as u32 * slot;
            if self.kit.memory.scratch_bytes > MAX_SCRATCH_BYTES {
                return Err(MemoryError::Stack { most: MAX_SCRATCH_BYTES }.into());
            }
            Root::Scratch { base, slot }
        } else {
            let first = self.kit.vars.add(widths);
            self.mark_variable(id, first, ty);
            Root::Variables(first)
        };
        Ok(Pointer::new(root, ty, Layout::Natural, Access::empty()))
    }

    /// Where the scalars stand in the constant section. Equal arrays share a place.
    fn constant_array(&mut self, ty: Ty, leaves: &'a [Src]) -> Result<u32, CompileError> {
        let known = self.memory.constants.arrays.iter().find(|known| (known.0, known.1) == (ty, leaves));
        if let Some((_, _, start)) = known {
            return Ok(*start);
        }
        let bytes = self.bytes_of(ty, leaves)?;
        let section = &mut self.kit.memory.constants;
        let start = (section.len() as u32).next_multiple_of(CONSTANT_ALIGN);
        if bytes.len() > (MAX_CONSTANT_BYTES - start.min(MAX_CONSTANT_BYTES)) as usize {
            return Err(MemoryError::Constants { most: MAX_CONSTANT_BYTES }.into());
        }
        section.resize(start as usize, 0);
        section.extend_from_slice(&bytes);
        self.memory.constants.arrays.push((ty, leaves, start));
        Ok(start)
    }
}
