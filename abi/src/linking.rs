//! Information about a vertex shader and the fragment shader after it, if a driver compiles them for each other.
//!
//! The compiler reports which outputs of a vertex shader are the same for all vertices of a draw
//! ([`crate::ShaderInfo::known_outputs`]). A fragment shader that is compiled with this knowledge ([`VertexOutputs`]) reads
//! these values where the vertex shader found them instead of interpolating them, and leaves some of its operations on other
//! inputs to the vertex shader ([`crate::FragmentInfo::moved`]), which then executes them once per vertex.

use crate::ShaderInfo;
use crate::layout::UniformSource;
use crate::vertex::Output;

/// A 32-bit word that is the same in every invocation of a draw, in all of its stages.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum DrawWord {
    /// A constant.
    Constant(u32),
    /// A push constant.
    PushConstant {
        /// Byte offset in the push constants.
        offset: u32,
    },
    /// A word in memory that no shader writes and that every invocation may read.
    Memory {
        /// The address in the uniform file.
        base: SharedAddress,
        /// If present, the word is not there but where the 64-bit address at this byte offset from `base` leads.
        pointer: Option<u32>,
        /// Byte offset of the word.
        offset: u32,
    },
}

/// A 64-bit address that the driver gives to every stage of a draw that asks for it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum SharedAddress {
    /// [`UniformSource::BufferAddress`].
    BufferAddress {
        /// Descriptor set.
        set: u32,
        /// Binding within the set.
        binding: u32,
        /// Array element.
        element: u32,
    },
    /// [`UniformSource::DescriptorTable`].
    DescriptorTable {
        /// Descriptor set.
        set: u32,
        /// Binding within the set.
        binding: u32,
    },
    /// [`UniformSource::PushConstantAddress`].
    PushConstantAddress,
    /// [`UniformSource::SetAddress`].
    SetAddress {
        /// Descriptor set.
        set: u32,
    },
}

impl SharedAddress {
    /// The shared address that `source` is; `None` if it is another value, or one of a single stage.
    #[must_use]
    pub fn of(source: UniformSource) -> Option<SharedAddress> {
        Some(match source {
            UniformSource::BufferAddress { set, binding, element } => {
                SharedAddress::BufferAddress { set, binding, element }
            }
            UniformSource::DescriptorTable { set, binding } => {
                SharedAddress::DescriptorTable { set, binding }
            }
            UniformSource::PushConstantAddress => SharedAddress::PushConstantAddress,
            UniformSource::SetAddress { set } => SharedAddress::SetAddress { set },
            _ => return None,
        })
    }
}

impl From<SharedAddress> for UniformSource {
    fn from(address: SharedAddress) -> UniformSource {
        match address {
            SharedAddress::BufferAddress { set, binding, element } => {
                UniformSource::BufferAddress { set, binding, element }
            }
            SharedAddress::DescriptorTable { set, binding } => {
                UniformSource::DescriptorTable { set, binding }
            }
            SharedAddress::PushConstantAddress => UniformSource::PushConstantAddress,
            SharedAddress::SetAddress { set } => UniformSource::SetAddress { set },
        }
    }
}

/// An output of a vertex shader that is the same for all vertices of a draw.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct KnownOutput {
    /// The output.
    pub output: Output,
    /// Its value.
    pub value: DrawWord,
}

/// The outputs of the vertex shader before a fragment shader.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct VertexOutputs {
    /// Those that are written; the values of others are undefined.
    pub written: Vec<Output>,
    /// Those among them whose values are known.
    pub known: Vec<KnownOutput>,
}

impl VertexOutputs {
    /// The outputs of a compiled vertex shader.
    #[must_use]
    pub fn of(info: &ShaderInfo) -> VertexOutputs {
        VertexOutputs {
            written: info.varyings.iter().map(|varying| varying.output).collect(),
            known: info.known_outputs.clone(),
        }
    }
}

/// An operation on a 32-bit float, the same in every invocation of a draw.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Step {
    /// Multiplication.
    Scale(DrawWord),
    /// Addition.
    Offset(DrawWord),
}

/// Operations on an input of a fragment shader that it leaves to the vertex shader.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct MovedSteps {
    /// The output of the vertex shader.
    pub output: Output,
    /// The operations that the vertex shader executes on its value before it stores it, in order.
    pub steps: Vec<Step>,
}
