//! OpenCL's kernels, which are compute shaders: their arguments, and how a driver passes them.
//!
//! A kernel reads its arguments from one block of bytes, which takes the place of push constants: the driver fills
//! [`crate::UniformSource::PushConstants`] and [`crate::UniformSource::PushConstantAddress`] from it. [`KernelInfo::arguments`]
//! lists what is in the block, in ascending order of bytes: first the parameters of the kernel in their order, each at the next
//! multiple of its alignment, then values that the driver knows ([`ArgumentKind::is_implicit`]), as far as the kernel reads them.
//! Images and samplers are no bytes of the block: they are the resources of set 0 whose binding is the number of the parameter.
//!
//! | kind | bytes of the block |
//! |---|---|
//! | value | the value itself, with the layout of OpenCL C: vectors of three components take the place of four |
//! | global, constant | 64-bit address; 0 is the null pointer |
//! | local | 32-bit offset in workgroup memory, from [`crate::ShaderInfo::local_bytes`] on, at which the driver placed the argument |
//! | image, sampler | none |
//! | global offset | three 32-bit numbers: where the numbers of work-items start |
//! | work dimension | 32-bit number of the dimensions that the host gave |
//! | global size | three 32-bit numbers of work-items |
//! | printf buffer | 64-bit address of a buffer for [`KernelInfo::formats`] |
//!
//! The memory of an argument in local memory follows that of the program: the driver launches the shader with as much more
//! workgroup memory as the arguments take. An object in memory has at most 2 GiB, so that 32 bits count its bytes.

/// Maximum number of bytes of the block of arguments.
pub const MAX_ARGUMENT_BYTES: u32 = 4096;

/// Alignment of memory for an argument in local memory: that of the widest vector.
pub const LOCAL_ALIGN: u32 = 128;

/// Bytes of the header of a buffer for `printf`: the number of bytes after it that invocations asked for, which may be more
/// than there are, and the number of bytes that there are. The driver sets the first to zero, and the second.
pub const PRINTF_HEADER_BYTES: u32 = 8;

/// What an argument is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum ArgumentKind {
    /// A number, a vector or a structure.
    #[default]
    Value,
    /// A pointer to global memory.
    Global,
    /// A pointer to constant memory.
    Constant,
    /// A pointer to workgroup memory, of which the host gives the size.
    Local,
    /// An image.
    Image,
    /// A sampler.
    Sampler,
    /// Numbers of the first work-item.
    GlobalOffset,
    /// Number of dimensions.
    WorkDimension,
    /// Numbers of work-items.
    GlobalSize,
    /// The buffer of `printf`.
    PrintfBuffer,
}

impl ArgumentKind {
    /// Its name in listings and JSON.
    pub fn name(self) -> &'static str {
        match self {
            ArgumentKind::Value => "value",
            ArgumentKind::Global => "global",
            ArgumentKind::Constant => "constant",
            ArgumentKind::Local => "local",
            ArgumentKind::Image => "image",
            ArgumentKind::Sampler => "sampler",
            ArgumentKind::GlobalOffset => "global_offset",
            ArgumentKind::WorkDimension => "work_dimension",
            ArgumentKind::GlobalSize => "global_size",
            ArgumentKind::PrintfBuffer => "printf_buffer",
        }
    }

    /// Whether the driver provides it, and the host does not.
    pub fn is_implicit(self) -> bool {
        use ArgumentKind::{GlobalOffset, GlobalSize, PrintfBuffer, WorkDimension};
        matches!(self, GlobalOffset | WorkDimension | GlobalSize | PrintfBuffer)
    }

    /// The multiple at which an argument starts in the block.
    fn step(self, size: u32, align: u32) -> u32 {
        match self {
            ArgumentKind::Value => align.clamp(1, LOCAL_ALIGN).next_power_of_two(),
            ArgumentKind::Global | ArgumentKind::Constant | ArgumentKind::PrintfBuffer => 8,
            _ => {
                if size == 0 {
                    1
                } else {
                    4
                }
            }
        }
    }

    /// Whether it is the address of a buffer.
    pub fn is_address(self) -> bool {
        matches!(self, ArgumentKind::Global | ArgumentKind::Constant | ArgumentKind::PrintfBuffer)
    }
}

/// An argument of a kernel.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct KernelArgument {
    /// Its name, if the module has one.
    pub name: String,
    /// What it is.
    pub kind: ArgumentKind,
    /// Number of the parameter; implicit arguments are numbered on.
    pub index: u32,
    /// First byte in the block.
    pub offset: u32,
    /// Bytes in the block.
    pub size: u32,
    /// Alignment in bytes: of the value, or of what a pointer points to.
    pub align: u32,
}

/// A format of `printf`. A call stores a record of words: the number of the format, then for each conversion its argument:
/// numbers of up to 32 bits as a word, of 64 bits as two, each component of a vector for itself, floats as 64 bits, strings as
/// the 32-bit offset of their bytes in [`crate::ShaderInfo::constants`].
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct PrintfFormat {
    /// The bytes of the format without the final zero.
    pub text: Vec<u8>,
    /// Bytes of each argument in the record: 4 or 8.
    pub sizes: Vec<u8>,
}

/// The set of the samplers that the module states; the driver makes them.
pub const LITERAL_SAMPLER_SET: u32 = 1;

/// What a sampler does with coordinates outside of the image.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Addressing {
    /// Nothing is defined.
    #[default]
    None,
    /// The nearest texel.
    ClampToEdge,
    /// The border colour, which is zero, with alpha 1 if the image has no alpha.
    Clamp,
    /// The image repeated.
    Repeat,
    /// The image repeated with every second copy mirrored.
    RepeatMirrored,
}

impl Addressing {
    /// Its name in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Addressing::None => "none",
            Addressing::ClampToEdge => "clamp_to_edge",
            Addressing::Clamp => "clamp",
            Addressing::Repeat => "repeat",
            Addressing::RepeatMirrored => "repeat_mirrored",
        }
    }
}

/// A sampler that the module states: the resource of set [`LITERAL_SAMPLER_SET`] whose binding is its number.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct LiteralSampler {
    /// Coordinates outside of the image.
    pub addressing: Addressing,
    /// Coordinates are from 0 to 1, otherwise in texels.
    pub normalized: bool,
    /// Texels are interpolated.
    pub linear: bool,
}

/// The properties of a kernel that the driver needs to launch it, beyond those of a compute shader.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct KernelInfo {
    /// The arguments: parameters in their order, then implicit ones.
    pub arguments: Vec<KernelArgument>,
    /// Bytes of the block.
    pub block_bytes: u32,
    /// The module fixes the size of workgroups; otherwise it is that of the compile key.
    pub fixed_size: bool,
    /// The formats of `printf` by number.
    pub formats: Vec<PrintfFormat>,
    /// The samplers that the module states, by number.
    pub samplers: Vec<LiteralSampler>,
}

impl KernelInfo {
    /// The argument of a kind, of which there is at most one.
    pub fn implicit(&self, kind: ArgumentKind) -> Option<&KernelArgument> {
        self.arguments.iter().find(|argument| argument.kind == kind)
    }

    /// The parameter with this number.
    pub fn parameter(&self, index: u32) -> Option<&KernelArgument> {
        self.arguments.iter().find(|argument| argument.index == index && !argument.kind.is_implicit())
    }

    /// Places an argument of `size` bytes after those before it; returns its first byte.
    pub fn place(&mut self, name: String, kind: ArgumentKind, (size, align): (u32, u32)) -> u32 {
        let offset = self.block_bytes.checked_next_multiple_of(kind.step(size, align)).unwrap_or(u32::MAX);
        self.block_bytes = offset.saturating_add(size);
        let index = self.arguments.len() as u32;
        self.arguments.push(KernelArgument { name, kind, index, offset, size, align });
        offset
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_placed_by_their_alignment() {
        let mut info = KernelInfo::default();
        let mut place = |kind, size| info.place(String::new(), kind, size);
        assert_eq!(place(ArgumentKind::Value, (4, 4)), 0);
        assert_eq!(place(ArgumentKind::Global, (8, 4)), 8);
        assert_eq!(place(ArgumentKind::Value, (1, 1)), 16);
        assert_eq!(place(ArgumentKind::Value, (16, 16)), 32);
        assert_eq!(place(ArgumentKind::Local, (4, 16)), 48);
        assert_eq!(place(ArgumentKind::Image, (0, 1)), 52);
        assert_eq!(place(ArgumentKind::GlobalOffset, (12, 4)), 52);
        assert_eq!(place(ArgumentKind::PrintfBuffer, (8, 8)), 64);
        assert_eq!(info.block_bytes, 72);
        assert_eq!(info.parameter(3).map(|argument| argument.offset), Some(32));
        assert_eq!(info.parameter(6), None, "implicit");
        assert_eq!(info.implicit(ArgumentKind::GlobalOffset).map(|argument| argument.index), Some(6));
    }
}
