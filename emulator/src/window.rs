//! Words that the machine shares with their other owners, such as the buffers of a driver.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

/// Memory that others can access while the machine runs.
pub trait Words: Send + Sync {
    /// All words, in address order.
    fn words(&self) -> &[AtomicU32];
}

impl Words for Box<[AtomicU32]> {
    fn words(&self) -> &[AtomicU32] {
        self
    }
}

/// A range of shared words, or a short range repeated. A store of bytes changes the enclosing word atomically, so that
/// the other bytes keep their values.
#[derive(Clone)]
pub struct Window {
    words: Arc<dyn Words>,
    /// First byte in `words`.
    start: usize,
    /// Size of the window in bytes.
    len: u64,
    /// Period after which the contents repeat, in bytes; at least `len` if they do not.
    period: u64,
    /// First byte within the period.
    phase: u64,
}

impl Window {
    /// `len` bytes of `words` from byte `start` on; `None` if there are fewer.
    pub fn new(words: Arc<dyn Words>, start: u64, len: u64) -> Option<Window> {
        Window::repeated(words, start, len, len)
    }

    /// `period` bytes of `words` from byte `start` on, repeated up to `len` bytes; `None` if there are fewer.
    pub fn repeated(words: Arc<dyn Words>, start: u64, len: u64, period: u64) -> Option<Window> {
        let end = start.checked_add(period)?;
        let inside = end <= words.words().len() as u64 * 4 && (period > 0 || len == 0);
        inside.then_some(Window { words, start: start as usize, len, period: period.max(1), phase: 0 })
    }

    /// Size of the window in bytes.
    pub fn len(&self) -> u64 {
        self.len
    }

    /// Whether its size is 0.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Copies bytes to the window from byte `offset` on; bytes past its end are ignored.
    pub fn store(&self, offset: u64, from: &[u8]) {
        let room = self.len.saturating_sub(offset).min(from.len() as u64) as usize;
        self.write(offset as usize, &from[..room]);
    }

    /// Copies bytes from the window from byte `offset` on; bytes past its end are left unchanged.
    pub fn load(&self, offset: u64, into: &mut [u8]) {
        let room = self.len.saturating_sub(offset).min(into.len() as u64) as usize;
        self.read(offset as usize, &mut into[..room]);
    }

    /// `len` bytes from byte `skip` on.
    pub(crate) fn part(&self, skip: u64, len: u64) -> Window {
        Window { len, phase: (self.phase + skip) % self.period, ..self.clone() }
    }

    /// Copies bytes that are known to be in the window.
    pub(crate) fn read(&self, offset: usize, into: &mut [u8]) {
        let words = self.words.words();
        let mut done = 0;
        while done < into.len() {
            let at = self.place(offset + done);
            let word = words[at / 4].load(Ordering::Relaxed).to_le_bytes();
            let count = (4 - at % 4).min(into.len() - done);
            into[done..done + count].copy_from_slice(&word[at % 4..at % 4 + count]);
            done += count;
        }
    }

    /// A word that is known to be in the window.
    #[inline]
    pub(crate) fn word(&self, offset: usize) -> u32 {
        let at = self.place(offset);
        if at.is_multiple_of(4) {
            return self.words.words()[at / 4].load(Ordering::Relaxed);
        }
        let mut word = [0; 4];
        self.read(offset, &mut word);
        u32::from_le_bytes(word)
    }

    /// Copies bytes to positions that are known to be in the window.
    pub(crate) fn write(&self, offset: usize, from: &[u8]) {
        let words = self.words.words();
        let mut done = 0;
        while done < from.len() {
            let at = self.place(offset + done);
            let count = (4 - at % 4).min(from.len() - done);
            let (word, from) = (&words[at / 4], &from[done..done + count]);
            match from.first_chunk() {
                Some(bytes) => word.store(u32::from_le_bytes(*bytes), Ordering::Relaxed),
                None => replace_bytes(word, at % 4, from),
            }
            done += count;
        }
    }

    fn place(&self, offset: usize) -> usize {
        let within = self.phase + offset as u64;
        self.start + if within < self.period { within } else { within % self.period } as usize
    }
}

/// Changes bytes of a word and preserves the others, even if another thread changes them concurrently.
fn replace_bytes(word: &AtomicU32, first: usize, from: &[u8]) {
    let replaced = |old: u32| {
        let mut bytes = old.to_le_bytes();
        bytes[first..first + from.len()].copy_from_slice(from);
        u32::from_le_bytes(bytes)
    };
    let mut old = word.load(Ordering::Relaxed);
    while let Err(now) = word.compare_exchange_weak(old, replaced(old), Ordering::Relaxed, Ordering::Relaxed)
    {
        old = now;
    }
}

impl fmt::Debug for Window {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Window({} bytes from {}, period {})", self.len, self.start, self.period)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words() -> Arc<dyn Words> {
        let words: Box<[AtomicU32]> = (0..8).map(AtomicU32::new).collect();
        Arc::new(words)
    }

    #[test]
    fn windows_show_the_same_words() {
        let words = words();
        let (one, two) = (Window::new(words.clone(), 4, 16), Window::new(words.clone(), 8, 8));
        let (one, two) = (one.expect("inside"), two.expect("inside"));
        one.write(5, &[1, 2, 3, 4, 5]);
        let mut bytes = [0; 8];
        two.read(0, &mut bytes);
        assert_eq!(bytes, [2, 1, 2, 3, 4, 5, 0, 0]);
        assert!(Window::new(words, 20, 16).is_none());
    }

    #[test]
    fn repeated_windows_wrap() {
        let window = Window::repeated(words(), 4, 64, 8).expect("inside");
        let mut bytes = [0; 8];
        window.part(12, 20).read(0, &mut bytes);
        assert_eq!(bytes, [2, 0, 0, 0, 1, 0, 0, 0]);
    }
}
