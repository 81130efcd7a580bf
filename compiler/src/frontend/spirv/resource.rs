//! Textures, images and samplers as values: which descriptors they are.

use super::pointer::{Attachment, Pointer, Root};
use super::types::Ty;
use crate::frontend::kit::textures::Handle;

/// One descriptor, or one of an array, and what the variable says of it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bound {
    /// Where it is.
    pub at: Handle,
    /// The shader may load what it stored.
    pub readable: bool,
    /// What it is of the pass.
    pub attachment: Option<Attachment>,
}

/// A value of type image, sampler or sampled image.
#[derive(Clone, Copy, Debug)]
pub(super) struct Resource {
    /// Its type: an image with a sampler has the image's.
    pub ty: Ty,
    pub image: Option<Bound>,
    pub sampler: Option<Bound>,
}

impl Bound {
    /// What a pointer to a texture or sampler points to.
    pub fn of(pointer: &Pointer<'_>) -> Option<Bound> {
        let Root::Resources { set, binding, count, readable, attachment } = pointer.root else { return None };
        let at = Handle { set, binding, fixed: pointer.fixed, index: pointer.offset, count };
        Some(Bound { at, readable, attachment })
    }
}
