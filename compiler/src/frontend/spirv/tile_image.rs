//! Reads of render targets at the fragment's own pixel: tile images, and input attachments that the key says are render
//! targets of the same pass.

use spirv::{Decoration, StorageClass};

use super::module::Global;
use super::pointer::{Attachment, Pointer, Root};
use super::resource::Bound;
use super::translate::Translator;
use super::types::{ImageType, Layout};
use super::words::Inst;
use crate::error::{CompileError, ImageError};
use crate::frontend::kit::fragment;
use crate::ir::Arithmetic;
use crate::ir::function::Access;

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

    /// `OpColorAttachmentReadEXT`.
    pub(super) fn colour_attachment_read(&mut self, inst: &Inst<'a>) -> Result<(), CompileError> {
        let (_, bound, image) = self.image(inst.word(2)?)?;
        let Some(target) = self.target_in_tile(bound)? else {
            return Err(ImageError::NotATileImage { id: inst.word(2)? }.into());
        };
        let sample = inst.rest(3).first().copied();
        self.read_target(inst, target, &image, sample)
    }

    /// The render target that an image is, if it is one.
    pub(super) fn target_in_tile(&self, handle: Bound) -> Result<Option<u32>, CompileError> {
        let Some(attachment) = handle.attachment else { return Ok(None) };
        let inputs = self.kit.fragment.tile.as_ref().map_or(&[][..], |pass| &pass.input_attachments);
        if matches!(attachment, Attachment::Input(_)) && inputs.is_empty() {
            return Ok(None);
        }
        if handle.at.index.is_some() {
            return Err(ImageError::DynamicAttachment.into());
        }
        Ok(match attachment {
            Attachment::Target(first) => Some(first.saturating_add(handle.at.fixed)),
            Attachment::Input(first) => {
                let number = first.saturating_add(handle.at.fixed);
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
        let sample = sample.map(|id| self.eval().scalar(id)).transpose()?;
        let texel = fragment::read_target(&mut self.kit, target, sample)?;
        let bits = self.texel_bits(image)?;
        let texel = texel.map(|word| self.kit.b.fconv(word, bits));
        self.define_texel(inst, &texel)
    }
}
