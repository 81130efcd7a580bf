//! Texels by integer coordinates, image stores, and what a shader asks about images.

use agx_abi::Stage;
use agx_abi::textures::{self, BUFFER_ROW_TEXELS, DescriptorKind, Field};
use agx_isa::table::Opcode;
use spirv::{Dim, Op};

use super::pointers::{Pointer, Root};
use super::resources::Handle;
use super::sampling::{Operands, axes, dimension};
use super::translate::Translator;
use super::types::{ImageType, Kind, Layout};
use super::words::Inst;
use crate::error::CompileError;
use crate::ir::build::alu::IntCond;
use crate::ir::function::Access;
use crate::ir::op::{IrOp, mods_with};
use crate::ir::src::Src;
use crate::ir::types::Type;

/// The hardware's code of 2D arrays.
const ARRAY_2D: u32 = 3;

/// Special registers of a fragment: its layer and pixel (applegpu, Mesa 25.0).
const LAYER: u32 = 2;
const PIXEL: u32 = 80;

/// Logarithm of the bytes of a texel that atomics are done on.
const TEXEL_SHIFT: u32 = 2;

/// A row that no texture has.
const NO_ROW: u32 = 0xffff;

/// Where a texel is.
struct Texel {
    coords: Vec<Src>,
    layer: Src,
    dim: u32,
}

/// Whether the instruction also says if the texels have memory behind them.
fn is_sparse(op: Op) -> bool {
    matches!(
        op,
        Op::ImageSparseSampleImplicitLod
            | Op::ImageSparseSampleExplicitLod
            | Op::ImageSparseSampleDrefImplicitLod
            | Op::ImageSparseSampleDrefExplicitLod
            | Op::ImageSparseFetch
            | Op::ImageSparseGather
            | Op::ImageSparseDrefGather
            | Op::ImageSparseRead
            | Op::ImageSparseTexelsResident
    )
}

impl<'a> Translator<'_, 'a> {
    /// Translates instructions on images other than sampling; false for other instructions.
    pub(super) fn image_instruction(&mut self, inst: &Inst<'a>) -> Result<bool, CompileError> {
        match inst.op {
            Op::ImageFetch | Op::ImageRead => self.load_texel(inst)?,
            Op::ImageWrite => self.store_texel(inst)?,
            Op::ImageTexelPointer => self.texel_pointer(inst)?,
            Op::ImageQuerySizeLod | Op::ImageQuerySize => self.query_size(inst)?,
            Op::ImageQueryLevels => {
                let (_, handle, _) = self.image(inst.word(2)?)?;
                let last = self.last_level(handle);
                let count = self.b.iadd(last, Src::imm32(1));
                self.define_texel(inst, &[count])?;
            }
            Op::ImageQuerySamples => {
                let (_, handle, _) = self.image(inst.word(2)?)?;
                let logarithm = self.descriptor_field(handle, textures::SAMPLES);
                let count = self.b.shl(Src::imm32(2), logarithm);
                self.define_texel(inst, &[count])?;
            }
            op if is_sparse(op) => {
                return Err(CompileError::unsupported(
                    "residency of sparse images: sample without the sparse forms",
                ));
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// The scalars of an integer coordinate.
    fn integers(&mut self, id: u32, image: &ImageType) -> Result<Vec<Src>, CompileError> {
        let (_, leaves) = self.eval().value(id)?;
        let count = axes(image) + usize::from(image.arrayed);
        if leaves.len() < count || leaves.iter().any(|leaf| self.b.f.width(*leaf) == 1) {
            return Err(CompileError::invalid("the coordinate has too few components"));
        }
        Ok(leaves[..count].iter().map(|leaf| self.b.sconv(*leaf, 32)).collect())
    }

    /// Where the texel at an integer coordinate is. Cubes that are not sampled are arrays of their faces, texel buffers
    /// have rows, input attachments are read at the fragment's pixel and layer.
    fn texel(&mut self, id: u32, handle: Handle, image: &ImageType) -> Result<Texel, CompileError> {
        let mut coords = self.integers(id, image)?;
        let dim = dimension(image)?;
        let none = Src::NONE;
        Ok(match image.dim {
            Dim::DimBuffer => Texel { coords: self.buffer_texel(coords[0], handle), layer: none, dim },
            Dim::DimSubpassData if self.io.stage != Stage::Fragment => {
                return Err(CompileError::invalid("an input attachment outside fragment shaders"));
            }
            Dim::DimSubpassData => {
                for (axis, coord) in coords.iter_mut().take(2).enumerate() {
                    let pixel = self.image_register(PIXEL + axis as u32);
                    *coord = self.b.iadd(pixel, *coord);
                }
                coords.truncate(2);
                Texel { coords, layer: self.image_register(LAYER), dim }
            }
            Dim::DimCube => {
                let face = coords[2];
                coords.truncate(2);
                Texel { coords, layer: face, dim: ARRAY_2D }
            }
            _ if image.arrayed => {
                let layer = coords.pop().unwrap_or(none);
                Texel { coords, layer, dim }
            }
            _ => Texel { coords, layer: none, dim },
        })
    }

    /// Column and row of a texel of a buffer; a row that does not exist past the end.
    fn buffer_texel(&mut self, index: Src, handle: Handle) -> Vec<Src> {
        let count = self.buffer_texels(handle);
        let column = self.b.and(index, Src::imm32(BUFFER_ROW_TEXELS - 1));
        let row = self.b.ushr(index, Src::imm32(BUFFER_ROW_TEXELS.trailing_zeros()));
        let is_inside = self.b.icmp(IntCond::ULT, index, count);
        vec![column, self.b.select(is_inside, row, Src::imm32(NO_ROW))]
    }

    fn image_register(&mut self, number: u32) -> Src {
        let mods = mods_with(Opcode::Mfsr, &[("sr", number)]);
        Src::value(self.b.value(Opcode::Mfsr, Type::B32, &[], &mods))
    }

    fn load_texel(&mut self, inst: &Inst<'a>) -> Result<(), CompileError> {
        let (_, handle, image) = self.image(inst.word(2)?)?;
        let operands = Operands::read(inst.rest(4))?;
        if let Some(target) = self.target_in_tile(handle)? {
            return self.read_target(inst, target, &image, operands.sample);
        }
        let mut texel = self.texel(inst.word(3)?, handle, &image)?;
        if let Some(id) = operands.offset {
            let (_, offset) = self.eval().value(id)?;
            for (coord, offset) in texel.coords.iter_mut().zip(offset) {
                let offset = self.b.sconv(*offset, 32);
                *coord = self.b.iadd(*coord, offset);
            }
        }
        let texture = self.descriptor(handle, DescriptorKind::Texture);
        let sampler = self.sampler_of_loads()?;
        let (mut last_layer, mut lod, mut last_lod) = (Src::NONE, Src::NONE, Src::NONE);
        // An attachment has the layer that is rendered to.
        if texel.layer != Src::NONE && image.dim != Dim::DimSubpassData {
            last_layer = self.last_layer(handle);
        }
        if let Some(id) = operands.lod {
            let level = self.eval().scalar(id)?;
            if level.as_imm() != Some(0) {
                lod = self.b.sconv(level, 32);
                last_lod = self.last_level(handle);
            }
        }
        let sample = match operands.sample {
            _ if !image.multisampled => Src::NONE,
            None => Src::imm32(0),
            Some(id) => {
                let sample = self.eval().scalar(id)?;
                self.b.uconv(sample, 32)
            }
        };
        let coords = self.b.collect(Type::vector(32, texel.coords.len() as u8), &texel.coords);
        let srcs =
            [texture.texture, texture.heap, sampler, coords, texel.layer, last_layer, lod, last_lod, sample];
        let is_stored = image.storage && image.dim != Dim::DimSubpassData;
        let access = if is_stored { Access::IMAGE } else { Access::READONLY };
        let ty = Type::vector(self.texel_bits(&image)?, 4);
        let vector = self.b.value(IrOp::LoadTexture, ty, &srcs, &[access.bits(), texel.dim]);
        let parts = self.b.split(Src::value(vector), Type::scalar(ty.bits), 4);
        self.define_texel(inst, &parts)
    }

    fn store_texel(&mut self, inst: &Inst<'a>) -> Result<(), CompileError> {
        let (_, handle, image) = self.image(inst.word(0)?)?;
        if image.multisampled {
            return Err(CompileError::unsupported("stores to images of several samples"));
        }
        let texel = self.texel(inst.word(1)?, handle, &image)?;
        let (_, leaves) = self.eval().value(inst.word(2)?)?;
        let bits = self.texel_bits(&image)?;
        if leaves.is_empty() || leaves.len() > 4 || leaves.iter().any(|leaf| self.b.f.width(*leaf) != bits) {
            return Err(CompileError::invalid("the texel is not of the image's type"));
        }
        let data: Vec<Src> = (0..4).map(|at| leaves.get(at).copied().unwrap_or(leaves[0])).collect();
        let data = self.b.collect(Type::vector(bits, 4), &data);
        let descriptor = self.descriptor(handle, DescriptorKind::Image);
        let coords = self.b.collect(Type::vector(32, texel.coords.len() as u8), &texel.coords);
        let srcs = [data, descriptor.texture, descriptor.heap, coords, texel.layer];
        self.writes_memory = true;
        let guard = self.guard_effect();
        self.b.effect(IrOp::StoreImage, &srcs, &[texel.dim]);
        self.end_guard(guard);
        if handle.readable {
            self.b.effect(IrOp::FenceTexels, &[], &[0]);
        }
        Ok(())
    }

    /// A pointer to a texel, for atomics: its address in the linear image.
    fn texel_pointer(&mut self, inst: &Inst<'a>) -> Result<(), CompileError> {
        let pointer = self.pointer(inst.word(2)?)?;
        let (Some(handle), Kind::Image(image)) = (Handle::of(&pointer), self.types.kind(pointer.ty)) else {
            return Err(CompileError::invalid("a pointer to a texel of something that is not an image"));
        };
        if image.multisampled || self.texel_bits(&image)? != 32 {
            return Err(CompileError::unsupported(
                "atomics on images of several samples or of texels other than 32-bit words",
            ));
        }
        let coords = self.integers(inst.word(3)?, &image)?;
        let mut offset = self.b.shl(coords[0], Src::imm32(TEXEL_SHIFT));
        // A line has layers, but no rows.
        let strides: &[(Field, u32)] = match image.dim {
            Dim::Dim1D => &[(textures::LAYER_STRIDE, 7)],
            _ => &[(textures::ROW_STRIDE, 4), (textures::LAYER_STRIDE, 7)],
        };
        for (coord, (field, shift)) in coords[1..].iter().zip(strides) {
            let last = self.descriptor_field(handle, *field);
            let units = self.b.iadd(last, Src::imm32(1));
            let stride = self.b.shl(units, Src::imm32(*shift));
            let start = self.b.imul(*coord, stride);
            offset = self.b.iadd(offset, start);
        }
        let base = self.texel_base(handle);
        let root = Root::Buffer { base, identity: None };
        let pointer = Pointer::new(root, image.texel, Layout::Explicit, Access::VOLATILE);
        self.define_pointer(
            inst,
            Pointer { offset: Some(offset), align: 1 << TEXEL_SHIFT, texel: true, ..pointer },
        )
    }

    /// Texels along each axis at a level, then layers.
    fn query_size(&mut self, inst: &Inst<'a>) -> Result<(), CompileError> {
        let (_, handle, image) = self.image(inst.word(2)?)?;
        let level = match inst.rest(3) {
            [id, ..] => self.eval().scalar(*id)?,
            [] => Src::imm32(0),
        };
        if image.dim == Dim::DimBuffer {
            let count = self.buffer_texels(handle);
            return self.define_texel(inst, &[count]);
        }
        let first = self.descriptor_field(handle, textures::FIRST_LEVEL);
        let level = self.b.uconv(level, 32);
        let level = self.b.iadd(first, level);
        let fields = match image.dim {
            Dim::Dim1D => &[textures::WIDTH][..],
            Dim::Dim3D => &[textures::WIDTH, textures::HEIGHT, textures::DEPTH],
            _ => &[textures::WIDTH, textures::HEIGHT],
        };
        let mut size = Vec::with_capacity(3);
        for field in fields {
            let last = self.descriptor_field(handle, *field);
            let whole = self.b.iadd(last, Src::imm32(1));
            let shrunk = self.b.ushr(whole, level);
            size.push(self.b.umax(shrunk, Src::imm32(1)));
        }
        if image.arrayed {
            let last = self.last_layer(handle);
            let layers = self.b.iadd(last, Src::imm32(1));
            let is_faces = image.storage && image.dim == Dim::DimCube;
            size.push(if is_faces { self.b.udiv(layers, Src::imm32(6)) } else { layers });
        }
        self.define_texel(inst, &size)
    }
}
