//! Reads of render targets at the fragment's own pixel: tile images, and input attachments that the key says are render
//! targets of the same pass.

use agx_abi::Stage;
use agx_abi::fragment::MAX_TARGETS;
use spirv::{Decoration, Op, StorageClass};

use super::module::Global;
use super::pointers::{Pointer, Root};
use super::resources::Handle;
use super::translate::Translator;
use super::types::{ImageType, Layout};
use super::words::Inst;
use crate::error::CompileError;
use crate::ir::build::spilled::Spilled;
use crate::ir::build::tile;
use crate::ir::function::Access;
use crate::ir::src::Src;

/// What a variable names beside, or instead of, a descriptor.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Attachment {
    /// The render target of this number.
    Target(u32),
    /// The input attachment of this number.
    Input(u32),
}

impl<'a> Translator<'_, 'a> {
    /// The pointer to a tile image.
    pub(super) fn tile_image_variable(&mut self, global: &Global<'a>) -> Result<Pointer<'a>, CompileError> {
        debug_assert_eq!(global.class, StorageClass::TileImageEXT);
        let location = self.module.decorations.of(global.id, Decoration::Location).unwrap_or(0);
        let root = Root::Resources {
            set: 0,
            binding: 0,
            count: None,
            readable: false,
            attachment: Some(Attachment::Target(location)),
        };
        Ok(Pointer::new(root, global.ty, Layout::Natural, Access::READONLY))
    }

    /// Translates reads of tile images; false for other instructions.
    pub(super) fn tile_instruction(&mut self, inst: &Inst<'a>) -> Result<bool, CompileError> {
        match inst.op {
            Op::ColorAttachmentReadEXT => {
                let (_, handle, image) = self.image(inst.word(2)?)?;
                let Some(target) = self.target_in_tile(handle)? else {
                    return Err(CompileError::invalid("an attachment is read that is no tile image"));
                };
                let sample = inst.rest(3).first().copied();
                self.read_target(inst, target, &image, sample)?;
                Ok(true)
            }
            Op::DepthAttachmentReadEXT | Op::StencilAttachmentReadEXT => {
                Err(CompileError::unsupported("depth and stencil are not readable in the tile"))
            }
            _ => Ok(false),
        }
    }

    /// The render target that an image is, if it is one.
    pub(super) fn target_in_tile(&self, handle: Handle) -> Result<Option<u32>, CompileError> {
        let Some(attachment) = handle.attachment else { return Ok(None) };
        let inputs = self.io.tile.as_ref().map_or(&[][..], |pass| &pass.input_attachments);
        if matches!(attachment, Attachment::Input(_)) && inputs.is_empty() {
            return Ok(None);
        }
        if handle.index.is_some() {
            return Err(CompileError::unsupported("attachments in the tile that are indexed dynamically"));
        }
        Ok(match attachment {
            Attachment::Target(first) => Some(first.saturating_add(handle.fixed)),
            Attachment::Input(first) => {
                let number = first.saturating_add(handle.fixed);
                inputs.iter().find(|(input, _)| *input == number).map(|(_, target)| *target)
            }
        })
    }

    /// Reads what a render target holds.
    pub(super) fn read_target(
        &mut self,
        inst: &Inst<'a>,
        target: u32,
        image: &ImageType,
        sample: Option<u32>,
    ) -> Result<(), CompileError> {
        if self.io.stage != Stage::Fragment {
            return Err(CompileError::invalid("a render target is read outside fragment shaders"));
        }
        let pass = self.io.tile.as_ref();
        let Some((format, pass)) = pass.and_then(|pass| Some((pass.format(target)?, pass))) else {
            return Err(CompileError::unsupported(format!(
                "the shader reads render target {target}, whose format the key does not say"
            )));
        };
        let (layout, samples) = (pass.layout(), pass.samples);
        if !matches!(samples, 1 | 2 | 4) {
            return Err(CompileError::invalid(format!("{samples} samples: there are 1, 2 or 4")));
        }
        debug_assert!(target < MAX_TARGETS);
        let mask = match sample {
            None => self.shaded_samples(),
            Some(id) => {
                let sample = self.eval().scalar(id)?;
                let sample = self.b.uconv(sample, 16);
                match sample.as_imm() {
                    Some(sample) => Src::imm(1 << (sample & 7), 16),
                    None => self.b.shl(Src::imm(1, 16), sample),
                }
            }
        };
        self.io.fragment.reads_targets |= 1 << target;
        let texel = match layout.offsets[target as usize] {
            Some(offset) => {
                self.wait_for_pixel(tile::WAIT_READS);
                tile::load(&mut self.b, format, offset, mask)
            }
            None => {
                let sampler = self.sampler_of_loads()?.as_imm().unwrap_or_default();
                self.wait_for_pixel(tile::WAIT_ALL);
                let spilled = Spilled::new(&mut self.b, target, (mask, samples), sampler as u8);
                spilled.load(&mut self.b, format)
            }
        };
        let bits = self.texel_bits(image)?;
        let texel = texel.map(|word| self.b.fconv(word, bits));
        self.define_texel(inst, &texel)
    }

    /// Waits for the fragments before this one at the pixel, unless every way here has.
    fn wait_for_pixel(&mut self, mask: u64) {
        let (here, entry) = (self.b.block(), self.b.f.entry());
        let known = self
            .io
            .waited
            .iter()
            .any(|(block, waited)| (*block == here || *block == entry) && waited & mask == mask);
        if !known {
            tile::wait(&mut self.b, mask);
            self.io.waited.push((here, mask));
        }
    }
}
