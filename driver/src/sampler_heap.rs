//! The heap of samplers, for programs that have more than fit into state registers or choose them at run time.
//!
//! A sampler gets a place when it is made, and equal ones share it. Samplers of the heap have no border colours of an application's own.

use std::collections::HashMap;
use std::sync::Mutex;

use agx_abi::textures::FIRST_IN_HEAP;

use crate::memory::{Piece, lock};
use crate::sampler;

/// Samplers of the heap (as many as Mesa's driver has).
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

    /// The number by which programs name a sampler; one behind the end where the heap is full of others, which the device reports when
    /// a program uses it.
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
