//! Registers that loads under way are still to write. What touches one of them has to wait for all loads of a group, so
//! results go elsewhere while that costs nothing: those of a texture access whose other components nobody reads free their
//! registers at once, and the next access would be given them.

use super::file::HalfSet;

/// What is under way.
#[derive(Clone, Copy, Debug)]
pub struct Flight {
    /// Half registers still to be written, whether they have an owner or not.
    halves: HalfSet,
    /// Half registers from 0 up that may be used to keep out of the way.
    at_no_cost: u16,
}

impl Flight {
    /// Nothing is under way.
    pub fn new(at_no_cost: u16) -> Self {
        Flight { halves: HalfSet::EMPTY, at_no_cost }
    }

    /// Whether nothing is.
    pub fn is_empty(&self) -> bool {
        self.halves.is_empty()
    }

    /// An operation that finishes later writes these.
    pub fn launch(&mut self, start: u16, halves: u16) {
        self.halves.insert_all(start..start + halves);
    }

    /// Half registers are read: what is under way is waited for if it is among them.
    pub fn read(&mut self, start: u16, halves: u16) {
        if self.halves.has_any(&(start..start + halves)) {
            self.land();
        }
    }

    /// All has been waited for, or a block begins, which may know nothing of it.
    pub fn land(&mut self) {
        self.halves = HalfSet::EMPTY;
    }

    /// Those of `free` that nothing under way is still to write, if something is, and that cost nothing to use where `used`
    /// half registers are in use already.
    pub fn calm(&self, free: HalfSet, used: u16) -> HalfSet {
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
    fn results_keep_out_of_the_way_until_something_waits() {
        let mut flight = Flight::new(10);
        let free = HalfSet::range(2, 20);
        assert!(flight.calm(free, 0).is_empty(), "nothing is under way");
        flight.launch(0, 8);
        assert_eq!(flight.calm(free, 0), HalfSet::range(8, 2));
        assert_eq!(flight.calm(free, 12), HalfSet::range(8, 4));
        flight.read(8, 2);
        assert!(!flight.is_empty());
        flight.read(6, 2);
        assert!(flight.is_empty());
    }
}
