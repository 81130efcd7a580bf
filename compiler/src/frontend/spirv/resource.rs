//! Textures, images and samplers as values, with their descriptors.

use super::pointer::{Attachment, Pointer, Root};
use super::types::{Layout, Ty};
use crate::frontend::kit::textures::Handle;
use crate::ir::function::Access;

/// One descriptor, or an element of an array of descriptors, with properties of the variable.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bound {
    /// Its location.
    pub at: Handle,
    /// Whether the shader may load what it stored.
    pub readable: bool,
    /// The attachment of the pass, if it is one.
    pub attachment: Option<Attachment>,
}

/// A value of type image, sampler or sampled image.
#[derive(Clone, Copy, Debug)]
pub(super) struct Resource {
    /// Its type: for an image with a sampler, that of the image.
    pub ty: Ty,
    pub image: Option<Bound>,
    pub sampler: Option<Bound>,
}

impl Bound {
    /// The pointee of a pointer to a texture or sampler.
    pub fn of(pointer: &Pointer<'_>) -> Option<Bound> {
        let Root::Resources { set, binding, count, readable, attachment } = pointer.root else { return None };
        let at = Handle { set, binding, fixed: pointer.fixed, index: pointer.offset, count };
        Some(Bound { at, readable, attachment })
    }

    /// A pointer to the descriptor, as the contents of a variable of type `ty`: the inverse of [`Bound::of`].
    pub fn pointer<'a>(&self, ty: Ty) -> Pointer<'a> {
        let Bound { at: Handle { set, binding, fixed, index, count }, readable, attachment } = *self;
        let root = Root::Resources { set, binding, count, readable, attachment };
        Pointer { fixed, offset: index, ..Pointer::new(root, ty, Layout::Natural, Access::READONLY) }
    }
}
