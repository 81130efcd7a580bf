//! Buffers, images, shared memory and barriers.

use agx_tgsi::{Access, Detail, File, Index, Instruction, MemoryKind, Opcode, Qualifier, Target};

use super::lookup::{MAX_UNITS, shape};
use super::operands::written;
use super::program::{Program, option};
use super::registers::Number;
use crate::error::{CompileError, TgsiError};
use crate::frontend::four;
use crate::frontend::kit::buffers::{self, Buffer};
use crate::frontend::kit::images::{self, Load};
use crate::frontend::kit::limits::MAX_LOCAL_BYTES;
use crate::frontend::kit::sampling::Shape;
use crate::frontend::kit::textures::{self, Handle};
use crate::frontend::kit::{Kit, compute};
use crate::ir::{Access as Memory, Arithmetic, Src};

/// Descriptor sets of resources.
const IMAGES: u32 = 2;
const BUFFERS: u32 = 3;
const COUNTERS: u32 = 4;
const GLOBAL: u32 = 5;
const ARGUMENTS: u32 = 6;

/// Bytes of a word.
const WORD: u32 = 4;

/// Bits of the operand of MEMBAR.
const ORDERS_BUFFERS: u64 = 0b0_0011;
const ORDERS_IMAGES: u64 = 0b0_0100;
const ORDERS_SHARED: u64 = 0b0_1000;

/// The location of words in memory.
#[derive(Clone, Copy)]
pub(super) struct Words {
    /// The memory.
    pub buffer: Buffer,
    /// The byte offset, 32 bits.
    pub offset: Src,
}

/// An operand that names a resource.
#[derive(Clone, Copy)]
pub(super) struct Named {
    /// Its file.
    pub file: File,
    /// First index of a two-dimensional file.
    pub dimension: Option<Index>,
    /// Its number.
    pub index: Index,
}

impl Program<'_> {
    /// LOAD.
    ///
    /// # Errors
    /// Nonexistent memory and images.
    pub fn load(&self, kit: &mut Kit<'_, '_>, instruction: &Instruction) -> Result<(), CompileError> {
        let (Some(src), Some(dst)) = (instruction.srcs.first(), instruction.dsts.first()) else {
            return Ok(());
        };
        let named = Named { file: src.file, dimension: src.dimension, index: src.index };
        let value = if is_image(src.file) {
            self.load_texel(kit, instruction, named)?
        } else {
            let last = written(dst.mask).map(|component| four::of(src.swizzle, component)).max().unwrap_or(0);
            let at = self.fetch(kit, instruction, 1, 0);
            let number = self.resource_number(kit, named);
            let count = self.declared(named.file);
            let mut value = [Src::imm32(0); 4];
            for (unit, is_here) in self.choices(kit, number, count) {
                let words = self.words(kit, instruction, named, unit, at)?;
                let loaded = buffers::load(kit, words.buffer, words.offset, last.saturating_add(1));
                for (component, word) in value.iter_mut().zip(loaded) {
                    *component = is_here.map_or(word, |is_here| kit.b.select(is_here, word, *component));
                }
            }
            value
        };
        self.store(kit, instruction, src.swizzle.map(|component| Some(four::of(value, component))));
        Ok(())
    }

    /// STORE.
    ///
    /// # Errors
    /// Nonexistent memory and images.
    pub fn store_memory(&self, kit: &mut Kit<'_, '_>, instruction: &Instruction) -> Result<(), CompileError> {
        let Some(dst) = instruction.dsts.first() else { return Ok(()) };
        let named = Named { file: dst.file, dimension: dst.dimension, index: dst.index };
        let number = self.resource_number(kit, named);
        let count = self.declared(named.file);
        let at = self.fetch_all(kit, instruction, 0);
        for (unit, is_here) in self.choices(kit, number, count) {
            if let Some(is_here) = is_here {
                kit.b.begin_if(is_here);
            }
            if is_image(dst.file) {
                let data = self.fetch_all(kit, instruction, 1);
                self.store_texel(kit, instruction, unit, at, data)?;
            } else {
                let data = self.fetch_mask(kit, instruction, 1, dst.mask);
                let words = self.words(kit, instruction, named, unit, at[0])?;
                store_words(kit, words, dst.mask, data);
            }
            if is_here.is_some() {
                kit.b.begin_else();
                kit.b.end_if();
            }
        }
        Ok(())
    }

    /// Number of declared resources of a file.
    pub fn declared(&self, file: File) -> u32 {
        self.shader.size_of(file).clamp(1, MAX_UNITS)
    }

    /// The number of a resource; for counters, that of their buffer.
    pub fn resource_number(&self, kit: &mut Kit<'_, '_>, named: Named) -> Number {
        match (named.file, named.dimension) {
            (File::HwAtomic, Some(dimension)) => self.number(kit, dimension),
            _ => self.number(kit, named.index),
        }
    }

    /// The memory of a resource, starting at a byte offset.
    ///
    /// # Errors
    /// Private memory, whose size is unspecified.
    pub fn words(
        &self,
        kit: &mut Kit<'_, '_>,
        instruction: &Instruction,
        named: Named,
        unit: u32,
        at: Src,
    ) -> Result<Words, CompileError> {
        let mut offset = at;
        let buffer = match named.file {
            File::Buffer => Buffer::storage(kit, BUFFERS, unit),
            File::Constant | File::ConstantBuffer => Buffer::uniform(kit, 0, unit),
            File::HwAtomic => {
                let counter = match self.number(kit, named.index) {
                    Number::Fixed(number) => Src::imm32(number),
                    Number::Computed(number) => number,
                };
                let number = kit.b.iadd(counter, at);
                offset = kit.b.shl(number, Src::imm32(WORD.trailing_zeros()));
                Buffer::storage(kit, COUNTERS, unit)
            }
            _ => self.memory(kit, unit)?,
        };
        let is_ordered = instruction
            .memory
            .as_ref()
            .is_some_and(|access| access.has(Qualifier::Coherent) || access.has(Qualifier::Volatile));
        Ok(Words { buffer: if is_ordered { buffer.volatile() } else { buffer }, offset })
    }

    fn memory(&self, kit: &mut Kit<'_, '_>, unit: u32) -> Result<Buffer, CompileError> {
        let declaration = self.shader.memory(unit);
        let unit = declaration.map_or(unit, |declaration| match declaration.has_register(unit) {
            true => unit,
            false => declaration.range.first,
        });
        Ok(match declaration.map(|declaration| &declaration.detail) {
            Some(Detail::Memory(MemoryKind::Shared)) => {
                let bytes = option(self.key, "shared_bytes").unwrap_or(u64::from(MAX_LOCAL_BYTES));
                Buffer::local(kit, bytes.min(u64::from(MAX_LOCAL_BYTES)) as u32)
            }
            Some(Detail::Memory(MemoryKind::Input)) => Buffer::uniform(kit, ARGUMENTS, unit),
            Some(Detail::Memory(MemoryKind::Private)) => {
                return Err(TgsiError::Feature {
                    what: "private memory",
                    why: "the program does not specify its size",
                }
                .into());
            }
            _ => Buffer::storage(kit, GLOBAL, unit),
        })
    }

    /// The shape of an image.
    ///
    /// # Errors
    /// An image with an unspecified target.
    pub fn image_shape(&self, unit: u32, access: Option<&Access>) -> Result<Shape, CompileError> {
        let target = access.and_then(|access| access.target).or_else(|| {
            let declared = [File::Image, File::Resource].into_iter();
            let mut declared = declared.filter_map(|file| self.shader.declaration(file, None, unit));
            declared.find_map(|declaration| match declaration.detail {
                Detail::Image { target, .. } => Some(target),
                _ => None,
            })
        });
        Ok(Shape { storage: true, ..shape(target.unwrap_or(Target::Unknown))? })
    }

    fn load_texel(
        &self,
        kit: &mut Kit<'_, '_>,
        instruction: &Instruction,
        named: Named,
    ) -> Result<[Src; 4], CompileError> {
        let number = self.number(kit, named.index);
        let at = self.fetch_all(kit, instruction, 1);
        self.on_unit(kit, (number, named.file), |kit, unit| {
            let shape = self.image_shape(unit, instruction.memory.as_ref())?;
            let (coords, sample) = coordinates(shape, at);
            let load = Load {
                shape,
                bits: 32,
                coords,
                offset: Vec::new(),
                lod: None,
                sample,
                alpha: None,
                sparse: false,
            };
            Ok(images::load(kit, image(unit), &load)?.components)
        })
    }

    fn store_texel(
        &self,
        kit: &mut Kit<'_, '_>,
        instruction: &Instruction,
        unit: u32,
        at: [Src; 4],
        data: [Src; 4],
    ) -> Result<(), CompileError> {
        let shape = self.image_shape(unit, instruction.memory.as_ref())?;
        let (coords, sample) = coordinates(shape, at);
        let reads = |other: &Instruction| {
            let is_load = matches!(other.opcode, Opcode::Load);
            is_load && other.srcs.first().is_some_and(|src| is_image(src.file))
        };
        let readable = self.shader.instructions.iter().any(reads);
        images::store(kit, image(unit), shape, (coords, sample.unwrap_or(Src::imm32(0))), &data, readable)
    }

    /// RESQ.
    ///
    /// # Errors
    /// Nonexistent images.
    pub fn query(&self, kit: &mut Kit<'_, '_>, instruction: &Instruction) -> Result<(), CompileError> {
        let Some(src) = instruction.srcs.first() else { return Ok(()) };
        let number = self.number(kit, src.index);
        let named = Named { file: src.file, dimension: src.dimension, index: src.index };
        let value = self.on_unit(kit, (number, src.file), |kit, unit| {
            let mut value = [Src::imm32(0); 4];
            if !is_image(src.file) {
                value[0] = self.words(kit, instruction, named, unit, Src::imm32(0))?.buffer.size(kit);
                return Ok(value);
            }
            let shape = self.image_shape(unit, instruction.memory.as_ref())?;
            let size = images::size(kit, image(unit), shape, Src::imm32(0));
            for (component, axis) in value.iter_mut().zip(size) {
                *component = axis;
            }
            value[3] = if shape.multisampled { textures::samples(kit, image(unit)) } else { Src::imm32(1) };
            Ok(value)
        })?;
        self.store(kit, instruction, src.swizzle.map(|component| Some(four::of(value, component))));
        Ok(())
    }

    /// IMG2HND and SAMP2HND: a handle is the number of the unit.
    pub fn handle(&self, kit: &mut Kit<'_, '_>, instruction: &Instruction) {
        let Some(src) = instruction.srcs.first() else { return };
        let word = match self.unit(kit, src) {
            Number::Fixed(number) => Src::imm32(number),
            Number::Computed(number) => number,
        };
        let zero = Src::imm32(0);
        self.store(kit, instruction, [word, zero, zero, zero].map(Some));
    }

    /// BARRIER, MEMBAR and the fences.
    pub fn barrier(&self, kit: &mut Kit<'_, '_>, instruction: &Instruction) {
        let all = Memory::DEVICE | Memory::LOCAL | Memory::IMAGE;
        match instruction.opcode {
            Opcode::Barrier => compute::barrier(kit, all),
            Opcode::Membar => {
                let bits = self.fetch(kit, instruction, 0, 0).as_imm().unwrap_or(u64::MAX);
                let mut memory = Memory::empty();
                memory.set(Memory::DEVICE, bits & ORDERS_BUFFERS != 0);
                memory.set(Memory::IMAGE, bits & ORDERS_IMAGES != 0);
                memory.set(Memory::LOCAL, bits & ORDERS_SHARED != 0);
                compute::fence(kit, memory);
            }
            _ => compute::fence(kit, all),
        }
    }
}

/// Whether a file has images.
pub(super) fn is_image(file: File) -> bool {
    matches!(file, File::Image | File::Resource)
}

/// The image of a unit.
pub(super) fn image(unit: u32) -> Handle {
    Handle::new(IMAGES, unit)
}

/// The coordinates of a texel, its layer after them, and its sample.
pub(super) fn coordinates(shape: Shape, at: [Src; 4]) -> (Vec<Src>, Option<Src>) {
    (at.into_iter().take(shape.texel_coords()).collect(), shape.multisampled.then_some(at[3]))
}

/// Stores the components of a mask; consecutive ones in one access.
fn store_words(kit: &mut Kit<'_, '_>, words: Words, mask: u8, data: [Src; 4]) {
    let mut component = 0usize;
    while component < 4 {
        let count = (component..4).take_while(|at| mask & 1 << at != 0).count();
        if count > 0 {
            let offset = match component {
                0 => words.offset,
                _ => kit.b.iadd(words.offset, Src::imm32(WORD.wrapping_mul(component as u32))),
            };
            buffers::store(
                kit,
                words.buffer,
                offset,
                data.get(component..component.saturating_add(count)).unwrap_or(&[]),
            );
        }
        component = component.saturating_add(count.max(1));
    }
}
