//! Copies, clears, blits and resolves, implemented by launching programs of the driver.

mod copy;
mod scale;

use std::sync::Arc;

use crate::Error;
use crate::command::Recorder;
use crate::format::{self, FormatDesc};
use crate::kernels::Kernel;
use crate::query::QueryPool;
use crate::view::{Descriptor, Dimension, texels};
use crate::words::Direct;

pub use copy::{Box3, BufferImageCopy, ImageCopy};
pub(crate) use copy::{blocks, pitches};
pub(crate) use scale::typed;
pub use scale::{Blit, Resolve, Shown};

/// Maximum number of texels in a texel buffer, and of threads in a launch.
const MOST_TEXELS: u64 = 1 << 24;
/// Alignment of addresses in descriptors, in bytes.
const ALIGNMENT: u64 = 16;

/// A range of memory as a texel buffer: descriptors, and the index of the texel at the address.
pub(crate) fn stretch(format: &FormatDesc, address: u64) -> ([Descriptor; 2], u32) {
    let base = address & !(ALIGNMENT - 1);
    let skip = ((address - base) / u64::from(format.bytes)) as u32;
    (texels(format, base, MOST_TEXELS, Dimension::PlaneArray), skip)
}

/// The words of an address.
#[inline(always)]
pub(crate) fn halves(address: u64) -> [u32; 2] {
    [address as u32, (address >> 32) as u32]
}

impl Recorder {
    /// Copies memory.
    ///
    /// # Errors
    /// Out of memory.
    pub fn copy_memory(&mut self, from: u64, to: u64, bytes: u64) -> Result<(), Error> {
        let unit = 1 << (from | to | bytes | ALIGNMENT).trailing_zeros().min(4);
        let piece = (MOST_TEXELS - ALIGNMENT) * unit;
        let mut done = 0;
        while done < bytes {
            let count = (bytes - done).min(piece);
            self.copy_piece([from + done, to + done], [count, unit])?;
            done += count;
        }
        Ok(())
    }

    /// Copies this number of bytes, in units of this size.
    #[inline]
    fn copy_piece(&mut self, [from, to]: [u64; 2], [bytes, unit]: [u64; 2]) -> Result<(), Error> {
        let (kernel, shift) = match unit {
            16 => (Kernel::CopyMemoryQuads, 4),
            4 | 8 => (Kernel::CopyMemoryWords, 2),
            _ => return self.copy_stretch([from, to], [bytes, unit]),
        };
        let [[a, b], [c, d]] = [from, to].map(halves);
        self.run_words(kernel, [a, b, c, d], (bytes >> shift) as u32)
    }

    /// As [`Recorder::copy_piece`], for units smaller than a word.
    #[inline(never)]
    fn copy_stretch(&mut self, [from, to]: [u64; 2], [bytes, unit]: [u64; 2]) -> Result<(), Error> {
        let format = format::bits(unit as u32)
            .ok_or(Error::Invalid { what: "a copy whose texels have an unknown size" })?;
        let ([loaded, _], source) = stretch(format, from);
        let ([_, stored], place) = stretch(format, to);
        let list = [Direct::Texture([loaded; 2]), Direct::Texture([stored; 2])];
        self.run_kernel(Kernel::CopyStretch, &[source, place], &list, [(bytes / unit) as u32, 1, 1])
    }

    /// Fills memory with a word; address and length are multiples of 4.
    ///
    /// # Errors
    /// Out of memory.
    #[inline]
    pub fn fill_memory(&mut self, address: u64, bytes: u64, word: u32) -> Result<(), Error> {
        let (kernel, shift) = match (address | bytes) % 16 {
            0 => (Kernel::FillMemoryQuads, 4),
            _ => (Kernel::FillMemoryWords, 2),
        };
        let (mut address, mut left) = (address, bytes >> shift);
        while left > 0 {
            let count = left.min(MOST_TEXELS);
            let [low, high] = halves(address);
            self.run_words(kernel, [low, high, word], count as u32)?;
            (address, left) = (address + (count << shift), left - count);
        }
        Ok(())
    }

    /// Writes bytes that are part of the command.
    ///
    /// # Errors
    /// Out of memory.
    pub fn update_memory(&mut self, address: u64, bytes: &[u8]) -> Result<(), Error> {
        let from = self.upload.put(bytes, 16)?;
        self.copy_memory(from, address, bytes.len() as u64)
    }

    /// Marks results of queries as unavailable.
    ///
    /// # Errors
    /// Out of memory.
    pub fn reset_queries(&mut self, pool: &QueryPool, first: u32, count: u32) -> Result<(), Error> {
        self.fill_memory(pool.available_address(first), 4 * u64::from(count), 0)?;
        self.fill_memory(pool.result_address(first), 8 * u64::from(pool.values()) * u64::from(count), 0)
    }

    /// Marks results of queries as available. A query in a multiview pass takes one query per view: the first has the
    /// result of all views, the others are zero.
    ///
    /// # Errors
    /// Out of memory.
    pub fn finish_queries(&mut self, pool: &QueryPool, first: u32, count: u32) -> Result<(), Error> {
        self.fill_memory(pool.available_address(first), 4 * u64::from(count), 1)
    }

    /// Writes the time to a query: in a render pass, that of its end.
    ///
    /// # Errors
    /// Out of memory, or the pool does not have timestamps.
    pub fn write_timestamp(&mut self, pool: &Arc<QueryPool>, query: u32) -> Result<(), Error> {
        let object = pool.times().ok_or(Error::Invalid { what: "a timestamp in another pool" })?;
        match &mut self.pass {
            Some(pass) => {
                pass.finish(pool.clone(), query);
                Ok(())
            }
            None => {
                self.timestamp(object, 8 * u64::from(query))?;
                self.finish_queries(pool, query, 1)
            }
        }
    }

    /// Writes results of queries to memory.
    ///
    /// # Errors
    /// Out of memory.
    pub fn copy_queries(
        &mut self,
        pool: &QueryPool,
        [first, count]: [u32; 2],
        [address, stride]: [u64; 2],
        [wide, available, partial]: [bool; 3],
    ) -> Result<(), Error> {
        let flags = [wide, available, partial].map(u32::from);
        let stride = if count <= 1 { 0 } else { (stride / 4) as u32 };
        let parameters = [stride, flags[0], flags[1], flags[2], pool.values(), pool.reported()];
        let list = [
            Direct::Buffer(pool.result_address(first), 8 * u64::from(pool.values()) * u64::from(count)),
            Direct::Buffer(pool.available_address(first), 4 * u64::from(count)),
            Direct::Buffer(address, u64::from(u32::MAX)),
        ];
        self.run_kernel(Kernel::Queries, &parameters, &list, [count, 1, 1])
    }
}

#[cfg(test)]
mod tests {
    use crate::command::{CommandBuffer, Level};
    use crate::device::Device;
    use crate::gpu::PAGE;
    use crate::memory::Place;
    use crate::queue::Submission;

    #[test]
    fn fills_copies_and_updates_reach_the_bytes_of_their_ranges() {
        let device = Device::in_test();
        let memory = device.space.allocate(PAGE, Place::High).expect("memory");
        let at = memory.address;
        let mut commands = CommandBuffer::new(device.clone(), Level::Primary);
        commands.begin();
        commands.record(move |recorder| {
            // In units of 16 bytes, of 4 bytes, of 16, of 4, of 8, and of 2.
            recorder.fill_memory(at, 32, 0x0102_0304)?;
            recorder.fill_memory(at + 36, 8, 0x0a0b_0c0d)?;
            recorder.copy_memory(at, at + 64, 48)?;
            recorder.copy_memory(at + 28, at + 116, 12)?;
            recorder.update_memory(at + 136, &[7; 8])?;
            recorder.copy_memory(at + 38, at + 150, 2)
        });
        commands.end().expect("records");
        let submission = Submission { commands: vec![commands.commands()], ..Submission::default() };
        device.queue.submit(vec![submission]).expect("submitted");
        device.queue.wait_idle().expect("complete");
        let mut found = [0; 160];
        memory.read(0, &mut found);
        let words: Vec<u32> =
            found.as_chunks::<4>().0.iter().map(|bytes| u32::from_le_bytes(*bytes)).collect();
        let (one, two) = (0x0102_0304, 0x0a0b_0c0d);
        let mut expected = [0; 40];
        expected[..8].fill(one);
        expected[9..11].fill(two);
        expected[16..24].fill(one);
        expected[25..27].fill(two);
        (expected[29], expected[31]) = (one, two);
        expected[34..36].fill(0x0707_0707);
        expected[37] = two & 0xffff_0000;
        assert_eq!(words, expected);
    }
}
