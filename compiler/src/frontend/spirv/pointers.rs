//! Steps of pointers: access chains, and pointers as values.

use spirv::StorageClass;

use super::pointer::{Pointer, Root, Step};
use super::translate::Translator;
use super::types::{Kind, Layout, Ty};
use crate::error::{CompileError, MemoryError, TypeError};
use crate::frontend::kit::buffers::{self, BufferElement};
use crate::ir::Arithmetic;
use crate::ir::function::Access;
use crate::ir::src::Src;

/// `access` of a place that the program alone says is within its buffer.
fn anywhere(access: Access) -> Access {
    access - Access::SPECULATABLE
}

impl<'a> Translator<'_, 'a> {
    /// The pointer that an access chain from `pointer` along `indices` gives.
    pub(super) fn access_chain(
        &mut self,
        mut pointer: Pointer<'a>,
        indices: &[u32],
    ) -> Result<Pointer<'a>, CompileError> {
        for id in indices {
            let index = self.eval().scalar(*id)?;
            pointer = match pointer.root {
                Root::BufferArray { set, binding, bounds } => {
                    let element = index.as_imm().map_or(index, |constant| Src::imm32(constant as u32));
                    self.choose_buffer(pointer, BufferElement { set, binding, element, bounds })?
                }
                Root::Resources { .. } => self.step_resources(pointer, index)?,
                Root::Variables(_) | Root::Scratch { .. } => self.step_scalars(pointer, index)?,
                Root::Constants => {
                    let index = self.within(pointer.ty, index);
                    self.step_bytes(pointer, index)?
                }
                Root::Local | Root::Buffer { .. } | Root::PushConstants => self.step_bytes(pointer, index)?,
            };
        }
        Ok(pointer)
    }

    /// Chooses a buffer of an array: by a constant its own address register, else its record in the table.
    fn choose_buffer(
        &mut self,
        pointer: Pointer<'a>,
        buffer: BufferElement,
    ) -> Result<Pointer<'a>, CompileError> {
        let (ty, _) = self.values.types.element(pointer.ty, 0)?;
        let base = buffers::address(&mut self.kit, buffer);
        let root = Root::Buffer { base, identity: Some(buffer) };
        Ok(Pointer { root, ty, ..pointer })
    }

    /// The address in device memory, or the offset in workgroup memory, as a value with its type.
    pub(super) fn pointer_value(&mut self, pointer: Pointer<'a>) -> Option<(Ty, Src)> {
        let ty = pointer.pointer?;
        let fixed = Src::imm32(pointer.fixed);
        let offset = match pointer.offset {
            Some(offset) if pointer.fixed == 0 => offset,
            Some(offset) => self.kit.b.iadd(offset, fixed),
            None => fixed,
        };
        match pointer.root {
            Root::Local => Some((ty, offset)),
            Root::Buffer { base, .. } => {
                let wide = self.kit.b.uconv(offset, 64);
                let is_start = wide.as_imm() == Some(0);
                Some((ty, if is_start { base } else { self.kit.b.iadd(base, wide) }))
            }
            _ => None,
        }
    }

    /// What a pointer that is a value points to.
    pub(super) fn pointer_from_value(&mut self, ty: Ty, leaves: &[Src]) -> Result<Pointer<'a>, CompileError> {
        let (Kind::Pointer { class, pointee: Some(pointee), .. }, [leaf]) =
            (self.values.types.kind(ty), leaves)
        else {
            return Err(MemoryError::ValueAsPointer.into());
        };
        let align = self.values.types.natural(pointee).1.max(1);
        let base = Pointer::new(Root::Local, pointee, Layout::Explicit, Access::empty());
        let base = Pointer { pointer: Some(ty), align, ..base };
        Ok(match class {
            StorageClass::Workgroup => {
                let layout = if self.module.is_block(pointee) { Layout::Explicit } else { Layout::Natural };
                Pointer { offset: Some(*leaf), layout, ..base }
            }
            _ => Pointer { root: Root::Buffer { base: *leaf, identity: None }, ..base },
        })
    }

    /// Moves a pointer by elements of the array it points into.
    pub(super) fn move_by_elements(
        &mut self,
        pointer: Pointer<'a>,
        id: u32,
    ) -> Result<Pointer<'a>, CompileError> {
        let index = self.eval().scalar(id)?;
        let stated = match pointer.pointer.map(|ty| self.values.types.kind(ty)) {
            Some(Kind::Pointer { stride, .. }) => stride,
            _ => 0,
        };
        let stride = if stated == 0 { self.values.types.natural(pointer.ty).0 } else { stated };
        if !matches!(pointer.root, Root::Local | Root::Buffer { .. }) {
            // Nor are there variable pointers into anything else.
            return Err(MemoryError::MovedPointer.into());
        }
        let pointer = Pointer { access: anywhere(pointer.access), ..pointer };
        if let Some(constant) = index.as_imm() {
            let step = stride.wrapping_mul(constant as u32);
            return Ok(Pointer { fixed: pointer.fixed.wrapping_add(step), ..pointer });
        }
        let index = self.index_word(index);
        let offset = self.add_scaled(pointer.offset, index, stride);
        let align = pointer.align.min(1 << stride.trailing_zeros().min(31));
        Ok(Pointer { offset: Some(offset), align, ..pointer })
    }

    /// An index that does not leave the array: what is out of bounds may reach anything in the variable, but nothing
    /// else.
    fn within(&mut self, ty: Ty, index: Src) -> Src {
        match self.values.types.kind(ty) {
            Kind::Array { count, .. } => {
                let index = self.index_word(index);
                self.kit.b.umin(index, Src::imm32(count - 1))
            }
            _ => index,
        }
    }

    /// One step into scalar variables or stack memory.
    fn step_scalars(&mut self, pointer: Pointer<'a>, index: Src) -> Result<Pointer<'a>, CompileError> {
        let count = self.values.types.element_count(pointer.ty);
        if let Some(constant) = index.as_imm() {
            let last = count.unwrap_or(1).saturating_sub(1);
            // An index out of bounds may reach anything within the variable, but nothing outside.
            let clamped = u32::try_from(constant).unwrap_or(u32::MAX).min(last);
            let (ty, leaf) = self.values.types.element(pointer.ty, clamped)?;
            return Ok(Pointer { ty, fixed: pointer.fixed + leaf, ..pointer });
        }
        self.check_dynamic(pointer.ty)?;
        let (ty, stride) = self.values.types.element(pointer.ty, 1)?;
        let index = self.index_word(index);
        match pointer.root {
            Root::Scratch { slot, .. } => {
                let last = Src::imm32(count.unwrap_or(1).saturating_sub(1));
                let index = self.kit.b.umin(index, last);
                let offset = self.add_scaled(pointer.offset, index, stride.saturating_mul(slot));
                Ok(Pointer { ty, offset: Some(offset), ..pointer })
            }
            _ => {
                let mut steps = pointer.steps.to_vec();
                steps.push(Step { stride, count: count.unwrap_or(1), index });
                Ok(Pointer { ty, steps: self.values.bump.alloc_slice_copy(&steps), ..pointer })
            }
        }
    }

    /// One step in memory.
    fn step_bytes(&mut self, pointer: Pointer<'a>, index: Src) -> Result<Pointer<'a>, CompileError> {
        if let Kind::Struct { members } = self.values.types.kind(pointer.ty) {
            let number = index.as_imm().ok_or_else(|| MemoryError::DynamicMember)?;
            let member = members
                .get(number as usize)
                .ok_or_else(|| TypeError::NoMember { index: number, count: members.len() })?;
            let step = if pointer.layout == Layout::Natural { member.natural_offset } else { member.offset };
            let mut access = pointer.access;
            access.set(Access::READONLY, access.contains(Access::READONLY) || member.readonly);
            access.set(Access::VOLATILE, access.contains(Access::VOLATILE) || member.volatile);
            let fixed = pointer.fixed.wrapping_add(step);
            return Ok(Pointer { ty: member.ty, fixed, matrix: member.matrix, access, ..pointer });
        }
        let stride = match pointer.component_stride {
            0 => self.values.types.stride(pointer.ty, pointer.layout, pointer.matrix)?,
            stride => stride,
        };
        let (ty, _) = self.values.types.element(pointer.ty, 0)?;
        let into_row_major = matches!(self.values.types.kind(pointer.ty), Kind::Matrix { .. })
            && pointer.layout == Layout::Explicit
            && pointer.matrix.row_major;
        let component_stride = if into_row_major { pointer.matrix.stride } else { 0 };
        let next = Pointer { ty, component_stride, ..pointer };
        match index.as_imm() {
            Some(constant) => {
                let count = self.values.types.element_count(pointer.ty).unwrap_or(0);
                let access = if constant < u64::from(count) { next.access } else { anywhere(next.access) };
                let step = stride.wrapping_mul(constant as u32);
                Ok(Pointer { fixed: pointer.fixed.wrapping_add(step), access, ..next })
            }
            None => {
                let index = self.index_word(index);
                let offset = self.add_scaled(pointer.offset, index, stride);
                let align = pointer.align.min(1 << stride.trailing_zeros().min(31));
                Ok(Pointer { offset: Some(offset), align, access: anywhere(next.access), ..next })
            }
        }
    }

    fn check_dynamic(&self, ty: Ty) -> Result<(), CompileError> {
        match self.values.types.kind(ty) {
            Kind::Struct { .. } => Err(MemoryError::DynamicMember.into()),
            _ => Ok(()),
        }
    }

    /// An index as a 32-bit integer; shorter ones are signed.
    pub(super) fn index_word(&mut self, index: Src) -> Src {
        self.kit.b.sconv(index, 32)
    }

    /// `sum + index · stride`.
    pub(super) fn add_scaled(&mut self, sum: Option<Src>, index: Src, stride: u32) -> Src {
        let scaled = match stride {
            1 => index,
            stride if stride.is_power_of_two() => self.kit.b.shl(index, Src::imm32(stride.trailing_zeros())),
            stride => self.kit.b.imul(index, Src::imm32(stride)),
        };
        match sum {
            Some(sum) => self.kit.b.iadd(sum, scaled),
            None => scaled,
        }
    }
}
