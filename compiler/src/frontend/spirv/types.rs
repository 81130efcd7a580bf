//! Types: their scalars, and their layout in memory.
//!
//! A value is the list of its scalars ("leaves") in declaration order, so a member or element of a composite
//! is a range of the composite's list.

use bumpalo::Bump;
use spirv::{ImageFormat, StorageClass};

use super::decorations::Decorated;
use crate::error::{CompileError, MemoryError, TypeError};
use crate::ir::rows::Rows;

/// Maximum number of scalars of a value that is held, loaded or stored as a whole.
pub const MAX_LEAVES: u32 = 1 << 14;

/// Minimum number of scalars of a large value, which stays in memory where it need not be copied: the registers hold half as
/// many.
const FEWEST_LARGE: usize = 256;

/// Minimum number of scalars of a huge value, which is always in memory: too many values would be spilled.
const FEWEST_HUGE: usize = 1025;

/// How values are kept.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Extent {
    /// As scalars.
    Small,
    /// In memory or as scalars.
    Large,
    /// In memory.
    Huge,
}

/// Maximum nesting depth of composite types.
pub const MAX_TYPE_DEPTH: u8 = 64;

/// A type: an index into [`Types`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Ty(u32);

/// A member of a structure.
#[derive(Clone, Copy, Debug)]
pub(super) struct Member {
    /// Its type.
    pub ty: Ty,
    /// Index of its first scalar in the structure.
    pub leaf: u32,
    /// Byte offset specified by the module.
    pub offset: u32,
    /// Byte offset in private memory.
    pub natural_offset: u32,
    /// Members follow each other without gaps (kernels).
    pub packed: bool,
    /// The layout of matrices in the member.
    pub matrix: MatrixLayout,
    /// No invocation writes it through this variable.
    pub readonly: bool,
    /// Accesses are ordered and never merged.
    pub volatile: bool,
    /// Its decorations as part of an input or output.
    pub decorated: Decorated,
}

/// The layout of a matrix in memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct MatrixLayout {
    /// Distance of columns (rows, if row-major) in bytes; 0 if unspecified.
    pub stride: u32,
    /// Rows are contiguous instead of columns.
    pub row_major: bool,
}

/// An image type.
#[derive(Clone, Copy, Debug)]
pub(super) struct ImageType {
    /// Type of a component of a texel.
    pub texel: Ty,
    pub dim: spirv::Dim,
    /// Whether it has layers.
    pub arrayed: bool,
    /// Whether it is multisampled.
    pub multisampled: bool,
    /// Whether it is accessed without a sampler, by loads and stores.
    pub storage: bool,
    /// Number of components of its format; four if the module does not name a format.
    pub components: usize,
}

/// Number of components of a storage format.
pub(super) const fn format_components(format: ImageFormat) -> usize {
    use ImageFormat::*;
    match format {
        R8 | R8Snorm | R8i | R8ui | R16 | R16Snorm | R16f | R16i | R16ui | R32f | R32i | R32ui => 1,
        Rg8 | Rg8Snorm | Rg8i | Rg8ui | Rg16 | Rg16Snorm | Rg16f | Rg16i | Rg16ui | Rg32f | Rg32i
        | Rg32ui => 2,
        R11fG11fB10f => 3,
        _ => 4,
    }
}

/// The kind of a type.
#[derive(Clone, Copy, Debug)]
pub(super) enum Kind<'a> {
    Void,
    Bool,
    Int {
        bits: u8,
    },
    Float {
        bits: u8,
    },
    /// The upper half of a float of 32 bits: in memory, in composites and in conversions.
    Bfloat16,
    Vector {
        elem: Ty,
        count: u32,
    },
    Matrix {
        column: Ty,
        count: u32,
    },
    /// A matrix of which each lane of the subgroup has `count` elements.
    CooperativeMatrix {
        elem: Ty,
        /// Two elements.
        pair: Ty,
        rows: u32,
        columns: u32,
        count: u32,
    },
    Array {
        elem: Ty,
        count: u32,
        stride: u32,
    },
    RuntimeArray {
        elem: Ty,
        stride: u32,
    },
    Struct {
        members: &'a [Member],
    },
    /// The stride is that of arrays that the pointer moves through; 0 if unspecified.
    Pointer {
        class: StorageClass,
        pointee: Option<Ty>,
        stride: u32,
    },
    Function,
    /// An image.
    Image(ImageType),
    Sampler,
    /// The address of an acceleration structure.
    AccelerationStructure,
    /// An image together with a sampler.
    SampledImage {
        image: Ty,
    },
    /// Any other type whose values have no scalars.
    Opaque(spirv::Op),
}

/// A type with derived properties.
#[derive(Clone, Copy, Debug)]
pub(super) struct TypeData<'a> {
    /// Its kind.
    pub kind: Kind<'a>,
    /// Width of each scalar in bits; `None` if there are more than [`MAX_LEAVES`] or the number is unknown.
    pub leaves: Option<&'a [u8]>,
    /// How values are kept.
    extent: Extent,
    /// Nesting depth.
    depth: u8,
    /// Size in bytes and alignment in private memory.
    natural: (u32, u32),
}

/// The memory layout.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Layout {
    /// As specified by decorations.
    Explicit,
    /// Tightly packed with scalar alignment: for private memory.
    Natural,
}

/// All types of a module.
pub(super) struct Types<'a> {
    bump: &'a Bump,
    rows: Rows<TypeData<'a>>,
    /// Whether accesses through pointers to storage buffers are checked.
    checks_pointers: bool,
    /// The module has OpenCL's kernels: memory has the layout of C, and all pointers are addresses of 64 bits.
    pub is_kernel: bool,
}

impl<'a> Types<'a> {
    /// No types. `checks_pointers`: accesses through pointers to storage buffers are checked.
    pub fn new(bump: &'a Bump, checks_pointers: bool) -> Self {
        Types { bump, rows: Rows::default(), checks_pointers, is_kernel: false }
    }

    /// The row of a type.
    pub fn get(&self, ty: Ty) -> &TypeData<'a> {
        &self.rows[ty.0 as usize]
    }

    /// The kind of a type.
    pub fn kind(&self, ty: Ty) -> Kind<'a> {
        self.get(ty).kind
    }

    /// Adds a type.
    pub fn add(&mut self, kind: Kind<'a>) -> Result<Ty, CompileError> {
        let leaves = self.leaf_widths(kind);
        let depth = self.parts(kind).map(|part| self.get(part).depth.saturating_add(1)).max().unwrap_or(0);
        if depth > MAX_TYPE_DEPTH {
            return Err(TypeError::TooDeep { most: MAX_TYPE_DEPTH.into() }.into());
        }
        let natural = self.natural_size(kind).ok_or(TypeError::TooLarge)?;
        let ty = Ty(self.rows.len() as u32);
        let extent = self.extent(kind, leaves);
        self.rows.push(TypeData { kind, leaves, extent, depth, natural });
        Ok(ty)
    }

    /// How values are kept; those with too many scalars to know them all are huge.
    fn extent(&self, kind: Kind<'a>, leaves: Option<&[u8]>) -> Extent {
        let is_held = |part: Ty| self.get(part).leaves.is_some() || self.get(part).extent == Extent::Huge;
        match (kind, leaves) {
            (Kind::Array { .. } | Kind::Struct { .. }, Some(leaves)) => match leaves.len() {
                FEWEST_HUGE.. => Extent::Huge,
                FEWEST_LARGE.. => Extent::Large,
                _ => Extent::Small,
            },
            (Kind::Array { .. } | Kind::Struct { .. }, None) if self.parts(kind).all(is_held) => Extent::Huge,
            _ => Extent::Small,
        }
    }

    /// Whether values stay in memory where they need not be copied.
    pub fn is_large(&self, ty: Ty) -> bool {
        self.get(ty).extent >= Extent::Large
    }

    /// Whether values are always in memory.
    pub fn is_huge(&self, ty: Ty) -> bool {
        self.get(ty).extent == Extent::Huge
    }

    /// Whether values of two types have the same bytes in memory with the layout given by decorations. The recursion depth is
    /// the nesting depth of types.
    pub fn have_same_layout(&self, a: Ty, b: Ty) -> bool {
        match (self.kind(a), self.kind(b)) {
            _ if a == b => true,
            (Kind::Struct { members: of_a }, Kind::Struct { members: of_b }) => {
                let is_same = |(one, other): (&Member, &Member)| {
                    (one.offset, one.matrix) == (other.offset, other.matrix)
                        && self.have_same_layout(one.ty, other.ty)
                };
                of_a.len() == of_b.len() && of_a.iter().zip(of_b).all(is_same)
            }
            (Kind::Array { elem: a, count, stride }, Kind::Array { elem: b, count: other, stride: step }) => {
                (count, stride) == (other, step) && self.have_same_layout(a, b)
            }
            (Kind::Matrix { column: a, count }, Kind::Matrix { column: b, count: other })
            | (Kind::Vector { elem: a, count }, Kind::Vector { elem: b, count: other }) => {
                count == other && self.have_same_layout(a, b)
            }
            (Kind::Struct { .. } | Kind::Array { .. } | Kind::Matrix { .. } | Kind::Vector { .. }, _) => {
                false
            }
            _ => self.leaves(a).ok() == self.leaves(b).ok(),
        }
    }

    /// Whether values have at most `most` scalars.
    pub fn has_at_most(&self, ty: Ty, most: u32) -> bool {
        self.get(ty).leaves.is_some_and(|leaves| leaves.len() <= most as usize)
    }

    /// The component types of a composite type.
    fn parts(&self, kind: Kind<'a>) -> impl Iterator<Item = Ty> + use<'a> {
        let (one, members): (Option<Ty>, &'a [Member]) = match kind {
            Kind::Vector { elem, .. }
            | Kind::Array { elem, .. }
            | Kind::RuntimeArray { elem, .. }
            | Kind::CooperativeMatrix { elem, .. } => (Some(elem), &[]),
            Kind::Matrix { column, .. } => (Some(column), &[]),
            Kind::Struct { members } => (None, members),
            _ => (None, &[]),
        };
        one.into_iter().chain(members.iter().map(|member| member.ty))
    }

    fn leaf_widths(&self, kind: Kind<'a>) -> Option<&'a [u8]> {
        let repeat = |elem: Ty, count: u32| -> Option<&'a [u8]> {
            let leaves = self.get(elem).leaves?;
            let total = (leaves.len() as u64).saturating_mul(count.into());
            let mut all = leaves.iter().copied().cycle();
            let leaf = |_| all.next().unwrap_or_default();
            (total <= u64::from(MAX_LEAVES)).then(|| &*self.bump.alloc_slice_fill_with(total as usize, leaf))
        };
        match kind {
            Kind::Bool => Some(&[1]),
            Kind::Int { bits: 8 } => Some(&[8]),
            Kind::Int { bits: 16 } | Kind::Float { bits: 16 } | Kind::Bfloat16 => Some(&[16]),
            Kind::Int { bits: 64 } | Kind::Float { bits: 64 } | Kind::AccelerationStructure => Some(&[64]),
            Kind::Int { .. } | Kind::Float { .. } => Some(&[32]),
            Kind::Vector { elem, count }
            | Kind::Array { elem, count, .. }
            | Kind::CooperativeMatrix { elem, count, .. } => repeat(elem, count),
            Kind::Matrix { column, count } => repeat(column, count),
            Kind::Struct { members } => {
                let mut all = Vec::new();
                for member in members {
                    all.extend_from_slice(self.get(member.ty).leaves?);
                }
                (all.len() <= MAX_LEAVES as usize).then(|| &*self.bump.alloc_slice_copy(&all))
            }
            Kind::Void | Kind::Function => Some(&[]),
            Kind::Pointer { class, .. } => self.pointer_leaves(class),
            Kind::RuntimeArray { .. }
            | Kind::Opaque(_)
            | Kind::Image(_)
            | Kind::Sampler
            | Kind::SampledImage { .. } => None,
        }
    }

    /// Widths of the scalars of a pointer as a value: the address, or the offset in workgroup memory; where accesses are
    /// checked, address and size of the buffer and the offset in it. `None` for classes whose pointers are not values.
    fn pointer_leaves(&self, class: StorageClass) -> Option<&'static [u8]> {
        match class {
            StorageClass::CrossWorkgroup
            | StorageClass::UniformConstant
            | StorageClass::Workgroup
            | StorageClass::Function
            | StorageClass::Generic
                if self.is_kernel =>
            {
                Some(&[64])
            }
            StorageClass::StorageBuffer if self.checks_pointers => Some(&[64, 32, 32]),
            StorageClass::PhysicalStorageBuffer | StorageClass::StorageBuffer | StorageClass::Uniform => {
                Some(&[64])
            }
            StorageClass::Workgroup => Some(&[32]),
            _ => None,
        }
    }

    /// Size and alignment in private memory; booleans are words.
    fn natural_size(&self, kind: Kind<'a>) -> Option<(u32, u32)> {
        let repeat = |elem: Ty, count: u32| {
            let (size, align) = self.get(elem).natural;
            Some((size.checked_mul(count)?, align))
        };
        match kind {
            Kind::Bool => Some((4, 4)),
            Kind::Int { bits } | Kind::Float { bits } => Some((u32::from(bits) / 8, u32::from(bits) / 8)),
            Kind::Bfloat16 => Some((2, 2)),
            Kind::AccelerationStructure => Some((8, 8)),
            Kind::Vector { elem, count } if self.is_kernel => {
                let bytes = self.get(elem).natural.0.checked_mul(count.next_power_of_two())?;
                Some((bytes, bytes))
            }
            Kind::Vector { elem, count }
            | Kind::Array { elem, count, .. }
            | Kind::CooperativeMatrix { elem, count, .. } => repeat(elem, count),
            Kind::Matrix { column, count } => repeat(column, count),
            Kind::Struct { members } => {
                let align = |member: &Member| if member.packed { 1 } else { self.get(member.ty).natural.1 };
                let align = members.iter().map(align).max().unwrap_or(1);
                let end = members
                    .last()
                    .map_or(Some(0), |last| last.natural_offset.checked_add(self.get(last.ty).natural.0))?;
                Some((end.checked_next_multiple_of(align)?, align))
            }
            Kind::Pointer { class, .. } => {
                let bits = self.pointer_leaves(class).unwrap_or(&[64]).iter().map(|bits| u32::from(*bits));
                Some((bits.sum::<u32>() / 8, 8))
            }
            _ => Some((0, 1)),
        }
    }

    /// Sets the pointee of a forward-declared pointer type.
    pub fn complete(&mut self, ty: Ty, kind: Kind<'a>) {
        self.rows[ty.0 as usize].kind = kind;
    }

    /// The offset in private memory of a member of type `ty` after the member `previous`.
    pub fn natural_offset_after(&self, previous: Option<&Member>, ty: Ty, packed: bool) -> Option<u32> {
        let end = match previous {
            Some(member) => member.natural_offset.checked_add(self.get(member.ty).natural.0)?,
            None => 0,
        };
        if packed { Some(end) } else { end.checked_next_multiple_of(self.get(ty).natural.1) }
    }

    /// Size in bytes and alignment of a type in private memory.
    pub fn natural(&self, ty: Ty) -> (u32, u32) {
        self.get(ty).natural
    }

    /// Widths of the scalars of `ty`.
    #[inline]
    pub fn leaves(&self, ty: Ty) -> Result<&'a [u8], CompileError> {
        self.get(ty).leaves.ok_or_else(|| self.no_leaves(ty))
    }

    /// Whether `ty` has values. Descriptors and arrays of unknown length are only accessed where they are.
    pub fn has_values(&self, ty: Ty) -> bool {
        !matches!(
            self.kind(ty),
            Kind::Opaque(_)
                | Kind::Image(_)
                | Kind::Sampler
                | Kind::SampledImage { .. }
                | Kind::RuntimeArray { .. }
        )
    }

    /// Why the scalars of `ty` are not known.
    #[cold]
    fn no_leaves(&self, ty: Ty) -> CompileError {
        match self.kind(ty) {
            Kind::Opaque(op) => CompileError::from(TypeError::Opaque { op }),
            Kind::Image(_) | Kind::Sampler | Kind::SampledImage { .. } => {
                CompileError::from(TypeError::ChosenResource)
            }
            Kind::Pointer { .. } => CompileError::from(TypeError::StoredPointer),
            Kind::RuntimeArray { .. } => CompileError::from(TypeError::RuntimeArray),
            Kind::Struct { members } => {
                let cause = members.iter().find_map(|member| self.leaves(member.ty).err());
                cause.unwrap_or_else(|| CompileError::from(TypeError::Scalars { most: MAX_LEAVES }))
            }
            _ => CompileError::from(TypeError::Scalars { most: MAX_LEAVES }),
        }
    }

    /// Number of scalars of `ty`.
    pub fn leaf_count(&self, ty: Ty) -> Result<usize, CompileError> {
        self.leaves(ty).map(<[u8]>::len)
    }

    /// Type, first scalar and layout of element or member `index` of `ty`. Elements of arrays and vectors
    /// have the same type for every index.
    pub fn element(&self, ty: Ty, index: u32) -> Result<(Ty, u32), CompileError> {
        let repeated = |elem: Ty| {
            let leaves = self.get(elem).leaves.map_or(0, |leaves| leaves.len() as u32);
            Ok((elem, leaves.saturating_mul(index)))
        };
        match self.kind(ty) {
            Kind::Vector { elem, .. }
            | Kind::Array { elem, .. }
            | Kind::RuntimeArray { elem, .. }
            | Kind::CooperativeMatrix { elem, .. } => repeated(elem),
            Kind::Matrix { column, .. } => repeated(column),
            Kind::Struct { members } => match members.get(index as usize) {
                Some(member) => Ok((member.ty, member.leaf)),
                None => Err(TypeError::NoMember { index: u64::from(index), count: members.len() }.into()),
            },
            _ => Err(TypeError::NotComposite.into()),
        }
    }

    /// Number of elements or members of a composite; `None` for other types and runtime arrays.
    pub fn element_count(&self, ty: Ty) -> Option<u32> {
        match self.kind(ty) {
            Kind::Vector { count, .. }
            | Kind::Array { count, .. }
            | Kind::Matrix { count, .. }
            | Kind::CooperativeMatrix { count, .. } => Some(count),
            Kind::Struct { members } => Some(members.len() as u32),
            _ => None,
        }
    }

    /// Scalar type and number of components of a scalar, a vector or a lane's part of a cooperative matrix.
    pub fn scalar_and_count(&self, ty: Ty) -> Result<(Ty, u32), CompileError> {
        match self.kind(ty) {
            Kind::Vector { elem, count } | Kind::CooperativeMatrix { elem, count, .. } => Ok((elem, count)),
            Kind::Bool | Kind::Int { .. } | Kind::Float { .. } | Kind::Bfloat16 => Ok((ty, 1)),
            _ => Err(TypeError::NotVector.into()),
        }
    }

    /// Size of a value in bytes with the layout given by decorations. The recursion depth is the nesting
    /// depth of types.
    pub fn explicit_end(&self, ty: Ty, matrix: MatrixLayout) -> Result<u32, CompileError> {
        let too_large = || CompileError::from(TypeError::TooLarge);
        match self.kind(ty) {
            Kind::Struct { members } => {
                let mut end = 0;
                for member in members {
                    let bytes = self.explicit_end(member.ty, member.matrix)?;
                    end = end.max(member.offset.checked_add(bytes).ok_or_else(too_large)?);
                }
                Ok(end)
            }
            Kind::Array { elem, count, .. } => {
                let stride = self.stride(ty, Layout::Explicit, matrix)?;
                let last = self.explicit_end(elem, matrix)?;
                stride
                    .checked_mul(count.saturating_sub(1))
                    .and_then(|start| start.checked_add(last))
                    .ok_or_else(too_large)
            }
            Kind::Matrix { count, .. } => Ok(matrix.stride.saturating_mul(count.max(4))),
            _ => Ok(self.natural(ty).0),
        }
    }

    /// Distance in bytes of elements of an array, columns of a matrix or components of a vector.
    pub fn stride(&self, ty: Ty, layout: Layout, matrix: MatrixLayout) -> Result<u32, CompileError> {
        let natural = |elem: Ty| self.get(elem).natural.0;
        let stated = |stride: u32, what: &'static str| match stride {
            0 => Err(TypeError::NoStride { what }.into()),
            stride => Ok(stride),
        };
        match (self.kind(ty), layout) {
            (Kind::Array { elem, .. }, Layout::Natural) => Ok(natural(elem)),
            (Kind::Array { stride, .. } | Kind::RuntimeArray { stride, .. }, _) => stated(stride, "an array"),
            (Kind::Matrix { column, .. }, Layout::Natural) => Ok(natural(column)),
            (Kind::Matrix { .. }, Layout::Explicit) if !matrix.row_major => stated(matrix.stride, "a matrix"),
            (Kind::Matrix { column, .. }, Layout::Explicit) => match self.kind(column) {
                Kind::Vector { elem, .. } => Ok(natural(elem)),
                _ => Err(TypeError::MatrixColumn { id: 0 }.into()),
            },
            (Kind::Vector { elem, .. }, _) => Ok(natural(elem)),
            _ => Err(MemoryError::NoElements.into()),
        }
    }
}
