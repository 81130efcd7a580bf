//! The heap of samplers, for programs that use more samplers than there are state registers, or select them at run
//! time.
//!
//! A sampler gets an index when it is created; equal samplers share it. Samplers of the heap cannot have custom border
//! colours.

use std::collections::HashMap;
use std::sync::Mutex;

use agx_abi::textures::FIRST_IN_HEAP;

use crate::memory::{Piece, lock};
use crate::sampler;

/// Number of samplers in the heap (as in Mesa's driver).
pub const SAMPLERS: u32 = 1024;
/// Bytes of the heap.
pub const BYTES: u64 = SAMPLERS as u64 * sampler::BYTES as u64;

/// The heap.
pub struct SamplerHeap {
    memory: Piece,
    places: Mutex<HashMap<[u8; sampler::BYTES], u16>>,
}

impl SamplerHeap {
    /// An empty heap in [`BYTES`] bytes of memory.
    pub fn new(memory: Piece) -> SamplerHeap {
        SamplerHeap { memory, places: Mutex::default() }
    }

    /// Its address.
    pub fn address(&self) -> u64 {
        self.memory.address
    }

    /// The number by which programs address a sampler. If the heap is full, it is one past the end, which the device
    /// reports when a program uses it.
    pub fn number(&self, descriptor: [u8; sampler::BYTES]) -> u16 {
        let mut places = lock(&self.places);
        let next = places.len() as u16;
        let place = places.get(&descriptor).copied().unwrap_or(next);
        if place == next && u32::from(next) < SAMPLERS {
            self.memory.write(u64::from(next) * sampler::BYTES as u64, &descriptor);
            places.insert(descriptor, next);
        }
        FIRST_IN_HEAP + place
    }
}
