//! Pointers as descriptions: where they start, and how far they have gone, as far as that is known.

use super::types::{Layout, MatrixLayout, Ty};
use crate::frontend::kit::buffers::BufferElement;
use crate::frontend::kit::robustness::Bounds;
use crate::frontend::ssa::Variable;
use crate::ir::function::Access;
use crate::ir::src::Src;

/// Alignment that every buffer and variable in memory has.
const BASE_ALIGN: u32 = 16;

/// What a variable names beside, or instead of, a descriptor.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Attachment {
    /// The render target of this number.
    Target(u32),
    /// The input attachment of this number.
    Input(u32),
}

/// What a pointer points into.
#[derive(Clone, Copy, Debug)]
pub(super) enum Root {
    /// Scalar variables, from this one on; offsets count scalars.
    Variables(Variable),
    /// The lane's stack memory from a byte on; offsets count scalars, which have a slot of a given number of bytes each.
    Scratch { base: u32, slot: u32 },
    /// Workgroup memory; offsets are bytes.
    Local,
    /// A buffer at a 64-bit address; offsets are bytes.
    Buffer { base: Src, identity: Option<BufferElement> },
    /// An array of buffers, none of them chosen yet.
    BufferArray { set: u32, binding: u32, is_uniform: bool, bounds: Bounds },
    /// Textures or samplers; offsets count elements, of which there are `count`, if that is known.
    Resources { set: u32, binding: u32, count: Option<u32>, readable: bool, attachment: Option<Attachment> },
    /// The push constants; offsets are bytes.
    PushConstants,
    /// The constant section; offsets are bytes.
    Constants,
}

/// A dynamic index into scalar variables.
#[derive(Clone, Copy, Debug)]
pub(super) struct Step {
    /// Scalars from one element to the next.
    pub stride: u32,
    /// Elements.
    pub count: u32,
    /// Which element.
    pub index: Src,
}

/// A pointer.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pointer<'a> {
    pub root: Root,
    /// Type of what is pointed to.
    pub ty: Ty,
    /// Type of the pointer itself, where the module gives it one.
    pub pointer: Option<Ty>,
    /// Known part of the offset: scalars or bytes by root.
    pub fixed: u32,
    /// Computed part of the offset in bytes; absent when zero.
    pub offset: Option<Src>,
    /// Computed part of the offset into scalar variables.
    pub steps: &'a [Step],
    /// Layout of matrices inside.
    pub matrix: MatrixLayout,
    /// Bytes between the components of the vector pointed to, where they are not contiguous.
    pub component_stride: u32,
    /// How memory is laid out.
    pub layout: Layout,
    /// Known of every access through the pointer.
    pub access: Access,
    /// Power of two that divides the computed part of the address.
    pub align: u32,
    /// It points to a texel, which loads of texels see too.
    pub texel: Option<Texel>,
}

/// What is known of a texel that is pointed to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Texel {
    /// Whether it is in the image, where the key asks for accesses outside to do nothing.
    pub is_inside: Option<Src>,
}

impl<'a> Pointer<'a> {
    /// A pointer to the start of `root`.
    pub fn new(root: Root, ty: Ty, layout: Layout, access: Access) -> Self {
        Pointer {
            root,
            ty,
            pointer: None,
            fixed: 0,
            offset: None,
            steps: &[],
            matrix: MatrixLayout::default(),
            component_stride: 0,
            layout,
            access,
            align: BASE_ALIGN,
            texel: None,
        }
    }
}
