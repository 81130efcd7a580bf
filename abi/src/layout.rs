//! The uniform file of a compiled shader: which half-words the driver fills, and with what.
//!
//! A compiled shader lists its uniform registers as [`UniformRange`]s in ascending order. The driver writes each range
//! before it launches the shader. The default layout puts, in this order, only what the shader uses:
//!
//! 1. addresses of texture tables, 64 bits each: texture operands reach no further than half-word 128;
//! 2. addresses of buffers, 64 bits each, by (set, binding, element): they must lie below half-word 256, because memory
//!    operands reach no further (Mesa 25.0 AGX compiler);
//! 3. addresses of descriptor tables, for arrays of buffers indexed by a run-time value, and of the constant section;
//! 4. sizes of buffers in bytes, 32 bits each;
//! 5. the number of workgroups, three 32-bit values, and descriptors of textures, six 32-bit words each;
//! 6. push constants, as far as they fit;
//! 7. constants that the compiler promoted.

use crate::textures::DescriptorKind;

/// Half-words in the uniform file.
pub const UNIFORM_HALVES: u16 = 512;

/// Memory operands reach uniforms below this half-word.
pub const MEMORY_BASE_HALVES: u16 = 256;

/// Texture operands reach table addresses that start below this half-word.
pub const TEXTURE_TABLE_HALVES: u16 = 128;

/// Bytes of one record in a descriptor table: 64-bit address, 32-bit size in bytes, 32 bits of zero.
pub const DESCRIPTOR_BYTES: u32 = 16;

/// What a range of the uniform file holds.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum UniformSource {
    /// 64-bit address of the buffer bound at (set, binding), array element `element`. Of a uniform block, all bytes of its
    /// type can be read there, also by invocations that the program would not let do so.
    BufferAddress {
        /// Descriptor set.
        set: u32,
        /// Binding within the set.
        binding: u32,
        /// Array element; 0 when the binding is not an array.
        element: u32,
    },
    /// 64-bit address of a table of [`DESCRIPTOR_BYTES`] records, one for each array element of (set, binding).
    DescriptorTable {
        /// Descriptor set.
        set: u32,
        /// Binding within the set.
        binding: u32,
    },
    /// 64-bit address of a table of descriptors of textures or images, [`crate::textures::DESCRIPTOR_BYTES`] for each
    /// array element of (set, binding).
    TextureTable {
        /// Descriptor set.
        set: u32,
        /// Binding within the set.
        binding: u32,
        /// Which descriptors.
        kind: DescriptorKind,
    },
    /// 64-bit address of a table of 16-bit numbers, one for each array element of (set, binding): the sampler state
    /// register that holds the element's sampler.
    SamplerTable {
        /// Descriptor set.
        set: u32,
        /// Binding within the set.
        binding: u32,
    },
    /// The texture descriptor of what is bound at (set, binding), array element `element`: six 32-bit words.
    TextureWords {
        /// Descriptor set.
        set: u32,
        /// Binding within the set.
        binding: u32,
        /// Array element; 0 when the binding is not an array.
        element: u32,
    },
    /// 64-bit address of the shader's constant section ([`crate::ShaderInfo::constants`]).
    ConstantAddress,
    /// 32-bit size in bytes of the buffer bound at (set, binding), array element `element`.
    BufferSize {
        /// Descriptor set.
        set: u32,
        /// Binding within the set.
        binding: u32,
        /// Array element; 0 when the binding is not an array.
        element: u32,
    },
    /// Number of workgroups in x, y and z, 32 bits each.
    WorkgroupCount,
    /// What the parts of a vertex or fragment shader share.
    Interface(InterfaceUniform),
    /// Where the samples of a pixel lie, 32 bits: see [`crate::fragment::pack_sample_positions`].
    SamplePositions,
    /// 64-bit address of the outputs of a vertex shader that runs as a compute shader: the words of the slots of a vertex
    /// follow each other, then come the other vertices of the instance, then the other instances.
    VertexOutputs,
    /// Vertices of an instance, 32 bits: the width of the grid of a vertex shader that runs as a compute shader.
    VertexCount,
    /// Number of the view that is drawn, 32 bits; 0 without several.
    ViewIndex,
    /// 64-bit address of the push constants, for those indexed by a run-time value or not in the uniform file.
    PushConstantAddress,
    /// Bytes of the push constants from `offset` on.
    PushConstants {
        /// First byte.
        offset: u32,
    },
    /// Bytes of [`crate::ShaderInfo::promoted`] from `offset` on.
    Promoted {
        /// First byte.
        offset: u32,
    },
    /// 64-bit address of memory for the results of a test kernel, eight bytes each.
    KernelResults,
    /// An argument of a test kernel, zero-extended to 64 bits: `index` counts the kernel's parameters.
    KernelArgument {
        /// Which parameter.
        index: u32,
    },
}

/// Uniforms at fixed places that the parts of a vertex or fragment shader share.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum InterfaceUniform {
    /// 64-bit address of the data of a vertex attribute.
    AttributeBase {
        /// Number among the attributes the shader reads.
        attribute: u32,
    },
    /// 32-bit number of the last element of a vertex attribute that lies inside its buffer; others are not fetched. Where
    /// none does, the address is that of zeros and this is 0.
    AttributeClamp {
        /// Number among the attributes the shader reads.
        attribute: u32,
    },
    /// Base vertex, then base instance, 32 bits each.
    BaseVertexAndInstance,
    /// 16-bit number of the draw.
    DrawNumber,
    /// 64-bit address of the input assembly buffer.
    InputAssembly,
    /// 64-bit address of the texture heap of the render targets.
    TargetHeap,
    /// Blend constant: red, green, blue, alpha as 32-bit floats.
    BlendConstant,
    /// 64-bit address of the root descriptor.
    RootDescriptor,
}

impl InterfaceUniform {
    /// What it is, in words.
    pub fn describe(self) -> &'static str {
        match self {
            InterfaceUniform::AttributeBase { .. } => "address of a vertex attribute",
            InterfaceUniform::AttributeClamp { .. } => "clamp of a vertex attribute",
            InterfaceUniform::BaseVertexAndInstance => "base vertex and base instance",
            InterfaceUniform::DrawNumber => "number of the draw",
            InterfaceUniform::InputAssembly => "address of the input assembly buffer",
            InterfaceUniform::TargetHeap => "address of the texture heap of the render targets",
            InterfaceUniform::BlendConstant => "blend constant",
            InterfaceUniform::RootDescriptor => "address of the root descriptor",
        }
    }
}

/// A filled range of the uniform file.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct UniformRange {
    /// First half-word.
    pub start: u16,
    /// Length in half-words.
    pub halves: u16,
    /// What the driver writes there.
    pub source: UniformSource,
}
