//! Descriptions of pointers: their root and offset, as far as known.

use super::types::{Layout, MatrixLayout, Ty};
use crate::frontend::kit::bounds::Limit;
use crate::frontend::kit::robustness::Bounds;
use crate::frontend::kit::tessellation::Place;
use crate::ir::function::Access;
use crate::ir::src::Src;
use crate::ssa::Variable;

/// Alignment of every buffer and variable in memory.
const BASE_ALIGN: u32 = 16;

/// The attachment that a variable names, in addition to or instead of a descriptor.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Attachment {
    /// The render target with this number.
    Target(u32),
    /// The input attachment with this number.
    Input(u32),
}

/// The memory that a pointer points into.
#[derive(Clone, Copy, Debug)]
pub(super) enum Root {
    /// Scalar variables, starting at this one; offsets count scalars.
    Variables(Variable),
    /// The lane's stack memory starting at a byte; offsets count scalars, each in a slot of `slot` bytes.
    Scratch { base: u32, slot: u32 },
    /// An input or output in device memory, by number; fixed offsets count scalars, computed ones bytes.
    Stage(u32),
    /// Workgroup memory; offsets are bytes.
    Local,
    /// A buffer at a 64-bit address; offsets are bytes. Without a limit, accesses are not checked.
    Buffer { base: Src, limit: Option<Limit> },
    /// An array of buffers, before an element is selected.
    BufferArray { set: u32, binding: u32, is_uniform: bool, bounds: Bounds },
    /// Textures or samplers; offsets count elements, of which there are `count`, if known.
    Resources { set: u32, binding: u32, count: Option<u32>, readable: bool, attachment: Option<Attachment> },
    /// A function's variable for a texture or sampler, before one is stored in it.
    Handle,
    /// The push constants; offsets are bytes.
    PushConstants,
    /// The constant section; offsets are bytes.
    Constants,
    /// The lane's stack memory (kernels); offsets are bytes from its start.
    Private,
    /// Memory of any kind at a tagged address (kernels); offsets are bytes.
    Generic { address: Src },
    /// A variable as one of another type (kernels), of which nothing is read.
    Unread,
}

/// A dynamic index into scalar variables.
#[derive(Clone, Copy, Debug)]
pub(super) struct Step {
    /// Number of scalars per element.
    pub stride: u32,
    /// Number of elements.
    pub count: u32,
    /// The element index.
    pub index: Src,
}

/// A pointer.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pointer<'a> {
    pub root: Root,
    /// Type of the pointee.
    pub ty: Ty,
    /// Type of the pointer itself, if the module specifies it.
    pub pointer: Option<Ty>,
    /// Constant part of the offset: scalars or bytes depending on the root.
    pub fixed: u32,
    /// Computed part of the offset in bytes; `None` if zero.
    pub offset: Option<Src>,
    /// Computed part of the offset into scalar variables.
    pub steps: &'a [Step],
    /// Layout of matrices inside.
    pub matrix: MatrixLayout,
    /// Distance between the components of the pointee vector in bytes, if they are not contiguous.
    pub component_stride: u32,
    /// How memory is laid out.
    pub layout: Layout,
    /// Access flags of every access through the pointer.
    pub access: Access,
    /// A power of two that divides the computed part of the address.
    pub align: u32,
    /// Set if it points to a texel, which texel loads must see too.
    pub texel: Option<Texel>,
}

/// Information about the texel pointed to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Texel {
    /// Whether it is in the image, if the key requires accesses out of bounds to have no effect.
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

/// A scalar in memory: narrower ones take a word, 64-bit ones two.
#[derive(Clone, Copy, Debug)]
pub(super) struct StoredScalar {
    /// Byte after the start of the memory; `None` if the previous stage does not store it.
    pub byte: Option<u32>,
    /// Its width.
    pub bits: u8,
    /// Whether it is a float.
    pub is_float: bool,
}

impl StoredScalar {
    /// Number of its words.
    pub fn words(self) -> u32 {
        if self.bits == 64 { 2 } else { 1 }
    }
}

/// An input or output variable in device memory.
#[derive(Clone, Copy)]
pub(super) struct StageMemory<'a> {
    /// Where the inputs or outputs of the patch start.
    pub start: Place,
    /// All scalars of the variable.
    pub scalars: &'a [StoredScalar],
    /// Access flags of every access.
    pub access: Access,
}

impl StageMemory<'_> {
    fn scalar(&self, at: u32) -> Option<StoredScalar> {
        self.scalars.get(at as usize).copied()
    }

    /// The first known byte among the scalars of an element.
    fn byte(&self, first: u32, count: u32) -> Option<u32> {
        (first..first.saturating_add(count)).find_map(|at| self.scalar(at)?.byte)
    }

    /// For an array at scalar `first`, with elements of `stride` scalars: the number of elements that are in memory, and
    /// their distance in bytes.
    pub fn elements(&self, first: u32, stride: u32, count: u32) -> (u32, u32) {
        let byte = |number: u32| self.byte(first.saturating_add(number.saturating_mul(stride)), stride);
        let known = (0..count).take_while(|number| byte(*number).is_some()).count() as u32;
        let distance = match (byte(0), byte(1)) {
            (Some(start), Some(next)) if known > 1 => next.saturating_sub(start),
            _ => 0,
        };
        (known, distance)
    }
}

/// A place for a value that several paths through the program set.
#[derive(Clone, Copy)]
pub(super) enum Held<'a> {
    /// Variables, from this one on.
    Scalars(Variable),
    /// Stack memory, for a huge value.
    Memory(&'a Pointer<'a>),
}
