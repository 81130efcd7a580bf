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
    fn copy_piece(&mut self, [from, to]: [u64; 2], [bytes, unit]: [u64; 2]) -> Result<(), Error> {
        let list = [Direct::Buffer(from, bytes), Direct::Buffer(to, bytes)];
        match unit {
            16 => self.run_kernel(Kernel::CopyMemoryQuads, &[], &list, [(bytes / 16) as u32, 1, 1]),
            4 | 8 => self.run_kernel(Kernel::CopyMemoryWords, &[], &list, [(bytes / 4) as u32, 1, 1]),
            _ => {
                let format = format::bits(unit as u32)
                    .ok_or(Error::Invalid { what: "a copy whose texels have an unknown size" })?;
                let ([loaded, _], source) = stretch(format, from);
                let ([_, stored], place) = stretch(format, to);
                let list = [Direct::Texture([loaded; 2]), Direct::Texture([stored; 2])];
                self.run_kernel(Kernel::CopyStretch, &[source, place], &list, [(bytes / unit) as u32, 1, 1])
            }
        }
    }

    /// Fills memory with a word; address and length are multiples of 4.
    ///
    /// # Errors
    /// Out of memory.
    pub fn fill_memory(&mut self, address: u64, bytes: u64, word: u32) -> Result<(), Error> {
        let (kernel, shift) = match (address | bytes) % 16 {
            0 => (Kernel::FillMemoryQuads, 4),
            _ => (Kernel::FillMemoryWords, 2),
        };
        let (mut address, mut left) = (address, bytes / 4 * 4);
        while left > 0 {
            let count = left.min(MOST_TEXELS << shift);
            let list = [Direct::Buffer(address, count)];
            self.run_kernel(kernel, &[word; 4], &list, [(count >> shift) as u32, 1, 1])?;
            (address, left) = (address + count, left - count);
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
