//! Registers that outstanding loads will write. Touching one of them waits for a whole group of loads, so
//! results are placed elsewhere while that costs nothing. Otherwise a texture access with unused components,
//! whose registers are free at once, would be followed by an access that is assigned those registers.

use super::file::HalfSet;

/// The registers of outstanding loads.
#[derive(Clone, Copy, Debug)]
pub struct Flight {
    /// Half registers still to be written, whether or not they have an owner.
    halves: HalfSet,
    /// Half registers, counted from 0, that may be used for free to avoid conflicts.
    at_no_cost: u16,
}

impl Flight {
    /// Nothing is outstanding.
    pub fn new(at_no_cost: u16) -> Self {
        Flight { halves: HalfSet::EMPTY, at_no_cost }
    }

    /// Whether nothing is outstanding.
    pub fn is_empty(&self) -> bool {
        self.halves.is_empty()
    }

    /// An asynchronous operation writes these half registers.
    pub fn launch(&mut self, start: u16, halves: u16) {
        self.halves.insert_all(start..start + halves);
    }

    /// Half registers are read: if an outstanding load writes one of them, all are waited for.
    pub fn read(&mut self, start: u16, halves: u16) {
        if self.halves.has_any(&(start..start + halves)) {
            self.clear();
        }
    }

    /// Clears the state: all loads were waited for, or a block begins, whose entry state is unknown.
    pub fn clear(&mut self) {
        self.halves = HalfSet::EMPTY;
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
}
