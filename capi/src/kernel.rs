//! What a driver needs to launch OpenCL's kernels: their arguments, the formats of `printf`, and the samplers they state.

use agx_abi::kernel::{Addressing, ArgumentKind, KernelArgument, KernelInfo, LiteralSampler, PrintfFormat};

use crate::bytes::{AgxBytes, AgxText};
use crate::error::AgxError;
use crate::shader::AgxShader;

/// Properties of a kernel.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct AgxKernelInfo {
    /// Bytes of the block of arguments.
    pub block_bytes: u32,
    /// The module fixes the size of workgroups; otherwise it is that of the key.
    pub fixed_size: bool,
    /// Number of arguments: parameters in their order, then those that the driver provides.
    pub arguments: usize,
    /// Number of formats of `printf`.
    pub formats: usize,
    /// Number of samplers that the module states.
    pub samplers: usize,
}

/// Kinds of arguments of kernels. Those from `AGX_ARGUMENT_KIND_GLOBAL_OFFSET` on are provided by the driver.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AgxArgumentKind {
    /// A number, a vector or a structure.
    Value = 0,
    /// A pointer to global memory: a 64-bit address, 0 for null.
    Global = 1,
    /// A pointer to constant memory, likewise.
    Constant = 2,
    /// A pointer to workgroup memory: its 32-bit offset.
    Local = 3,
    /// An image: the resource of set 0 whose binding is the number of the parameter.
    Image = 4,
    /// A sampler, likewise.
    Sampler = 5,
    /// Numbers of the first work-item: three 32-bit numbers.
    GlobalOffset = 6,
    /// Number of dimensions, 32 bits.
    WorkDimension = 7,
    /// Numbers of work-items: three 32-bit numbers.
    GlobalSize = 8,
    /// The address of the buffer of `printf`.
    PrintfBuffer = 9,
}

impl From<ArgumentKind> for AgxArgumentKind {
    fn from(kind: ArgumentKind) -> AgxArgumentKind {
        match kind {
            ArgumentKind::Value => AgxArgumentKind::Value,
            ArgumentKind::Global => AgxArgumentKind::Global,
            ArgumentKind::Constant => AgxArgumentKind::Constant,
            ArgumentKind::Local => AgxArgumentKind::Local,
            ArgumentKind::Image => AgxArgumentKind::Image,
            ArgumentKind::Sampler => AgxArgumentKind::Sampler,
            ArgumentKind::GlobalOffset => AgxArgumentKind::GlobalOffset,
            ArgumentKind::WorkDimension => AgxArgumentKind::WorkDimension,
            ArgumentKind::GlobalSize => AgxArgumentKind::GlobalSize,
            ArgumentKind::PrintfBuffer => AgxArgumentKind::PrintfBuffer,
        }
    }
}

/// An argument of a kernel: bytes of a block, which takes the place of push constants.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct AgxKernelArgument {
    /// Its name; empty if the module has none.
    pub name: AgxText,
    /// What it is.
    pub kind: AgxArgumentKind,
    /// Number of the parameter; arguments that the driver provides are numbered on.
    pub index: u32,
    /// First byte in the block.
    pub offset: u32,
    /// Bytes in the block; 0 for images and samplers.
    pub size: u32,
    /// Alignment in bytes: of the value, or of what a pointer points to.
    pub align: u32,
}

impl From<&KernelArgument> for AgxKernelArgument {
    fn from(argument: &KernelArgument) -> AgxKernelArgument {
        let KernelArgument { ref name, kind, index, offset, size, align } = *argument;
        AgxKernelArgument { name: name.as_str().into(), kind: kind.into(), index, offset, size, align }
    }
}

/// A format of `printf`. A call stores a record of words: the number of the format, then its arguments.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct AgxPrintfFormat {
    /// The format without the final zero.
    pub text: AgxBytes,
    /// Bytes of each argument in the record: 4 or 8.
    pub sizes: AgxBytes,
}

impl From<&PrintfFormat> for AgxPrintfFormat {
    fn from(format: &PrintfFormat) -> AgxPrintfFormat {
        AgxPrintfFormat { text: format.text.as_slice().into(), sizes: format.sizes.as_slice().into() }
    }
}

/// What a sampler does with coordinates outside of the image.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AgxAddressing {
    /// Nothing is defined.
    None = 0,
    /// The nearest texel.
    ClampToEdge = 1,
    /// The border colour: zero, with alpha 1 if the image has no alpha.
    Clamp = 2,
    /// The image repeated.
    Repeat = 3,
    /// The image repeated with every second copy mirrored.
    RepeatMirrored = 4,
}

impl From<Addressing> for AgxAddressing {
    fn from(addressing: Addressing) -> AgxAddressing {
        match addressing {
            Addressing::None => AgxAddressing::None,
            Addressing::ClampToEdge => AgxAddressing::ClampToEdge,
            Addressing::Clamp => AgxAddressing::Clamp,
            Addressing::Repeat => AgxAddressing::Repeat,
            Addressing::RepeatMirrored => AgxAddressing::RepeatMirrored,
        }
    }
}

/// A sampler that a module states: the resource of set 1 whose binding is its number.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct AgxLiteralSampler {
    /// Coordinates outside of the image.
    pub addressing: AgxAddressing,
    /// Coordinates are from 0 to 1, otherwise in texels.
    pub normalized: bool,
    /// Texels are interpolated.
    pub linear: bool,
}

impl From<&LiteralSampler> for AgxLiteralSampler {
    fn from(sampler: &LiteralSampler) -> AgxLiteralSampler {
        let LiteralSampler { addressing, normalized, linear } = *sampler;
        AgxLiteralSampler { addressing: addressing.into(), normalized, linear }
    }
}

impl AgxShader {
    /// What the kernel needs.
    pub(crate) fn kernel(&self) -> Result<&KernelInfo, AgxError> {
        let missing = || AgxError::argument("the shader is not a kernel".to_owned());
        self.0.info.kernel.as_ref().ok_or_else(missing)
    }
}

impl From<&KernelInfo> for AgxKernelInfo {
    fn from(info: &KernelInfo) -> AgxKernelInfo {
        AgxKernelInfo {
            block_bytes: info.block_bytes,
            fixed_size: info.fixed_size,
            arguments: info.arguments.len(),
            formats: info.formats.len(),
            samplers: info.samplers.len(),
        }
    }
}
