//! The caches that reads go through: shader words with what they point at, and texels.
//!
//! With [`Settings::caches`], reads see the bytes that the cache holds, and one that memory no longer has is a finding: a
//! driver has to write the record that drops them. The shader cache lasts from one draw stream to the next. The texture
//! cache is empty at the start of a command and of each visit to the tiles, because drivers write nothing there.
//!
//! [`Settings::caches`]: crate::Settings::caches

use std::collections::BTreeMap;

use agx_abi::streams::{AFTER_FEEDBACK, AFTER_LAUNCH};
use agx_emulator::{Lines, Memory};

use super::{Device, Submission, note_all};
use crate::record::{self, Packed, compute_barrier, draw_barrier};
use crate::stream::{StreamError, Words};

/// The shader cache of each address space.
#[derive(Debug, Default)]
pub(super) struct Caches {
    shader: BTreeMap<u32, Lines>,
}

/// What a barrier drops.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Drops {
    pub(super) shader: bool,
    pub(super) texels: bool,
}

impl Drops {
    /// The effect of a barrier of a compute stream. Mesa's comment on its set names the texture cache; measurements on an M1
    /// and an M1 Max show that smaller sets suffice for buffers, and say nothing of texels.
    pub(super) fn of_compute(barrier: &[u8]) -> Drops {
        Drops {
            shader: compute_barrier::INVALIDATE_SHADERS.is_set(barrier),
            texels: has_all(barrier, AFTER_LAUNCH),
        }
    }

    /// The effect of a barrier of a draw stream.
    pub(super) fn of_draws(barrier: &[u8]) -> Drops {
        Drops {
            shader: draw_barrier::INVALIDATE_SHADERS.is_set(barrier),
            texels: has_all(barrier, AFTER_FEEDBACK),
        }
    }
}

/// Whether a barrier has all bits of a set.
fn has_all(barrier: &[u8], set: Packed<4>) -> bool {
    let set = u64::from(set.bits());
    record::bits(barrier, 0, 32) & set == set
}

impl Caches {
    /// Drops what a barrier, or the start of a stream, drops, in the address space `vm`; a finding if old texels were read.
    pub(super) fn drop(&mut self, (vm, memory): (u32, &mut Memory), drops: Drops) -> Option<String> {
        if drops.shader
            && let Some(lines) = self.shader.get_mut(&vm)
        {
            lines.drop_all();
        }
        let texels = memory.texels.as_mut().filter(|_| drops.texels)?;
        let stale = texels.take_stale();
        texels.drop_all();
        stale.map(stale_texels)
    }
}

/// The finding for texels that a program read after their memory was stored to.
pub(super) fn stale_texels(address: u64) -> String {
    format!("texels at {address:#x} are in the texture cache as they were before a store")
}

/// Reads the words of a shader through the shader cache.
///
/// # Errors
/// As [`Words::read`].
pub(super) fn read_words(
    device: &mut Device,
    submission: &Submission<'_>,
    address: u64,
    extended: bool,
) -> Result<Words, StreamError> {
    let seed = device.settings.seed;
    let caches = device.settings.caches.then_some(&mut device.caches.shader);
    let mut cache = caches.map(|caches| caches.entry(submission.vm).or_insert_with(|| Lines::new(seed)));
    let memory = (&*submission.memory, cache.as_deref_mut());
    let words = Words::read(memory, submission.shader_base, address, extended);
    let stale = cache.and_then(Lines::take_stale);
    let text = |address: u64| {
        let what = "shader words, uniforms or descriptors";
        format!("{what} at {address:#x} are in the shader cache as they were before")
    };
    note_all(device, stale.map(text));
    if let Ok(words) = &words {
        let bytes = words.list.iter().map(|(_, _, bytes)| bytes.len() as u64).sum();
        device.statistics.read_once(|sums| &mut sums.word_bytes, address, bytes);
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;
    use agx_abi::streams::START;

    #[test]
    fn barriers_drop_what_their_sets_are_known_to() {
        let all = Drops { shader: true, texels: true };
        assert_eq!(Drops::of_compute(&AFTER_LAUNCH.bytes()), all);
        // Measured to suffice for buffers: bits 4, 5, 6 and 8.
        let small = 0x6000_0170_u32.to_le_bytes();
        assert_eq!(Drops::of_compute(&small), Drops { shader: false, texels: false });
        assert_eq!(Drops::of_draws(&START.bytes()), Drops { shader: true, texels: false });
        assert_eq!(Drops::of_draws(&AFTER_FEEDBACK.bytes()), Drops { shader: false, texels: true });
    }
}
