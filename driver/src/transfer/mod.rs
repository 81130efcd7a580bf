//! Copies, clears, blits and resolves: launches of the driver's own programs.

mod copy;
mod scale;

use agx_abi::textures::BUFFER_ROW_TEXELS;

use crate::Error;
use crate::command::Recorder;
use crate::format::{self, FormatDesc};
use crate::kernels::Kernel;
use crate::query::QueryPool;
use crate::render::Pass;
use crate::view::{Descriptor, Dimension, texels};
use crate::words::Direct;

pub use copy::{Box3, BufferImageCopy, ImageCopy};
pub use scale::Blit;

/// Texels of a stretch that one descriptor covers.
const MOST_TEXELS: u64 = 1 << 24;
/// Bytes that addresses in descriptors are multiples of.
const ALIGNMENT: u64 = 16;

/// A stretch of memory as texels: descriptors, and the number of the texel at the address.
pub(crate) fn stretch(format: &FormatDesc, address: u64) -> ([Descriptor; 2], u32) {
    let base = address & !(ALIGNMENT - 1);
    let skip = ((address - base) / u64::from(format.bytes)) as u32;
    (texels(format, base, MOST_TEXELS, Dimension::PlaneArray), skip)
}

/// Words of parameters.
pub(crate) fn words(list: &[u32]) -> Vec<u8> {
    list.iter().flat_map(|word| word.to_le_bytes()).collect()
}

/// Workgroups of 64 invocations along x.
pub(crate) fn groups([x, y, z]: [u32; 3]) -> [u32; 3] {
    [x.div_ceil(64), y, z]
}

impl Recorder {
    /// Runs a program whose first binding is its parameters.
    pub(crate) fn run_kernel(
        &mut self,
        kernel: Kernel,
        parameters: &[u8],
        descriptors: &[Direct],
        size: [u32; 3],
    ) -> Result<(), Error> {
        if size.contains(&0) {
            return Ok(());
        }
        let program = self.device.kernel(kernel)?;
        let mut padded = parameters.to_vec();
        padded.resize(parameters.len().next_multiple_of(16), 0);
        let address = self.upload.put(&padded, 16)?;
        let mut list = vec![Direct::Buffer(address, padded.len() as u64)];
        list.extend(descriptors);
        self.run(&program, list, groups(size))?;
        self.barrier()
    }

    /// Copies memory.
    ///
    /// # Errors
    /// Memory is used up.
    pub fn copy_memory(&mut self, from: u64, to: u64, bytes: u64) -> Result<(), Error> {
        let unit = 1 << (from | to | bytes | ALIGNMENT).trailing_zeros().min(4);
        let format = format::bits(unit).ok_or(Error::Invalid { what: "a copy of no size" })?;
        let piece = (MOST_TEXELS - ALIGNMENT) * u64::from(unit);
        let mut done = 0;
        while done < bytes {
            let count = (bytes - done).min(piece);
            let ([loaded, _], source) = stretch(format, from + done);
            let ([_, stored], place) = stretch(format, to + done);
            let texels = (count / u64::from(unit)) as u32;
            let side = |at: u32| [at, 0, 0, BUFFER_ROW_TEXELS, 0, 0, 0, 0];
            let parameters = [[texels, 1, 1, 0].as_slice(), &side(source), &side(place)].concat();
            let list = [Direct::Texture([loaded; 2]), Direct::Texture([stored; 2])];
            self.run_kernel(Kernel::Copy, &words(&parameters), &list, [texels, 1, 1])?;
            done += count;
        }
        Ok(())
    }

    /// Fills memory with a word; address and length are multiples of four.
    ///
    /// # Errors
    /// Memory is used up.
    pub fn fill_memory(&mut self, address: u64, bytes: u64, word: u32) -> Result<(), Error> {
        let format = format::bits(4).ok_or(Error::Invalid { what: "words without format" })?;
        let piece = 4 * (MOST_TEXELS - ALIGNMENT);
        let mut done = 0;
        while done < bytes / 4 * 4 {
            let count = (bytes - done).min(piece);
            let ([_, stored], place) = stretch(format, address + done);
            let texels = (count / 4) as u32;
            let parameters = [word, 0, 0, 0, place, 0, 0, 1, texels, 1, 1, 0];
            let list = [Direct::Texture([stored; 2])];
            self.run_kernel(Kernel::FillUint, &words(&parameters), &list, [texels, 1, 1])?;
            done += count;
        }
        Ok(())
    }

    /// Writes bytes that the command brings.
    ///
    /// # Errors
    /// Memory is used up.
    pub fn update_memory(&mut self, address: u64, bytes: &[u8]) -> Result<(), Error> {
        let from = self.upload.put(bytes, 16)?;
        self.copy_memory(from, address, bytes.len() as u64)
    }

    /// Makes results of queries unavailable.
    ///
    /// # Errors
    /// Memory is used up.
    pub fn reset_queries(&mut self, pool: &QueryPool, first: u32, count: u32) -> Result<(), Error> {
        self.fill_memory(pool.available_address(first), 4 * u64::from(count), 0)?;
        self.fill_memory(pool.result_address(first), 8 * u64::from(count), 0)
    }

    /// Says that the results of queries are there. A query in a pass of several views takes one for each: the first has the result
    /// of all views, the others are zero.
    ///
    /// # Errors
    /// Memory is used up.
    pub fn finish_queries(&mut self, pool: &QueryPool, first: u32, count: u32) -> Result<(), Error> {
        self.fill_memory(pool.available_address(first), 4 * u64::from(count), 1)
    }

    /// Writes the time to a query.
    ///
    /// # Errors
    /// Memory is used up, or the pool has no timestamps.
    pub fn write_timestamp(&mut self, pool: &QueryPool, query: u32) -> Result<(), Error> {
        let object = pool.times().ok_or(Error::Invalid { what: "a timestamp in another pool" })?;
        self.timestamp(object, 8 * u64::from(query))?;
        let count = self.pass.as_ref().map_or(1, Pass::queries);
        self.finish_queries(pool, query, count)
    }

    /// Writes results of queries to memory.
    ///
    /// # Errors
    /// Memory is used up.
    pub fn copy_queries(
        &mut self,
        pool: &QueryPool,
        [first, count]: [u32; 2],
        [address, stride]: [u64; 2],
        [wide, available, partial]: [bool; 3],
    ) -> Result<(), Error> {
        let flags = [wide, available, partial].map(u32::from);
        let stride = if count <= 1 { 0 } else { (stride / 4) as u32 };
        let parameters = [first, count, stride, flags[0], flags[1], flags[2]];
        let list = [
            Direct::Buffer(pool.result_address(first), 8 * u64::from(count)),
            Direct::Buffer(pool.available_address(first), 4 * u64::from(count)),
            Direct::Buffer(address, u64::from(u32::MAX)),
        ];
        self.run_kernel(Kernel::Queries, &words(&parameters), &list, [count, 1, 1])
    }
}
