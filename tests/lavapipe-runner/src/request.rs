//! What to run. The binary form is a sequence of 32-bit little-endian words; byte strings have their length in bytes
//! before them and are not padded.

/// How a buffer is bound.
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
    /// How it is bound.
    pub kind: BufferKind,
    /// Where it is bound.
    pub binding: u32,
    /// Contents before the run.
    pub bytes: &'a [u8],
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
}

/// What is left to read.
struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn word(&mut self) -> Option<u32> {
        let (word, rest) = self.0.split_first_chunk::<4>()?;
        self.0 = rest;
        Some(u32::from_le_bytes(*word))
    }

    fn bytes(&mut self) -> Option<&'a [u8]> {
        let length = self.word()? as usize;
        let (bytes, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(bytes)
    }

    fn list<T>(&mut self, item: impl Fn(&mut Self) -> Option<T>) -> Option<Vec<T>> {
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
        })
    }
}
