//! What has changed since it was last written for the hardware.

use std::ops::{BitOr, BitOrAssign};

use agx_abi::layout::{InterfaceUniform, UniformSource};

/// Parts of the state of draws and launches.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Dirty(u32);

impl Dirty {
    /// Nothing.
    pub const NONE: Dirty = Dirty(0);
    /// Shaders and what they are linked for: vertex input, strides, the state of fragment programs.
    pub const PROGRAMS: Dirty = Dirty(1);
    /// Descriptor sets.
    pub const SETS: Dirty = Dirty(1 << 1);
    /// Push constants.
    pub const PUSH: Dirty = Dirty(1 << 2);
    /// Vertex buffers.
    pub const BUFFERS: Dirty = Dirty(1 << 3);
    /// Blend constants.
    pub const CONSTANTS: Dirty = Dirty(1 << 4);
    /// The parameters of a draw or launch that programs read.
    pub const NUMBERS: Dirty = Dirty(1 << 5);
    /// Culling, polygons, primitives.
    pub const RASTER: Dirty = Dirty(1 << 6);
    /// Depth and stencil tests.
    pub const DEPTH: Dirty = Dirty(1 << 7);
    /// Viewports and scissors.
    pub const VIEWS: Dirty = Dirty(1 << 8);
    /// Depth bias.
    pub const BIAS: Dirty = Dirty(1 << 9);
    /// Occlusion queries, transform feedback, statistics.
    pub const QUERY: Dirty = Dirty(1 << 10);
    /// Everything.
    pub const ALL: Dirty = Dirty((1 << 11) - 1);
    /// State from which records are made whatever the programs read.
    pub const RECORDS: Dirty = Dirty(
        Dirty::PROGRAMS.0
            | Dirty::RASTER.0
            | Dirty::DEPTH.0
            | Dirty::VIEWS.0
            | Dirty::BIAS.0
            | Dirty::QUERY.0,
    );

    /// Whether some parts are among these.
    #[inline(always)]
    pub const fn intersects(self, other: Dirty) -> bool {
        self.0 & other.0 != 0
    }
}

impl BitOr for Dirty {
    type Output = Dirty;

    #[inline(always)]
    fn bitor(self, other: Dirty) -> Dirty {
        Dirty(self.0 | other.0)
    }
}

impl BitOrAssign for Dirty {
    #[inline(always)]
    fn bitor_assign(&mut self, other: Dirty) {
        self.0 |= other.0;
    }
}

/// The part that a uniform comes from. Passes begin with everything changed, so what is the same in a pass comes from nothing.
pub(crate) fn of_source(source: UniformSource) -> Dirty {
    use InterfaceUniform as I;
    use UniformSource as U;
    match source {
        U::ConstantAddress | U::Promoted { .. } | U::Zeros | U::ViewIndex | U::TableBase => Dirty::NONE,
        U::PushConstantAddress | U::PushConstants { .. } => Dirty::PUSH,
        U::WorkgroupCount | U::WorkgroupBase => Dirty::NUMBERS,
        U::SampleMask | U::SamplePositions => Dirty::PROGRAMS,
        U::PrimitiveVertices => Dirty::RASTER,
        U::BufferAddress { .. }
        | U::BufferSize { .. }
        | U::DescriptorTable { .. }
        | U::TextureTable { .. }
        | U::TextureTableLow { .. }
        | U::SamplerTable { .. }
        | U::SamplerBias { .. }
        | U::SamplerBiasTable { .. }
        | U::TextureWords { .. } => Dirty::SETS,
        U::Interface(I::AttributeBase { .. } | I::AttributeClamp { .. }) => Dirty::BUFFERS,
        U::Interface(I::BaseVertexAndInstance | I::DrawNumber) => Dirty::NUMBERS,
        U::Interface(I::BlendConstant) => Dirty::CONSTANTS,
        U::Interface(I::ClearColour { .. } | I::TargetHeap) => Dirty::NONE,
        U::Interface(I::RootDescriptor) => Dirty::QUERY,
        // The others are of programs that are launched once.
        _ => Dirty::ALL,
    }
}
