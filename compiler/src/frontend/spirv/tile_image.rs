//! Reads of render targets at the fragment's own pixel: tile images, and input attachments that the key maps
//! to render targets of the same pass.

use spirv::{Decoration, StorageClass};

use super::module::Global;
use super::pointer::{Attachment, Pointer, Root};
use super::resource::Bound;
use super::types::{ImageType, Layout};
use super::values::Values;
use super::words::Inst;
use super::{resources, sampling};
use crate::error::{CompileError, ImageError};
use crate::frontend::kit::fragment;
use crate::ir::Arithmetic;
use crate::ir::function::Access;

/// The pointer to a tile image.
pub(super) fn tile_image_variable<'a>(
    v: &mut Values<'_, 'a>,
    global: &Global<'a>,
) -> Result<Pointer<'a>, CompileError> {
    debug_assert_eq!(global.class, StorageClass::TileImageEXT);
    let location = v.module.decorations.of(global.id, Decoration::Location).unwrap_or(0);
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
pub(super) fn colour_attachment_read<'a>(
    v: &mut Values<'_, 'a>,
    inst: &Inst<'a>,
) -> Result<(), CompileError> {
    let (_, bound, image) = resources::image(v, inst.word(2)?)?;
    let Some(target) = target_in_tile(v, bound)? else {
        return Err(ImageError::NotATileImage { id: inst.word(2)? }.into());
    };
    let sample = inst.rest(3).first().copied();
    read_target(v, inst, target, &image, sample)
}

/// The render target that an image refers to, if any.
pub(super) fn target_in_tile(v: &Values<'_, '_>, handle: Bound) -> Result<Option<u32>, CompileError> {
    let Some(attachment) = handle.attachment else { return Ok(None) };
    let inputs = v.kit.fragment.tile.as_ref().map_or(&[][..], |pass| &pass.input_attachments);
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

/// Reads a render target.
pub(super) fn read_target<'a>(
    v: &mut Values<'_, 'a>,
    inst: &Inst<'a>,
    target: u32,
    image: &ImageType,
    sample: Option<u32>,
) -> Result<(), CompileError> {
    let sample = sample.map(|id| v.eval().scalar(id)).transpose()?;
    let texel = fragment::read_target(&mut v.kit, target, sample)?;
    let bits = sampling::texel_bits(v, image)?;
    let texel = texel.map(|word| v.kit.b.fconv(word, bits));
    sampling::define_texel(v, inst, &texel)
}
