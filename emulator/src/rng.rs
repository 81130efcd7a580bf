//! The deterministic random generator for undefined values and schedules.

use crate::group::{HALVES, LANES, PerLane};
use crate::registers::UNIFORMS;

/// SplitMix64 (Steele, Lea, Flood 2014).
#[derive(Clone, Debug)]
pub(crate) struct Rng(u64);

impl Rng {
    pub(crate) fn new(seed: u64) -> Rng {
        Rng(seed ^ 0x6a09_e667_f3bc_c908)
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    }

    /// Below `limit`, which is not 0; the slight bias does not matter here.
    pub(crate) fn below(&mut self, limit: u64) -> u64 {
        self.next() % limit.max(1)
    }
}

/// Initial contents of registers and uniforms.
#[derive(Clone, Debug)]
pub(crate) struct Garbage {
    pub(crate) registers: Box<[PerLane<u32>; HALVES / 2]>,
    pub(crate) uniforms: Box<[u16; UNIFORMS]>,
}

impl Garbage {
    pub(crate) fn new(seed: u64) -> Garbage {
        let mut rng = Rng::new(seed);
        let mut garbage =
            Garbage { registers: Box::new([[0; LANES]; HALVES / 2]), uniforms: Box::new([0; UNIFORMS]) };
        garbage.registers.iter_mut().flatten().for_each(|word| *word = rng.next() as u32);
        garbage.uniforms.iter_mut().for_each(|half| *half = rng.next() as u16);
        garbage
    }
}
