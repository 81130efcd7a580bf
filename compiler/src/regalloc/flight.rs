//! Registers that outstanding loads will write. Touching one of them waits for a whole group of loads, so
//! results are placed elsewhere while that costs nothing. Otherwise a texture access with unused components,
//! whose registers are free at once, would be followed by an access that is assigned those registers.
//!
//! The else arm of an if runs while loads of the then arm may be outstanding: these avoid the registers that it reads.
//!
//! The results of successive loads are also kept apart from each other after a wait: scheduling can then start the
//! later load before the wait for the earlier one, and one wait serves both.

use super::file::HalfSet;

/// Half registers beyond those that may be used for free which a load may take to start together with earlier ones.
const TO_START_TOGETHER: u16 = 2;

/// The registers of outstanding loads.
#[derive(Clone, Copy, Debug)]
pub struct Flight {
    /// Half registers still to be written, whether or not they have an owner.
    halves: HalfSet,
    /// Half registers that loads of the block have written or will write, or should avoid; counted anew when none is left.
    loaded: HalfSet,
    /// Half registers, counted from 0, that may be used for free to avoid conflicts.
    at_no_cost: u16,
}

impl Flight {
    /// Nothing is outstanding.
    pub fn new(at_no_cost: u16) -> Self {
        Flight { halves: HalfSet::EMPTY, loaded: HalfSet::EMPTY, at_no_cost }
    }

    /// Whether nothing is outstanding.
    pub fn is_empty(&self) -> bool {
        self.halves.is_empty()
    }

    /// An asynchronous operation writes these half registers.
    pub fn launch(&mut self, start: u16, halves: u16) {
        self.halves.insert_all(start..start + halves);
        self.avoid(start, halves);
    }

    /// Loads of the block should not write these half registers.
    pub fn avoid(&mut self, start: u16, halves: u16) {
        self.loaded.insert_all(start..start + halves);
    }

    /// Half registers are read: if an outstanding load writes one of them, all are waited for.
    pub fn read(&mut self, start: u16, halves: u16) {
        if self.halves.has_any(&(start..start + halves)) {
            self.halves = HalfSet::EMPTY;
        }
    }

    /// Clears the state: a block begins, whose entry state is unknown.
    pub fn clear(&mut self) {
        (self.halves, self.loaded) = (HalfSet::EMPTY, HalfSet::EMPTY);
    }

    /// Whether loads of the block have registers to avoid.
    pub fn has_loaded(&self) -> bool {
        !self.loaded.is_empty()
    }

    /// The registers of `free` that no load of the block has written, for the result of another load; empty for
    /// the first one.
    pub fn untouched(&self, free: HalfSet, used: u16) -> HalfSet {
        match self.loaded.is_empty() {
            true => HalfSet::EMPTY,
            false => free
                .without(self.loaded)
                .and(HalfSet::range(0, used.max(self.at_no_cost + TO_START_TOGETHER))),
        }
    }

    /// Lets loads write again what earlier ones have written.
    pub fn start_over(&mut self) {
        self.loaded = self.halves;
    }

    /// The registers of `free` that no outstanding load writes and that are free to use given `used` half
    /// registers in use; empty if nothing is outstanding.
    pub fn undisturbed(&self, free: HalfSet, used: u16) -> HalfSet {
        match self.is_empty() {
            true => HalfSet::EMPTY,
            false => free.without(self.halves).and(HalfSet::range(0, used.max(self.at_no_cost))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pending_results_are_undisturbed_until_a_wait() {
        let mut flight = Flight::new(10);
        let free = HalfSet::range(2, 20);
        assert!(flight.undisturbed(free, 0).is_empty(), "nothing is under way");
        flight.launch(0, 8);
        assert_eq!(flight.undisturbed(free, 0), HalfSet::range(8, 2));
        assert_eq!(flight.undisturbed(free, 12), HalfSet::range(8, 4));
        flight.read(8, 2);
        assert!(!flight.is_empty());
        flight.read(6, 2);
        assert!(flight.is_empty());
    }

    #[test]
    fn loads_take_turns_after_a_wait() {
        let mut flight = Flight::new(10);
        let free = HalfSet::range(2, 20);
        assert!(flight.untouched(free, 0).is_empty(), "no load came before");
        flight.launch(0, 8);
        flight.read(0, 2);
        assert_eq!(flight.untouched(free, 0), HalfSet::range(8, 4));
        assert!(flight.undisturbed(free, 104).is_empty(), "nothing is outstanding");
        flight.launch(8, 4);
        assert!(flight.untouched(free, 0).is_empty());
        assert_eq!(flight.undisturbed(free, 104), free.without(HalfSet::range(8, 4)));
        flight.start_over();
        assert_eq!(flight.untouched(free, 0), HalfSet::range(2, 6));
        flight.clear();
        assert!(flight.untouched(free, 0).is_empty());
    }
}
