//! Acceleration structures for ray queries: objects, sizes, and the commands that build, copy and measure them.
//!
//! A structure is bytes of a buffer in the layout of [`agx_abi::acceleration`], which programs of the driver write. An update is
//! a build: the tree depends on the number of leaves alone, and sorting the leaves again keeps it good.

mod build;
mod copy;
#[cfg(test)]
mod tests;

use std::sync::Arc;

pub use agx_abi::acceleration::StructureKind;
use agx_abi::acceleration::{NODE_BYTES, structure_bytes};

use crate::Error;
use crate::buffer::Buffer;
use crate::command::Recorder;
use crate::kernels::Kernel;
use crate::transfer::halves;

pub use build::{Build, Geometry, Indices, Shape, Triangles, VertexFormat, build};
pub use copy::{Asked, SERIAL_FORM, copy, deserialize, measure, serialize};

/// Maximum number of geometries, and of instances.
pub const MOST_GEOMETRIES: u64 = (1 << 24) - 1;
/// Maximum number of primitives.
pub const MOST_PRIMITIVES: u64 = (1 << 29) - 1;
/// Alignment of the scratch memory of builds in bytes.
pub const SCRATCH_ALIGNMENT: u32 = 128;

/// Bytes of scratch memory before the boxes.
const BOUNDS_BYTES: u64 = 64;
/// Bytes of a box in scratch memory.
const BOX_BYTES: u64 = NODE_BYTES as u64;
/// Bytes of a pair of a key and a leaf.
const PAIR_BYTES: u64 = 8;
/// Maximum number of threads in a launch.
const MOST_THREADS: u64 = 1 << 24;

/// An acceleration structure.
pub struct AccelerationStructure {
    buffer: Arc<Buffer>,
    offset: u64,
    /// Bytes that it may have.
    pub bytes: u64,
}

impl AccelerationStructure {
    /// A structure of `bytes` bytes of a buffer.
    ///
    /// # Errors
    /// The buffer has fewer.
    pub fn new(buffer: Arc<Buffer>, offset: u64, bytes: u64) -> Result<AccelerationStructure, Error> {
        match offset.checked_add(bytes).is_some_and(|end| end <= buffer.bytes) {
            true => Ok(AccelerationStructure { buffer, offset, bytes }),
            false => Err(Error::Invalid { what: "an acceleration structure outside of its buffer" }),
        }
    }

    /// Its address, which is the value of descriptors and of instances.
    pub fn address(&self) -> u64 {
        self.buffer.address() + self.offset
    }
}

/// Bytes of a structure with this many leaves, and of the scratch memory of a build.
pub fn sizes(kind: StructureKind, leaves: u32) -> [u64; 2] {
    let pairs = pairs_at(kind, leaves) + PAIR_BYTES * u64::from(padded(leaves));
    [structure_bytes(kind, leaves).next_multiple_of(256), pairs]
}

/// The byte of scratch memory at which the pairs begin.
fn pairs_at(kind: StructureKind, leaves: u32) -> u64 {
    BOUNDS_BYTES + u64::from(leaves) * (BOX_BYTES + u64::from(kind.leaf_bytes()))
}

/// Number of pairs that are sorted.
fn padded(leaves: u32) -> u32 {
    leaves.checked_next_power_of_two().unwrap_or(u32::MAX)
}

/// The words of addresses.
fn words<const N: usize>(addresses: [u64; N]) -> Vec<u32> {
    addresses.into_iter().flat_map(halves).collect()
}

/// Runs a program with this number of threads, in several launches if they are many. `parameters` makes its push constants from
/// the number of the first thread.
fn run_pieces(
    recorder: &mut Recorder,
    kernel: Kernel,
    threads: u64,
    parameters: impl Fn(u32) -> Vec<u32>,
) -> Result<(), Error> {
    let mut first = 0;
    while first < threads {
        let count = (threads - first).min(MOST_THREADS);
        recorder.run_kernel(kernel, &parameters(first as u32), &[], [count as u32, 1, 1])?;
        first += count;
    }
    Ok(())
}
