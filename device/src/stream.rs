//! Walks control streams: links, returns, and the words of a shader.

use std::ops::Range;

use agx_emulator::{Lines, Memory, MemoryFault};

use crate::bytes;
use crate::record::{
    self, CDM_LINK, CDM_RETURN, CDM_TERMINATE, Record, compute_link, compute_terminate, usc_fragment,
    usc_no_preamble, usc_preamble, usc_registers, usc_sampler, usc_shader, usc_shared, usc_texture,
    usc_uniform, usc_uniform_high,
};

/// Maximum nesting of links.
const DEPTH: usize = 16;
/// Maximum number of records in a stream; more are treated as a loop.
const MOST_RECORDS: u32 = 1 << 22;

/// An error in a stream.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub(crate) enum StreamError {
    /// A record or its target is not mapped.
    #[error("{what} at {address:#x}: {fault}")]
    Memory {
        /// The object to be read.
        what: &'static str,
        /// Its address.
        address: u64,
        /// The reason why it cannot be read.
        fault: MemoryFault,
    },
    /// A record of an unknown kind.
    #[error("the record at {address:#x} has the unknown kind {kind}")]
    Kind {
        /// Its address.
        address: u64,
        /// Bits 29 to 31.
        kind: u64,
    },
    /// A word of a shader with an unknown tag.
    #[error("the shader word at {address:#x} has the unknown tag {tag:#x}")]
    Tag {
        /// Its address.
        address: u64,
        /// Its first byte.
        tag: u64,
    },
    /// Links nested too deeply, returns without link, loops.
    #[error("the stream at {address:#x} {what}")]
    Shape {
        /// Address.
        address: u64,
        /// Description, as a predicate.
        what: &'static str,
    },
}

/// Converts a memory fault during a walk.
pub(crate) fn unbound(what: &'static str, address: u64) -> impl Fn(MemoryFault) -> StreamError {
    move |fault| StreamError::Memory { what, address, fault }
}

/// The position of a walk.
#[derive(Clone, Debug)]
pub(crate) struct Walk {
    pub(crate) at: u64,
    returns: Vec<u64>,
    /// Number of records that may still be reached.
    left: u32,
    /// Bytes of the records that were taken.
    pub(crate) taken: u64,
}

/// A record that a walk has reached.
pub(crate) struct Reached {
    pub(crate) address: u64,
    /// Bits 29 to 31 of the first word.
    pub(crate) kind: u64,
}

impl Walk {
    pub(crate) fn new(at: u64) -> Walk {
        Walk { at, returns: Vec::new(), left: MOST_RECORDS, taken: 0 }
    }

    /// The record at the current position.
    pub(crate) fn reach(&mut self, memory: &Memory) -> Result<Reached, StreamError> {
        let endless = StreamError::Shape { address: self.at, what: "does not end" };
        self.left = self.left.checked_sub(1).ok_or(endless)?;
        let word = bytes::word(memory, self.at).map_err(unbound("a record", self.at))?;
        Ok(Reached { address: self.at, kind: u64::from(word >> 29) })
    }

    /// Reads a record and advances the walk.
    pub(crate) fn take(&mut self, memory: &Memory, record: &'static Record) -> Result<Vec<u8>, StreamError> {
        let address = self.at;
        self.at = bytes::address(address, record.bytes as u64);
        self.taken = self.taken.saturating_add(record.bytes as u64);
        bytes::record(memory, address, record).map_err(unbound(record.name, address))
    }

    /// Advances to a multiple of eight bytes after `start`.
    pub(crate) fn align(&mut self, start: u64) {
        let taken = self.at.saturating_sub(start);
        let padding = taken.wrapping_neg() % 8;
        self.at = bytes::address(self.at, padding);
        self.taken = self.taken.saturating_add(padding);
    }

    /// Continues at `target`.
    pub(crate) fn link(&mut self, target: u64, with_return: bool) -> Result<(), StreamError> {
        if with_return {
            if self.returns.len() == DEPTH {
                return Err(StreamError::Shape { address: self.at, what: "nests links too deep" });
            }
            self.returns.push(self.at);
        }
        self.at = target;
        Ok(())
    }

    /// Continues after the latest link with return.
    pub(crate) fn back(&mut self) -> Result<(), StreamError> {
        let without = StreamError::Shape { address: self.at, what: "returns without a link" };
        self.at = self.returns.pop().ok_or(without)?;
        Ok(())
    }

    /// Handles links, returns and the end of compute streams: `Some(false)` at the end, `None` for other records.
    pub(crate) fn compute_flow(&mut self, memory: &Memory, kind: u64) -> Result<Option<bool>, StreamError> {
        match kind {
            CDM_LINK => {
                let bytes = self.take(memory, &compute_link::RECORD)?;
                let target =
                    compute_link::TARGET_HIGH.get(&bytes) << 32 | compute_link::TARGET_LOW.get(&bytes);
                self.link(target, compute_link::WITH_RETURN.is_set(&bytes))?;
            }
            CDM_TERMINATE => {
                self.take(memory, &compute_terminate::RECORD)?;
                return Ok(Some(false));
            }
            CDM_RETURN => self.back()?,
            _ => return Ok(None),
        }
        Ok(Some(true))
    }
}

/// Local memory, as specified by the words of a shader.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Shared {
    /// Size in bytes if it is plain memory.
    pub(crate) bytes: u32,
    /// Width and height in pixels, samples, and bytes per sample, if it is a tile.
    pub(crate) tile: Option<[u32; 4]>,
}

/// The state that the words of a shader load before it starts.
#[derive(Clone, Debug, Default)]
pub(crate) struct Words {
    /// All uniform half-words.
    pub(crate) uniforms: Vec<u16>,
    /// Uniform half-words that no word sets.
    pub(crate) unset: Vec<Range<u16>>,
    pub(crate) textures: Vec<[u8; 24]>,
    pub(crate) samplers: Vec<[u8; 8]>,
    /// Border colours of samplers that have them, by the numbers of the samplers.
    pub(crate) borders: Vec<[u8; 16]>,
    pub(crate) shared: Shared,
    /// Address of the program.
    pub(crate) code: u64,
    /// Address of the preamble.
    pub(crate) preamble: Option<u64>,
    /// Half registers of the program.
    pub(crate) registers: u32,
    /// The code of the stack size.
    pub(crate) spill: u64,
    /// Whether tests run before the fragment program.
    pub(crate) early_tests: Option<bool>,
    /// Each word with its address, for listings.
    pub(crate) list: Vec<(u64, &'static Record, Vec<u8>)>,
}

/// Half-words of the uniform file.
const UNIFORMS: usize = 512;

impl Words {
    /// Reads the words at `address` through a cache, if there is one, for shaders relative to `base`; `extended` samplers
    /// have a border colour after them.
    pub(crate) fn read(
        (memory, cache): (&Memory, Option<&mut Lines>),
        base: u64,
        address: u64,
        extended: bool,
    ) -> Result<Words, StreamError> {
        let mut reader = Reader {
            memory,
            cache,
            walk: Walk::new(address),
            base,
            extended,
            set: [false; UNIFORMS],
            words: Words { uniforms: vec![0; UNIFORMS], ..Words::default() },
        };
        while reader.word()? {}
        let mut words = reader.words;
        words.unset = unset_ranges(&reader.set);
        Ok(words)
    }
}

fn unset_ranges(set: &[bool; UNIFORMS]) -> Vec<Range<u16>> {
    let mut ranges: Vec<Range<u16>> = Vec::new();
    for (half, _) in (0_u16..).zip(set).filter(|(_, set)| !**set) {
        let end = half.saturating_add(1);
        match ranges.last_mut() {
            Some(last) if last.end == half => last.end = end,
            _ => ranges.push(half..end),
        }
    }
    ranges
}

struct Reader<'m> {
    memory: &'m Memory,
    cache: Option<&'m mut Lines>,
    walk: Walk,
    base: u64,
    extended: bool,
    set: [bool; UNIFORMS],
    words: Words,
}

impl Reader<'_> {
    /// Reads one word; false after the last.
    fn word(&mut self) -> Result<bool, StreamError> {
        let address = self.walk.at;
        let mut tag = [0; 1];
        self.memory.fetch(address, &mut tag).map_err(unbound("a shader word", address))?;
        self.see(address, &mut tag);
        match u64::from(tag[0]) {
            record::USC_UNIFORM => self.uniforms(&usc_uniform::RECORD, 0)?,
            record::USC_UNIFORM_HIGH => self.uniforms(&usc_uniform_high::RECORD, 256)?,
            record::USC_TEXTURE => self.textures()?,
            record::USC_SAMPLER => self.samplers()?,
            record::USC_SHARED => self.shared()?,
            record::USC_SHADER => {
                let bytes = self.take(&usc_shader::RECORD)?;
                self.words.code = bytes::address(self.base, usc_shader::CODE.get(&bytes));
            }
            record::USC_REGISTERS => {
                let bytes = self.take(&usc_registers::RECORD)?;
                self.words.registers = usc_registers::COUNT.get(&bytes) as u32;
                self.words.spill = usc_registers::SPILL.get(&bytes);
            }
            record::USC_FRAGMENT => {
                let bytes = self.take(&usc_fragment::RECORD)?;
                self.words.early_tests = Some(usc_fragment::EARLY_TESTS.is_set(&bytes));
            }
            record::USC_NO_PREAMBLE => {
                self.take(&usc_no_preamble::RECORD)?;
                return Ok(false);
            }
            record::USC_PREAMBLE => {
                let bytes = self.take(&usc_preamble::RECORD)?;
                self.words.preamble = Some(bytes::address(self.base, usc_preamble::CODE.get(&bytes)));
                return Ok(false);
            }
            tag => return Err(StreamError::Tag { address, tag }),
        }
        Ok(true)
    }

    fn take(&mut self, record: &'static Record) -> Result<Vec<u8>, StreamError> {
        let address = self.walk.at;
        let mut bytes = self.walk.take(self.memory, record)?;
        self.see(address, &mut bytes);
        self.words.list.push((address, record, bytes.clone()));
        Ok(bytes)
    }

    /// Bytes that a word points to.
    fn pointed(&mut self, what: &'static str, address: u64, len: usize) -> Result<Vec<u8>, StreamError> {
        let mut bytes = bytes::read(self.memory, address, len).map_err(unbound(what, address))?;
        self.see(address, &mut bytes);
        Ok(bytes)
    }

    /// Replaces bytes, just read from memory, by those in the cache.
    fn see(&mut self, address: u64, bytes: &mut [u8]) {
        if let Some(cache) = &mut self.cache {
            cache.see(address, bytes, |from, into| self.memory.fetch(from, into).is_ok());
        }
    }

    fn uniforms(&mut self, record: &'static Record, first: usize) -> Result<(), StreamError> {
        let word = self.take(record)?;
        let start = first.saturating_add(usc_uniform::START.get(&word) as usize);
        let bytes = (usc_uniform::COUNT.get(&word) as usize).saturating_mul(2);
        let values = self.pointed("uniforms", usc_uniform::ADDRESS.get(&word), bytes)?;
        let (halves, _) = values.as_chunks();
        let places = self.words.uniforms.iter_mut().skip(start).zip(self.set.iter_mut().skip(start));
        for ((place, set), half) in places.zip(halves) {
            *place = u16::from_le_bytes(*half);
            *set = true;
        }
        Ok(())
    }

    fn textures(&mut self) -> Result<(), StreamError> {
        let word = self.take(&usc_texture::RECORD)?;
        let (start, count) = (usc_texture::START.get(&word) as usize, usc_texture::COUNT.get(&word) as usize);
        let found = self.pointed("textures", usc_texture::ADDRESS.get(&word), count.saturating_mul(24))?;
        place(&mut self.words.textures, start, found.as_chunks().0.iter());
        Ok(())
    }

    fn samplers(&mut self) -> Result<(), StreamError> {
        let word = self.take(&usc_sampler::RECORD)?;
        let (start, count) = (usc_sampler::START.get(&word) as usize, usc_sampler::COUNT.get(&word) as usize);
        let stride = if self.extended { 24 } else { 8 };
        let found =
            self.pointed("samplers", usc_sampler::ADDRESS.get(&word), count.saturating_mul(stride))?;
        let entries = found.chunks_exact(stride);
        place(&mut self.words.samplers, start, entries.clone().filter_map(<[u8]>::first_chunk));
        if self.extended {
            place(&mut self.words.borders, start, entries.filter_map(<[u8]>::last_chunk));
        }
        Ok(())
    }

    fn shared(&mut self) -> Result<(), StreamError> {
        let word = self.take(&usc_shared::RECORD)?;
        let size = match usc_shared::LAYOUT.raw(&word) {
            0x2f => Some([32, 32]),
            0x3f => Some([32, 16]),
            0x36 => Some([16, 16]),
            _ => None,
        };
        let samples = usc_shared::SAMPLES.get(&word) as u32;
        let stride = usc_shared::SAMPLE_STRIDE.get(&word) as u32;
        self.words.shared = Shared {
            bytes: if usc_shared::USED.is_set(&word) { usc_shared::BYTES.get(&word) as u32 } else { 0 },
            tile: size.map(|[width, height]| [width, height, samples, stride]),
        };
        Ok(())
    }
}

/// Writes descriptors to registers from `start` on; unset registers before them become zeros.
fn place<'b, const N: usize>(
    registers: &mut Vec<[u8; N]>,
    start: usize,
    descriptors: impl Iterator<Item = &'b [u8; N]>,
) {
    for (number, bytes) in (start..).zip(descriptors) {
        match registers.get_mut(number) {
            Some(place) => *place = *bytes,
            None => {
                registers.resize(number, [0; N]);
                registers.push(*bytes);
            }
        }
    }
}
