//! A request. The binary form is a sequence of 32-bit little-endian words; byte strings are preceded by their length in
//! bytes and are not padded.

/// The type of a buffer binding.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BufferKind {
    /// Storage buffer (0 in binary form).
    Storage,
    /// Uniform buffer (1 in binary form).
    Uniform,
}

/// A buffer of descriptor set 0.
#[derive(Debug)]
pub struct Buffer<'a> {
    /// Type.
    pub kind: BufferKind,
    /// Binding.
    pub binding: u32,
    /// Contents before the run.
    pub bytes: &'a [u8],
}

/// An image of descriptor set 0. With a sampler of the same binding both are one descriptor.
#[derive(Debug)]
pub struct Image<'a> {
    /// Binding.
    pub binding: u32,
    /// A storage image instead of a sampled one.
    pub storage: bool,
    /// 0 1D, 1 1D array, 2 2D, 3 2D array, 5 3D, 6 cube, 7 cube array.
    pub dimension: u32,
    /// Vulkan's number of the format.
    pub format: u32,
    /// Bytes of a texel.
    pub texel_bytes: u32,
    /// Width, height, and depth, layers or cubes.
    pub size: [u32; 3],
    /// Levels.
    pub levels: u32,
    /// Texels before the run: all slices of a level together, levels at multiples of 16 bytes.
    pub bytes: &'a [u8],
}

/// A texel buffer of descriptor set 0.
#[derive(Debug)]
pub struct TexelBuffer<'a> {
    /// Binding.
    pub binding: u32,
    /// A storage texel buffer instead of a uniform one.
    pub storage: bool,
    /// Vulkan's number of the format.
    pub format: u32,
    /// Texels before the run.
    pub bytes: &'a [u8],
}

/// A sampler of descriptor set 0.
#[derive(Debug)]
pub struct Sampler {
    /// Binding.
    pub binding: u32,
    /// 1: linear filter.
    pub linear: u32,
    /// 0: first level only, 1 nearest, 2 linear between levels.
    pub levels: u32,
    /// Vulkan's number of the address mode.
    pub wrap: u32,
    /// 0 for no comparison, else one more than Vulkan's number of the comparison.
    pub compare: u32,
    /// 0 transparent black, 1 opaque black, 2 opaque white.
    pub border: u32,
}

/// One dispatch. The binary form has the fields in this order, with the number of elements before each list.
#[derive(Debug)]
pub struct Request<'a> {
    /// The module; its entry point is `main`.
    pub spirv: Vec<u32>,
    /// Number of workgroups.
    pub groups: [u32; 3],
    /// Push constants.
    pub push_constants: &'a [u8],
    /// Specialisation constants of 32 bits: number and value.
    pub constants: Vec<(u32, u32)>,
    /// The buffers.
    pub buffers: Vec<Buffer<'a>>,
    /// The images.
    pub images: Vec<Image<'a>>,
    /// The texel buffers.
    pub texel_buffers: Vec<TexelBuffer<'a>>,
    /// The samplers.
    pub samplers: Vec<Sampler>,
}

/// What is left to read.
pub struct Reader<'a>(pub &'a [u8]);

impl<'a> Reader<'a> {
    /// The next word.
    pub fn word(&mut self) -> Option<u32> {
        let (word, rest) = self.0.split_first_chunk::<4>()?;
        self.0 = rest;
        Some(u32::from_le_bytes(*word))
    }

    /// The next byte string.
    pub fn bytes(&mut self) -> Option<&'a [u8]> {
        let length = self.word()? as usize;
        let (bytes, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(bytes)
    }

    /// The next list.
    pub fn list<T>(&mut self, item: impl Fn(&mut Self) -> Option<T>) -> Option<Vec<T>> {
        let count = self.word()?;
        (0..count).map(|_| item(self)).collect()
    }
}

impl<'a> Request<'a> {
    /// Reads the binary form; nothing when it is cut short.
    pub fn parse(bytes: &'a [u8]) -> Option<Request<'a>> {
        let mut reader = Reader(bytes);
        let (words, _) = reader.bytes()?.as_chunks::<4>();
        Some(Request {
            spirv: words.iter().map(|word| u32::from_le_bytes(*word)).collect(),
            groups: [reader.word()?, reader.word()?, reader.word()?],
            push_constants: reader.bytes()?,
            constants: reader.list(|reader| Some((reader.word()?, reader.word()?)))?,
            buffers: reader.list(|reader| {
                let kind = if reader.word()? == 1 { BufferKind::Uniform } else { BufferKind::Storage };
                Some(Buffer { kind, binding: reader.word()?, bytes: reader.bytes()? })
            })?,
            images: reader.list(|reader| {
                Some(Image {
                    binding: reader.word()?,
                    storage: reader.word()? != 0,
                    dimension: reader.word()?,
                    format: reader.word()?,
                    texel_bytes: reader.word()?,
                    size: [reader.word()?, reader.word()?, reader.word()?],
                    levels: reader.word()?,
                    bytes: reader.bytes()?,
                })
            })?,
            texel_buffers: reader.list(|reader| {
                Some(TexelBuffer {
                    binding: reader.word()?,
                    storage: reader.word()? != 0,
                    format: reader.word()?,
                    bytes: reader.bytes()?,
                })
            })?,
            samplers: reader.list(|reader| {
                Some(Sampler {
                    binding: reader.word()?,
                    linear: reader.word()?,
                    levels: reader.word()?,
                    wrap: reader.word()?,
                    compare: reader.word()?,
                    border: reader.word()?,
                })
            })?,
        })
    }
}
