//! How to run a shader, from the `//@` lines of its source:
//!
//! * `groups X Y Z` — workgroups; the default is one.
//! * `push W…` — push constants, 32-bit words; a word with a point is a float.
//! * `constant ID VALUE` — a specialisation constant.
//! * `buffer BINDING WORDS FILL` — a storage buffer of a given number of 32-bit words, `uniform` for a uniform buffer.
//!   FILL is `zero`, `count` (0, 1, 2, …), `random`, `below N`, or `f16 LOW HIGH`, `f32 LOW HIGH`, `f64 LOW HIGH` for
//!   floats of that range.
//! * `image BINDING DIMENSION FORMAT WIDTH HEIGHT DEPTH LEVELS FILL` — a sampled image; `storage` for a storage image,
//!   `linear` for one with atomics. `texels BINDING FORMAT COUNT FILL` — a texel buffer; `storage_texels`.
//! * `sampler BINDING WORDS` — see [`Sampler::parse`].
//! * `close BINDING TYPE TOLERANCE` — the buffer has floats of that type, which may differ by the tolerance times the
//!   larger of the expected magnitude and one. Other buffers are compared bit for bit.

use agx_emulator::launch::BufferBinding;
use agx_random::Random;

use super::compare::{Comparison, Float, float_bytes};
use super::textures::{Sampler, Texture};

/// A buffer of descriptor set 0.
pub struct Buffer {
    /// Binding.
    pub binding: u32,
    /// A uniform buffer instead of a storage buffer.
    pub uniform: bool,
    /// Contents before the run.
    pub bytes: Vec<u8>,
    /// Comparison of its contents after the run.
    pub comparison: Comparison,
}

/// A run of a shader.
pub struct Case {
    /// Workgroups.
    pub groups: [u32; 3],
    /// Push constants.
    pub push_constants: Vec<u8>,
    /// Specialisation constants: number and value.
    pub constants: Vec<(u32, u32)>,
    /// The buffers.
    pub buffers: Vec<Buffer>,
    /// The images, then the texel buffers.
    pub textures: Vec<Texture>,
    /// The samplers.
    pub samplers: Vec<Sampler>,
}

impl Case {
    /// Reads the `//@` lines of `source`.
    pub fn parse(source: &str) -> Result<Case, String> {
        let mut case = Case {
            groups: [1; 3],
            push_constants: Vec::new(),
            constants: Vec::new(),
            buffers: Vec::new(),
            textures: Vec::new(),
            samplers: Vec::new(),
        };
        for line in source.lines().filter_map(|line| line.strip_prefix("//@ ")) {
            let words: Vec<&str> = line.split_whitespace().collect();
            case.directive(&words).ok_or_else(|| format!("`{line}` is not understood"))?;
        }
        case.textures.sort_by_key(Texture::is_buffer);
        Ok(case)
    }

    fn directive(&mut self, words: &[&str]) -> Option<()> {
        match words {
            ["groups", x, y, z] => self.groups = [number(x)?, number(y)?, number(z)?],
            ["push", values @ ..] => {
                for value in values {
                    self.push_constants.extend(word(value)?.to_le_bytes());
                }
            }
            ["constant", id, value] => self.constants.push((number(id)?, word(value)?)),
            [kind @ ("buffer" | "uniform"), binding, count, fill @ ..] => {
                let binding = number(binding)?;
                let bytes = contents(fill, number(count)? as usize * 4, u64::from(binding) + 1)?;
                let uniform = *kind == "uniform";
                self.buffers.push(Buffer { binding, uniform, bytes, comparison: Comparison::Exact });
            }
            [kind @ ("image" | "storage" | "linear" | "texels" | "storage_texels"), words @ ..] => {
                self.textures.push(Texture::parse(kind, words, contents)?);
            }
            ["sampler", words @ ..] => self.samplers.push(Sampler::parse(words)?),
            ["close", binding, float, tolerance] => {
                let comparison = Comparison::Close(Float::named(float)?, tolerance.parse().ok()?);
                *self.comparison(number(binding)?)? = comparison;
            }
            _ => return None,
        }
        Some(())
    }

    /// The comparison of a binding.
    fn comparison(&mut self, binding: u32) -> Option<&mut Comparison> {
        if let Some(buffer) = self.buffers.iter_mut().find(|buffer| buffer.binding == binding) {
            return Some(&mut buffer.comparison);
        }
        let texture = self.textures.iter_mut().find(|texture| texture.resource.buffer.binding == binding)?;
        Some(&mut texture.comparison)
    }

    /// The buffers as resources of the reference machine.
    pub fn bindings(&self) -> Vec<BufferBinding> {
        let binding = |buffer: &Buffer| BufferBinding {
            set: 0,
            binding: buffer.binding,
            element: 0,
            bytes: buffer.bytes.clone(),
            writable: !buffer.uniform,
        };
        self.buffers.iter().map(binding).collect()
    }
}

fn number(word: &str) -> Option<u32> {
    word.parse().ok()
}

/// A 32-bit word: a float if it has a point.
fn word(text: &str) -> Option<u32> {
    if text.contains('.') {
        return Some(text.parse::<f32>().ok()?.to_bits());
    }
    text.parse::<i64>().ok().map(|value| value as u32)
}

/// `length` bytes of the kind `fill`.
fn contents(fill: &[&str], length: usize, seed: u64) -> Option<Vec<u8>> {
    let mut random = Random::new(seed);
    let words = 0..length as u32 / 4;
    Some(match fill {
        ["zero"] => vec![0; length],
        ["count"] => words.flat_map(u32::to_le_bytes).collect(),
        ["random"] => words.flat_map(|_| (random.next_u64() as u32).to_le_bytes()).collect(),
        ["below", limit] => {
            let limit = u64::from(number(limit)?);
            words.flat_map(|_| ((random.next_u64() % limit) as u32).to_le_bytes()).collect()
        }
        [float, low, high] => {
            let float = Float::named(float)?;
            let (low, high): (f64, f64) = (low.parse().ok()?, high.parse().ok()?);
            let mut unit = || (random.next_u64() >> 11) as f64 / (1u64 << 53) as f64;
            (0..length / float.bytes())
                .flat_map(|_| float_bytes(float, low + (high - low) * unit()))
                .collect()
        }
        _ => return None,
    })
}
