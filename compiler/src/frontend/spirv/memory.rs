//! Loads and stores.

use agx_abi::UniformSource;

use super::arith::{halves, join};
use super::pointer::{Pointer, Root, Step};
use super::translate::Translator;
use super::types::{Kind, Layout, MatrixLayout, Ty, Types};
use crate::error::{CompileError, MemoryError};
use crate::frontend::kit::bounds::{self, Checked};
use crate::frontend::kit::coverage;
use crate::frontend::kit::limits::MAX_PUSH_CONSTANT_BYTES;
use crate::frontend::ssa::Variable;
use crate::ir::build::alu::IntCond;
use crate::ir::function::Access;
use crate::ir::op::IrOp;
use crate::ir::src::Src;
use crate::ir::types::Type;
use crate::ir::{Arithmetic, Build};

/// Most combinations of dynamic indices into scalar variables: each costs a comparison and a selection a scalar.
pub const MAX_SELECTED: u32 = 1024;

/// Most components of a memory access.
const MAX_COMPONENTS: u32 = 4;

/// Scalars of one type that lie side by side.
#[derive(Clone, Copy, Debug)]
struct Chunk {
    /// Bytes from the start of the value.
    offset: u32,
    /// Number of scalars.
    count: u32,
    /// Width of each as a value: booleans are 1.
    bits: u8,
}

/// The chunks of a value of type `ty` in memory, in the order of its scalars. The recursion is as deep as types nest,
/// which is limited.
fn chunks(
    types: &Types<'_>,
    ty: Ty,
    layout: Layout,
    matrix: MatrixLayout,
    component_stride: u32,
    at: u32,
    out: &mut Vec<Chunk>,
) -> Result<(), CompileError> {
    match types.kind(ty) {
        Kind::Bool => out.push(Chunk { offset: at, count: 1, bits: 1 }),
        Kind::Pointer { .. } => {
            let bits = types.leaves(ty)?.first().copied().unwrap_or(64);
            out.push(Chunk { offset: at, count: 1, bits });
        }
        Kind::Int { bits } | Kind::Float { bits } => out.push(Chunk { offset: at, count: 1, bits }),
        Kind::Vector { elem, count } => {
            let bits = types.leaves(elem)?.first().copied().unwrap_or(32);
            let bytes = types.natural(elem).0;
            let (most, stride) = match component_stride {
                0 => (if bits == 64 { MAX_COMPONENTS / 2 } else { MAX_COMPONENTS }, bytes),
                stride => (1, stride),
            };
            for first in (0..count).step_by(most as usize) {
                let count = most.min(count - first);
                out.push(Chunk { offset: at.wrapping_add(first * stride), count, bits });
            }
        }
        Kind::Struct { members } => {
            for member in members {
                let offset = if layout == Layout::Natural { member.natural_offset } else { member.offset };
                chunks(types, member.ty, layout, member.matrix, 0, at.wrapping_add(offset), out)?;
            }
        }
        Kind::Array { count, .. } | Kind::Matrix { count, .. } => {
            let stride = types.stride(ty, layout, matrix)?;
            let (elem, _) = types.element(ty, 0)?;
            let is_row_major = matches!(types.kind(ty), Kind::Matrix { .. })
                && layout == Layout::Explicit
                && matrix.row_major;
            let across = if is_row_major { matrix.stride } else { 0 };
            for index in 0..count {
                let at = at.wrapping_add(index.wrapping_mul(stride));
                chunks(types, elem, layout, matrix, across, at, out)?;
            }
        }
        _ => return Err(MemoryError::NotInMemory.into()),
    }
    Ok(())
}

/// Width of a scalar in memory.
fn memory_bits(bits: u8) -> u8 {
    if bits == 1 { 32 } else { bits }
}

impl<'a> Translator<'_, 'a> {
    /// The scalars of the value a pointer points to.
    pub(super) fn load(&mut self, pointer: Pointer<'a>, access: Access) -> Result<&'a [Src], CompileError> {
        let widths = self.values.types.leaves(pointer.ty)?;
        match pointer.root {
            Root::Variables(base) => self.load_variables(pointer, base, widths.len() as u32),
            Root::Scratch { base, slot } => Ok(self.load_scratch(pointer, base, slot, widths)),
            _ => self.load_memory(pointer, access),
        }
    }

    /// Stores scalars to where a pointer points.
    pub(super) fn store(
        &mut self,
        pointer: Pointer<'a>,
        data: &[Src],
        access: Access,
    ) -> Result<(), CompileError> {
        let widths = self.values.types.leaves(pointer.ty)?;
        let fits = widths.len() == data.len()
            && widths.iter().zip(data).all(|(bits, src)| self.kit.b.f.width(*src) == *bits);
        if !fits {
            return Err(MemoryError::StoredType { expected: widths.len(), found: data.len() }.into());
        }
        match pointer.root {
            Root::Variables(base) => self.store_variables(pointer, base, data),
            Root::Scratch { base, slot } => {
                self.store_scratch(pointer, base, slot, data);
                Ok(())
            }
            // What is there already: the variable would not be in the section otherwise.
            Root::Constants => Ok(()),
            _ => self.store_memory(pointer, data, access),
        }
    }

    /// Every place in scalar variables that dynamic indices may mean, and the computed place.
    pub(super) fn candidates(&mut self, steps: &[Step]) -> Result<(Vec<u32>, Src), CompileError> {
        let mut places = vec![0u32];
        let mut chosen = None;
        for step in steps {
            if places.len() as u64 * u64::from(step.count) > u64::from(MAX_SELECTED) {
                return Err(MemoryError::Selected { most: MAX_SELECTED }.into());
            }
            let each = |place: &u32| {
                let place = *place;
                (0..step.count).map(move |index| place + index * step.stride).collect::<Vec<_>>()
            };
            places = places.iter().flat_map(each).collect();
            chosen = Some(self.add_scaled(chosen, step.index, step.stride));
        }
        Ok((places, chosen.unwrap_or(Src::imm32(0))))
    }

    fn load_variables(
        &mut self,
        pointer: Pointer<'a>,
        base: Variable,
        count: u32,
    ) -> Result<&'a [Src], CompileError> {
        let first = base.0 + pointer.fixed;
        if pointer.steps.is_empty() {
            let read = |leaf: u32| self.kit.vars.read(&mut self.kit.b, Variable(first + leaf));
            let leaves: Vec<Src> = (0..count).map(read).collect();
            return Ok(self.values.bump.alloc_slice_copy(&leaves));
        }
        let (places, chosen) = self.candidates(pointer.steps)?;
        let mut result = Vec::with_capacity(count as usize);
        for leaf in 0..count {
            let mut sum = None;
            for place in places.iter().rev() {
                let here = self.kit.vars.read(&mut self.kit.b, Variable(first + place + leaf));
                sum = Some(match sum {
                    None => here,
                    Some(other) => {
                        let hit = self.kit.b.icmp(IntCond::EQ, chosen, Src::imm32(*place));
                        self.kit.b.select(hit, here, other)
                    }
                });
            }
            result.push(sum.expect("invariant: there is a place"));
        }
        Ok(self.values.bump.alloc_slice_copy(&result))
    }

    fn store_variables(
        &mut self,
        pointer: Pointer<'a>,
        base: Variable,
        data: &[Src],
    ) -> Result<(), CompileError> {
        let first = base.0 + pointer.fixed;
        if pointer.steps.is_empty() {
            for (leaf, src) in data.iter().enumerate() {
                self.kit.vars.write(&self.kit.b, Variable(first + leaf as u32), *src);
            }
            return Ok(());
        }
        let (places, chosen) = self.candidates(pointer.steps)?;
        for place in places {
            let hit = self.kit.b.icmp(IntCond::EQ, chosen, Src::imm32(place));
            for (leaf, src) in data.iter().enumerate() {
                let variable = Variable(first + place + leaf as u32);
                let old = self.kit.vars.read(&mut self.kit.b, variable);
                let new = self.kit.b.select(hit, *src, old);
                self.kit.vars.write(&self.kit.b, variable, new);
            }
        }
        Ok(())
    }

    /// Offset of scalar `leaf` of what a pointer into stack memory points to.
    fn scratch_offset(&mut self, pointer: &Pointer<'a>, base: u32, slot: u32, leaf: usize) -> Src {
        let fixed = Src::imm32(base + (pointer.fixed + leaf as u32) * slot);
        pointer.offset.map_or(fixed, |offset| self.kit.b.iadd(offset, fixed))
    }

    fn load_scratch(&mut self, pointer: Pointer<'a>, base: u32, slot: u32, widths: &[u8]) -> &'a [Src] {
        let mut result = Vec::with_capacity(widths.len());
        for (leaf, bits) in widths.iter().enumerate() {
            let offset = self.scratch_offset(&pointer, base, slot, leaf);
            let words = if *bits == 64 { 2 } else { 1 };
            let loaded =
                Src::value(self.kit.b.value(IrOp::LoadScratch, Type::vector(32, words), &[offset], &[]));
            result.push(match bits {
                64 => self.kit.b.collect(Type::B64, &[loaded]),
                1 => self.kit.b.icmp(IntCond::NE, loaded, Src::imm32(0)),
                bits => self.kit.b.uconv(loaded, *bits),
            });
        }
        self.values.bump.alloc_slice_copy(&result)
    }

    fn store_scratch(&mut self, pointer: Pointer<'a>, base: u32, slot: u32, data: &[Src]) {
        for (leaf, src) in data.iter().enumerate() {
            let offset = self.scratch_offset(&pointer, base, slot, leaf);
            let word = if self.kit.b.f.width(*src) == 64 {
                let (low, high) = halves(&mut self.kit.b, *src);
                self.kit.b.collect(Type::vector(32, 2), &[low, high])
            } else {
                self.kit.b.uconv(*src, 32)
            };
            self.kit.b.effect(IrOp::StoreScratch, &[word, offset], &[]);
        }
    }

    /// The bytes of constant scalars of type `ty` in memory that only this shader sees.
    pub(super) fn bytes_of(&self, ty: Ty, leaves: &[Src]) -> Result<Vec<u8>, CompileError> {
        let mut list = Vec::new();
        chunks(self.values.types, ty, Layout::Natural, MatrixLayout::default(), 0, 0, &mut list)?;
        let mut bytes = vec![0; self.values.types.natural(ty).0 as usize];
        let mut rest = leaves.iter();
        for chunk in list {
            let size = usize::from(memory_bits(chunk.bits) / 8);
            for (index, leaf) in rest.by_ref().take(chunk.count as usize).enumerate() {
                let value =
                    leaf.as_imm().ok_or_else(|| CompileError::internal("a constant without a value"))?;
                let start = chunk.offset as usize + index * size;
                bytes[start..start + size].copy_from_slice(&value.to_le_bytes()[..size]);
            }
        }
        Ok(bytes)
    }

    fn chunks_of(&self, pointer: &Pointer<'a>) -> Result<Vec<Chunk>, CompileError> {
        let mut list = Vec::new();
        let Pointer { ty, layout, matrix, component_stride, .. } = *pointer;
        chunks(self.values.types, ty, layout, matrix, component_stride, 0, &mut list)?;
        Ok(list)
    }

    /// Byte offset of a chunk, and the power of two that divides it.
    fn chunk_offset(&mut self, pointer: &Pointer<'a>, chunk: &Chunk) -> (Src, u32) {
        let fixed = pointer.fixed.wrapping_add(chunk.offset);
        let align = pointer.align.min(1 << fixed.trailing_zeros().min(31));
        let constant = Src::imm32(fixed);
        let offset = match pointer.offset {
            Some(offset) if fixed == 0 => offset,
            Some(offset) => self.kit.b.iadd(offset, constant),
            None => constant,
        };
        (offset, align)
    }

    fn load_memory(&mut self, pointer: Pointer<'a>, access: Access) -> Result<&'a [Src], CompileError> {
        let mut result = Vec::new();
        for chunk in self.chunks_of(&pointer)? {
            let bits = memory_bits(chunk.bits);
            if matches!(pointer.root, Root::PushConstants) && pointer.offset.is_none() && bits >= 16 {
                self.load_push_constant(pointer.fixed.wrapping_add(chunk.offset), &chunk, &mut result)?;
                continue;
            }
            let (offset, align) = self.chunk_offset(&pointer, &chunk);
            let words = if bits == 64 { 2 } else { 1 };
            let ty = Type::vector(bits.min(32), (chunk.count * words) as u8);
            let checked = self.checked(pointer.root, offset, ty);
            let loaded = match pointer.root {
                Root::Local => self.kit.b.value(IrOp::LoadLocal, ty, &[offset], &[align]),
                root => {
                    let (base, access) = self.base(root, pointer.access | access)?;
                    self.kit.b.value(IrOp::LoadGlobal, ty, &[base, checked.offset], &[access.bits(), align])
                }
            };
            let mut parts =
                self.kit.b.split(Src::value(loaded), Type::scalar(ty.bits), usize::from(ty.comps));
            parts.iter_mut().for_each(|part| *part = checked.loaded(&mut self.kit, *part));
            self.push_loaded(&parts, chunk.bits, &mut result);
        }
        Ok(self.values.bump.alloc_slice_copy(&result))
    }

    /// Turns what memory holds into scalars of `bits` bits.
    fn push_loaded(&mut self, parts: &[Src], bits: u8, result: &mut Vec<Src>) {
        match bits {
            64 => result.extend(parts.chunks(2).map(|pair| self.kit.b.collect(Type::B64, pair))),
            1 => result.extend(parts.iter().map(|word| self.kit.b.icmp(IntCond::NE, *word, Src::imm32(0)))),
            _ => result.extend_from_slice(parts),
        }
    }

    fn load_push_constant(
        &mut self,
        at: u32,
        chunk: &Chunk,
        result: &mut Vec<Src>,
    ) -> Result<(), CompileError> {
        let bits = memory_bits(chunk.bits);
        let bytes = u32::from(bits) / 8;
        if at > MAX_PUSH_CONSTANT_BYTES - bytes * chunk.count {
            return Err(MemoryError::PushConstants { at, most: MAX_PUSH_CONSTANT_BYTES }.into());
        }
        if !at.is_multiple_of(bytes.min(4)) {
            return Err(MemoryError::Unaligned { at, align: bytes.min(4) }.into());
        }
        for index in 0..chunk.count {
            let at = at + index * bytes;
            if bits == 64 {
                let (low, high) =
                    (self.kit.uniforms.push_constant(at, 32), self.kit.uniforms.push_constant(at + 4, 32));
                result.push(join(&mut self.kit.b, low, high));
            } else {
                let word = self.kit.uniforms.push_constant(at, bits);
                self.push_loaded(&[word], chunk.bits, result);
            }
        }
        Ok(())
    }

    /// Checks an access to a value of a type, where the key asks for it.
    pub(super) fn checked(&mut self, root: Root, offset: Src, ty: Type) -> Checked {
        match root {
            Root::Buffer { identity: Some(buffer), .. } => {
                let bytes = u32::from(ty.bits) / 8 * u32::from(ty.comps);
                bounds::check(&mut self.kit, buffer, offset, bytes)
            }
            _ => Checked { offset, is_inside: None },
        }
    }

    /// Address and access of a root in device memory.
    pub(super) fn base(&mut self, root: Root, access: Access) -> Result<(Src, Access), CompileError> {
        match root {
            Root::Buffer { base, .. } => Ok((base, access)),
            Root::PushConstants => {
                let address = self.kit.uniforms.get(UniformSource::PushConstantAddress, 0, 64);
                Ok((address, access | Access::READONLY))
            }
            Root::Constants => {
                let address = self.kit.uniforms.get(UniformSource::ConstantAddress, 0, 64);
                Ok((address, Access::READONLY | Access::SPECULATABLE))
            }
            _ => Err(MemoryError::BufferArray.into()),
        }
    }

    fn store_memory(
        &mut self,
        pointer: Pointer<'a>,
        data: &[Src],
        access: Access,
    ) -> Result<(), CompileError> {
        let guard = match pointer.root {
            Root::Local => None,
            _ => Some(coverage::guard(&mut self.kit)),
        };
        let mut rest = data;
        for chunk in self.chunks_of(&pointer)? {
            let (now, later) = rest.split_at(chunk.count as usize);
            rest = later;
            let bits = memory_bits(chunk.bits);
            let mut parts = Vec::with_capacity(now.len() * 2);
            for src in now {
                if bits == 64 {
                    let (low, high) = halves(&mut self.kit.b, *src);
                    parts.extend([low, high]);
                } else {
                    parts.push(self.kit.b.uconv(*src, bits));
                }
            }
            let ty = Type::vector(bits.min(32), parts.len() as u8);
            let vector = self.kit.b.collect(ty, &parts);
            let (offset, align) = self.chunk_offset(&pointer, &chunk);
            match pointer.root {
                Root::Local => self.kit.b.effect(IrOp::StoreLocal, &[vector, offset], &[align]),
                Root::PushConstants => return Err(MemoryError::WrittenPushConstants.into()),
                root => {
                    let (base, access) = self.base(root, (pointer.access | access) - Access::READONLY)?;
                    self.kit.memory.writes_memory = true;
                    let checked = self.checked(root, offset, ty);
                    checked.begin(&mut self.kit);
                    let srcs = [vector, base, checked.offset];
                    self.kit.b.effect(IrOp::StoreGlobal, &srcs, &[access.bits(), align]);
                    checked.end(&mut self.kit);
                }
            }
        }
        self.fence_texels(&pointer);
        if let Some(guard) = guard {
            coverage::end_guard(&mut self.kit, guard);
        }
        Ok(())
    }
}
