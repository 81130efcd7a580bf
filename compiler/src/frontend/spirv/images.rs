//! Texels by integer coordinates, image stores, and what a shader asks about images.

use super::pointer::{Pointer, Root};
use super::resource::Bound;
use super::sampling::{Operands, shape};
use super::translate::Translator;
use super::types::{ImageType, Kind, Layout};
use super::words::Inst;
use crate::error::{CompileError, ImageError};
use crate::frontend::kit::images::{self, Load};
use crate::frontend::kit::textures;
use crate::ir::Arithmetic;
use crate::ir::function::Access;
use crate::ir::src::Src;

impl<'a> Translator<'_, 'a> {
    /// Number of levels.
    pub(super) fn query_levels(&mut self, inst: &Inst<'a>) -> Result<(), CompileError> {
        let (_, bound, _) = self.image(inst.word(2)?)?;
        let count = textures::levels(&mut self.kit, bound.at);
        self.define_texel(inst, &[count])
    }

    /// Number of samples.
    pub(super) fn query_samples(&mut self, inst: &Inst<'a>) -> Result<(), CompileError> {
        let (_, bound, _) = self.image(inst.word(2)?)?;
        let count = textures::samples(&mut self.kit, bound.at);
        self.define_texel(inst, &[count])
    }

    /// The scalars of an integer coordinate.
    fn integers(&mut self, id: u32, image: &ImageType) -> Result<Vec<Src>, CompileError> {
        let (_, leaves) = self.eval().value(id)?;
        let count = shape(image)?.axes() + usize::from(image.arrayed);
        if leaves.len() < count || leaves.iter().any(|leaf| self.kit.b.f.width(*leaf) == 1) {
            return Err(ImageError::Coordinate { expected: count, found: leaves.len() }.into());
        }
        Ok(leaves[..count].iter().map(|leaf| self.kit.b.sconv(*leaf, 32)).collect())
    }

    /// Loads a texel, or reads a render target.
    pub(super) fn load_texel(&mut self, inst: &Inst<'a>) -> Result<(), CompileError> {
        let (_, bound, image) = self.image(inst.word(2)?)?;
        let operands = Operands::read(inst.rest(4))?;
        if let Some(target) = self.target_in_tile(bound)? {
            return self.read_target(inst, target, &image, operands.sample);
        }
        let load = Load {
            shape: shape(&image)?,
            bits: self.texel_bits(&image)?,
            coords: self.integers(inst.word(3)?, &image)?,
            offset: match operands.offset {
                Some(id) => self.eval().value(id)?.1.to_vec(),
                None => Vec::new(),
            },
            lod: operands.lod.map(|id| self.eval().scalar(id)).transpose()?,
            sample: match operands.sample {
                Some(id) if image.multisampled => Some(self.eval().scalar(id)?),
                _ => None,
            },
        };
        let texel = images::load(&mut self.kit, bound.at, &load)?;
        self.define_texel(inst, &texel)
    }

    /// Stores a texel.
    pub(super) fn store_texel(&mut self, inst: &Inst<'a>) -> Result<(), CompileError> {
        let (_, bound, image) = self.image(inst.word(0)?)?;
        let coords = self.integers(inst.word(1)?, &image)?;
        let (_, leaves) = self.eval().value(inst.word(2)?)?;
        let bits = self.texel_bits(&image)?;
        if leaves.is_empty()
            || leaves.len() > 4
            || leaves.iter().any(|leaf| self.kit.b.f.width(*leaf) != bits)
        {
            return Err(ImageError::Texel { count: leaves.len(), bits }.into());
        }
        let data = [0, 1, 2, 3].map(|at: usize| leaves.get(at).copied().unwrap_or(leaves[0]));
        images::store(&mut self.kit, bound.at, shape(&image)?, coords, data, bound.readable)
    }

    /// A pointer to a texel, for atomics: its address in the linear image.
    pub(super) fn texel_pointer(&mut self, inst: &Inst<'a>) -> Result<(), CompileError> {
        let pointer = self.pointer(inst.word(2)?)?;
        let (Some(bound), Kind::Image(image)) = (Bound::of(&pointer), self.values.types.kind(pointer.ty))
        else {
            return Err(ImageError::TexelPointer { id: inst.word(2)? }.into());
        };
        if image.multisampled || self.texel_bits(&image)? != 32 {
            return Err(ImageError::TexelAtomic.into());
        }
        let coords = self.integers(inst.word(3)?, &image)?;
        let (base, offset) = images::texel_address(&mut self.kit, bound.at, shape(&image)?, &coords);
        let root = Root::Buffer { base, identity: None };
        let pointer = Pointer::new(root, image.texel, Layout::Explicit, Access::VOLATILE);
        let align = 1 << images::TEXEL_SHIFT;
        self.define_pointer(inst, Pointer { offset: Some(offset), align, texel: true, ..pointer })
    }

    /// Texels along each axis at a level, then layers.
    pub(super) fn query_size(&mut self, inst: &Inst<'a>) -> Result<(), CompileError> {
        let (_, bound, image) = self.image(inst.word(2)?)?;
        let level = match inst.rest(3) {
            [id, ..] => self.eval().scalar(*id)?,
            [] => Src::imm32(0),
        };
        let size = images::size(&mut self.kit, bound.at, shape(&image)?, level);
        self.define_texel(inst, &size)
    }
}
