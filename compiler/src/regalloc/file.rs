//! The register file during assignment: the owner of each half register.

pub use agx_isa::half_set::HalfSet;

use crate::ir::entity::Value;

use super::shapes::Shape;

/// Half registers of the hardware.
pub const FILE_HALVES: u16 = 256;

/// Half registers by which no program is limited.
pub const CHEAP_HALVES: u16 = 16;

/// The owner of each half register.
#[derive(Clone, Debug)]
pub struct RegisterFile {
    /// The owner of each occupied half register.
    owner: [Value; FILE_HALVES as usize],
    free: HalfSet,
}

impl Default for RegisterFile {
    fn default() -> Self {
        RegisterFile { owner: [Value(0); FILE_HALVES as usize], free: HalfSet::range(0, FILE_HALVES) }
    }
}

impl RegisterFile {
    /// An empty file.
    pub fn new() -> Self {
        RegisterFile::default()
    }

    /// Half registers without owner.
    pub fn free(&self) -> HalfSet {
        self.free
    }

    /// Owner of a half register.
    pub fn owner(&self, half: u16) -> Option<Value> {
        (half < FILE_HALVES && !self.free.has(half)).then(|| self.owner[usize::from(half)])
    }

    /// Whether `halves` half registers from `start` exist and have no owner.
    pub fn is_free(&self, start: u16, halves: u16) -> bool {
        start + halves <= FILE_HALVES && self.free.has_all(&(start..start + halves))
    }

    /// Gives free half registers to `value`.
    pub fn take(&mut self, value: Value, start: u16, halves: u16) {
        debug_assert!(self.is_free(start, halves), "{value} at half {start}");
        self.owner[usize::from(start)..usize::from(start + halves)].fill(value);
        self.free.remove_all(start..start + halves);
    }

    /// Frees half registers.
    pub fn release(&mut self, start: u16, halves: u16) {
        self.free.insert_all(start..start + halves);
    }

    /// Frees all.
    pub fn clear(&mut self) {
        self.free = HalfSet::range(0, FILE_HALVES);
    }
}

/// The best position for `shape` within `free`: the lowest one, except that a single half register preferably
/// completes a pair whose other half is taken.
pub fn lowest_place(free: HalfSet, shape: Shape) -> Option<u16> {
    if shape.halves == 1 {
        let whole_pairs = free.runs(2, 2);
        let halves_of_pairs = whole_pairs.or(whole_pairs.raised_by_one());
        if let Some(half) = free.without(halves_of_pairs).first() {
            return Some(half);
        }
    }
    free.first_run(shape.halves, shape.align)
}

/// The highest position for `shape` within `free`.
pub fn highest_place(free: HalfSet, shape: Shape) -> Option<u16> {
    free.runs(shape.halves, shape.align).last()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_are_found_across_words_and_aligned() {
        let free = HalfSet::range(61, 9);
        assert_eq!(free.runs(9, 1).first(), Some(61));
        assert_eq!(free.runs(8, 2).first(), Some(62));
        assert_eq!(free.runs(4, 4).first(), Some(64));
        assert_eq!(free.runs(9, 2), HalfSet::EMPTY);
        assert_eq!(HalfSet::range(0, 256).runs(256, 4).first(), Some(0));
        assert_eq!(HalfSet::range(200, 56).runs(4, 4).last(), Some(252));
        assert!(HalfSet::range(10, 0).is_empty());
    }

    #[test]
    fn runs_agree_with_a_slow_search() {
        let mut seed = 1u64;
        for _ in 0..200 {
            let free = HalfSet::from_words(std::array::from_fn(|_| {
                seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                seed | seed >> 7 | seed << 13
            }));
            for (count, align) in [(1, 1), (2, 2), (3, 1), (4, 4), (6, 2), (16, 4)] {
                let fits = |start: u16| start + count <= 256 && free.contains(HalfSet::range(start, count));
                let slow: Vec<u16> = (0..256).step_by(align).filter(|start| fits(*start)).collect();
                let starts = free.runs(count, align as u16);
                assert_eq!(free.first_run(count, align as u16), starts.first());
                assert_eq!((starts.first(), starts.last()), (slow.first().copied(), slow.last().copied()));
            }
        }
    }

    #[test]
    fn a_half_fills_up_a_pair() {
        let mut file = RegisterFile::new();
        file.take(Value(1), 0, 2);
        file.take(Value(2), 5, 1);
        assert_eq!(lowest_place(file.free(), Shape { halves: 1, align: 1 }), Some(4));
        file.take(Value(3), 4, 1);
        assert_eq!(lowest_place(file.free(), Shape { halves: 1, align: 1 }), Some(2));
        file.release(0, 2);
        assert_eq!(lowest_place(file.free(), Shape { halves: 4, align: 4 }), Some(0));
    }
}
