//! Sequentialises a parallel copy into moves, without a scratch register.
//!
//! Moves are tracked per half register; two halves that move together between aligned pairs form one 32-bit
//! move. A move can be emitted once no pending move reads its destination. If none can, the remaining moves
//! form cycles, which are resolved by swaps. The hardware has no exchange instruction: the halves of one
//! register are swapped by a rotation by 16, all others by three exclusive ors. Constants and uniforms come
//! last: no move reads them from a register.

use bumpalo::Bump;
use bumpalo::collections::Vec as ArenaVec;

/// Source of a half register's new content.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Origin {
    /// Another half register.
    Half(u16),
    /// A constant.
    Constant(u16),
    /// A uniform half-word.
    Uniform(u16),
}

/// One step of the sequence. Widths are in halves: 1, or 2 between even halves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Step {
    /// Copies a register.
    Move {
        /// First half written.
        to: u16,
        /// First half read.
        from: u16,
        /// 1 or 2.
        halves: u16,
    },
    /// `to ^= from`.
    Xor {
        /// First half changed.
        to: u16,
        /// First half read.
        from: u16,
        /// 1 or 2.
        halves: u16,
    },
    /// Exchanges the halves of the register that begins at `even`.
    Rotate {
        /// Its low half.
        even: u16,
    },
    /// Writes a constant.
    Constant {
        /// First half written.
        to: u16,
        /// The constant.
        bits: u32,
        /// 1 or 2.
        halves: u16,
    },
    /// Copies a uniform register.
    Uniform {
        /// First half written.
        to: u16,
        /// First half-word read.
        from: u16,
        /// 1 or 2.
        halves: u16,
    },
}

/// State of the sequentialisation, reused for consecutive copies.
#[derive(Debug)]
pub struct Sequencer<'s> {
    /// The pending source of each half register.
    pending: &'s mut [Option<Origin>],
    /// How many pending moves read each half register.
    readers: &'s mut [u16],
    /// Destinations of register moves, ascending; completed ones are removed from time to time.
    targets: ArenaVec<'s, u16>,
    /// Destinations of constants and uniforms.
    late: ArenaVec<'s, u16>,
    /// The sequence.
    steps: ArenaVec<'s, Step>,
}

impl<'s> Sequencer<'s> {
    /// No moves; later ones are among the first `halves` half registers, a whole number of registers.
    pub fn new_in(scratch: &'s Bump, halves: usize) -> Self {
        Sequencer {
            pending: scratch.alloc_slice_fill_copy(halves, None),
            readers: scratch.alloc_slice_fill_copy(halves, 0),
            targets: ArenaVec::new_in(scratch),
            late: ArenaVec::new_in(scratch),
            steps: ArenaVec::new_in(scratch),
        }
    }
}

impl Sequencer<'_> {
    /// Adds a half-register move to the parallel copy. Each destination may be added once.
    pub fn add(&mut self, to: u16, from: Origin) {
        match from {
            Origin::Half(half) if half == to => {}
            Origin::Half(half) => {
                self.pending[usize::from(to)] = Some(from);
                self.readers[usize::from(half)] += 1;
                self.targets.push(to);
            }
            Origin::Constant(_) | Origin::Uniform(_) => {
                self.pending[usize::from(to)] = Some(from);
                self.late.push(to);
            }
        }
    }

    /// The sequence that performs all moves added since the last call.
    pub fn finish(&mut self) -> &[Step] {
        self.steps.clear();
        self.targets.sort_unstable();
        while !self.targets.is_empty() {
            if !self.move_whole_units() && !self.move_single_halves() {
                self.swap_one();
            }
            let pending = &*self.pending;
            self.targets.retain(|to| pending[usize::from(*to)].is_some());
        }
        self.load_late();
        &self.steps
    }

    fn source(&self, to: u16) -> Option<u16> {
        match self.pending.get(usize::from(to)) {
            Some(Some(Origin::Half(from))) => Some(*from),
            _ => None,
        }
    }

    /// Whether the pair that begins at `to` is moved as a unit from an aligned pair.
    fn is_pair(&self, to: u16) -> bool {
        let (low, high) = (self.source(to), self.source(to + 1));
        to.is_multiple_of(2) && low.is_some_and(|low| low.is_multiple_of(2) && high == Some(low + 1))
    }

    fn is_unread(&self, half: u16) -> bool {
        self.readers[usize::from(half)] == 0
    }

    /// Emits every unblocked move, pairs as units; returns whether there was one.
    fn move_whole_units(&mut self) -> bool {
        let mut progress = false;
        for index in 0..self.targets.len() {
            // A move may unblock one that was skipped: follow the chain.
            let mut next = Some(self.targets[index]);
            while let Some(to) = next.take() {
                let even = to & !1;
                let (start, halves) = if self.is_pair(even) { (even, 2) } else { (to, 1) };
                let ready = (start..start + halves).all(|half| self.is_unread(half));
                if let Some(from) = self.source(start).filter(|_| ready) {
                    self.make_move(start, from, halves);
                    progress = true;
                    next = Some(from);
                }
            }
        }
        progress
    }

    /// Emits one half of a pair's move that the other half blocks; returns whether there was one.
    fn move_single_halves(&mut self) -> bool {
        for index in 0..self.targets.len() {
            let to = self.targets[index];
            if let Some(from) = self.source(to).filter(|_| self.is_unread(to)) {
                self.make_move(to, from, 1);
                return true;
            }
        }
        false
    }

    fn make_move(&mut self, to: u16, from: u16, halves: u16) {
        self.steps.push(Step::Move { to, from, halves });
        for half in 0..halves {
            self.pending[usize::from(to + half)] = None;
            self.readers[usize::from(from + half)] -= 1;
        }
    }

    /// Every pending destination is read by exactly one pending move: swaps one with its source, which
    /// completes it.
    fn swap_one(&mut self) {
        let to = self.targets[0];
        let Some(from) = self.source(to) else { return };
        if to ^ 1 == from {
            self.steps.push(Step::Rotate { even: to & !1 });
            self.exchanged(to, from);
            return;
        }
        let halves = if self.is_pair(to) { 2 } else { 1 };
        for (to, from) in [(to, from), (from, to), (to, from)] {
            self.steps.push(Step::Xor { to, from, halves });
        }
        for half in 0..halves {
            self.exchanged(to + half, from + half);
        }
    }

    /// Updates pending moves after a swap: `to` is complete, and `from` now holds the old content of `to`, so
    /// its reader reads `from`.
    fn exchanged(&mut self, to: u16, from: u16) {
        self.pending[usize::from(to)] = None;
        self.readers[usize::from(from)] -= 1;
        let reader = self.targets.iter().copied().find(|reader| self.source(*reader) == Some(to));
        let Some(reader) = reader else { return };
        self.readers[usize::from(to)] -= 1;
        if reader == from {
            self.pending[usize::from(reader)] = None;
        } else {
            self.pending[usize::from(reader)] = Some(Origin::Half(from));
            self.readers[usize::from(from)] += 1;
        }
    }

    fn load_late(&mut self) {
        self.late.sort_unstable();
        for index in 0..self.late.len() {
            let to = self.late[index];
            let Some(low) = self.pending[usize::from(to)].take() else { continue };
            let high = if to.is_multiple_of(2) { self.pending[usize::from(to + 1)] } else { None };
            let (step, halves) = late_step(to, low, high);
            if halves == 2 {
                self.pending[usize::from(to + 1)] = None;
            }
            self.steps.extend(step);
        }
        self.late.clear();
    }
}

/// The step that loads `low`, combined with `high` for the next half if one step can do both.
fn late_step(to: u16, low: Origin, high: Option<Origin>) -> (Option<Step>, u16) {
    match (low, high) {
        (Origin::Constant(low), Some(Origin::Constant(high))) => {
            let bits = u32::from(high) << 16 | u32::from(low);
            (Some(Step::Constant { to, bits, halves: 2 }), 2)
        }
        (Origin::Uniform(low), Some(Origin::Uniform(high))) if low.is_multiple_of(2) && high == low + 1 => {
            (Some(Step::Uniform { to, from: low, halves: 2 }), 2)
        }
        (Origin::Constant(low), _) => (Some(Step::Constant { to, bits: low.into(), halves: 1 }), 1),
        (Origin::Uniform(low), _) => (Some(Step::Uniform { to, from: low, halves: 1 }), 1),
        (Origin::Half(_), _) => (None, 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::regalloc::file::FILE_HALVES;

    /// Executes steps on a file whose halves hold their own number times 257.
    fn run(steps: &[Step]) -> Vec<u32> {
        let mut file: Vec<u32> = (0..256).map(|half| half * 257).collect();
        for step in steps {
            match *step {
                Step::Move { to, from, halves } => {
                    file.copy_within(usize::from(from)..usize::from(from + halves), usize::from(to));
                }
                Step::Xor { to, from, halves } => {
                    for half in 0..halves {
                        file[usize::from(to + half)] ^= file[usize::from(from + half)];
                    }
                }
                Step::Rotate { even } => file.swap(usize::from(even), usize::from(even) + 1),
                Step::Constant { to, bits, halves } => {
                    for half in 0..halves {
                        file[usize::from(to + half)] = bits >> (16 * half) & 0xffff;
                    }
                }
                Step::Uniform { to, from, halves } => {
                    for half in 0..halves {
                        file[usize::from(to + half)] = 1 << 20 | u32::from(from + half);
                    }
                }
            }
            if let Step::Move { to, from, halves: 2 } | Step::Xor { to, from, halves: 2 } = *step {
                assert!(to % 2 == 0 && from % 2 == 0, "{step:?}");
            }
        }
        file
    }

    fn check(moves: &[(u16, Origin)]) -> usize {
        let scratch = Bump::new();
        let mut sequencer = Sequencer::new_in(&scratch, FILE_HALVES.into());
        for (to, from) in moves {
            sequencer.add(*to, *from);
        }
        let steps = sequencer.finish().to_vec();
        let mut expected: Vec<u32> = (0..256).map(|half| half * 257).collect();
        for (to, from) in moves {
            expected[usize::from(*to)] = match *from {
                Origin::Half(half) => u32::from(half) * 257,
                Origin::Constant(bits) => bits.into(),
                Origin::Uniform(half) => 1 << 20 | u32::from(half),
            };
        }
        assert_eq!(run(&steps), expected, "{moves:?}: {steps:?}");
        assert!(sequencer.finish().is_empty(), "nothing is left over");
        steps.len()
    }

    fn halves(moves: &[(u16, u16)]) -> usize {
        check(&moves.iter().map(|(to, from)| (*to, Origin::Half(*from))).collect::<Vec<_>>())
    }

    #[test]
    fn lengths_of_typical_copies() {
        assert_eq!(halves(&[(4, 8), (5, 9)]), 1, "two halves are one register");
        assert_eq!(halves(&[(4, 9), (5, 8)]), 2, "crossed halves are not");
        assert_eq!(halves(&[(4, 2), (5, 3), (2, 0), (3, 1)]), 2, "a chain");
        assert_eq!(halves(&[(4, 5), (5, 4)]), 1, "the halves of a register swap");
        assert_eq!(halves(&[(4, 8), (5, 9), (8, 4), (9, 5)]), 3, "two registers swap");
        assert_eq!(halves(&[(4, 8), (8, 4)]), 3, "two halves swap");
        assert_eq!(
            halves(&[(0, 2), (1, 3), (2, 4), (3, 5), (4, 0), (5, 1)]),
            6,
            "a cycle of three registers"
        );
        assert_eq!(halves(&[(4, 4), (5, 5)]), 0);
        assert_eq!(check(&[(4, Origin::Constant(1)), (5, Origin::Constant(2)), (8, Origin::Half(4))]), 2);
        assert_eq!(check(&[(4, Origin::Uniform(6)), (5, Origin::Uniform(7))]), 1);
        assert_eq!(check(&[(4, Origin::Uniform(7)), (5, Origin::Uniform(8)), (6, Origin::Constant(7))]), 3);
    }

    /// Tests every copy to the halves `targets` from `choices`.
    fn check_all(targets: std::ops::Range<u16>, choices: &[Origin]) {
        let radix = choices.len();
        let digits = targets.len() as u32;
        for number in 0..radix.pow(digits) {
            let digit = |place: u32| choices[number / radix.pow(place) % radix];
            let moves: Vec<(u16, Origin)> = targets.clone().zip((0..digits).map(digit)).collect();
            check(&moves);
        }
    }

    #[test]
    fn every_small_copy_is_carried_out_without_another_register() {
        let halves = |range: std::ops::Range<u16>| range.map(Origin::Half).collect::<Vec<_>>();
        // Aligned, and from the middle of one register to that of another.
        check_all(4..9, &halves(4..9));
        check_all(5..10, &halves(5..10));
        let mut any = halves(4..8);
        any.extend([Origin::Half(11), Origin::Constant(3), Origin::Uniform(6)]);
        check_all(4..8, &any);
        // Whole registers: every copy among five.
        for number in 0..5_u16.pow(5) {
            let from = |reg: u16| number / 5_u16.pow(reg.into()) % 5;
            let parts = |reg: u16| [0, 1].map(|part| (2 * reg + part, Origin::Half(2 * from(reg) + part)));
            check(&(0..5).flat_map(parts).collect::<Vec<_>>());
        }
    }

    #[test]
    fn random_copies_are_carried_out() {
        let mut seed = 7u32;
        let mut random = move |below: u32| {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (seed >> 8) % below
        };
        for round in 0..20_000 {
            let space = 2 + round % 14;
            let (mut moves, mut half) = (Vec::new(), 0);
            while half < space {
                let from = random(space) as u16;
                let pair = half % 2 == 0 && half + 1 < space && random(2) == 0;
                for part in 0..=u16::from(pair) {
                    let origin = match random(8) {
                        0 => Origin::Constant(random(65_536) as u16),
                        1 => Origin::Uniform(from + part),
                        2 => continue,
                        _ if pair => Origin::Half((from & !1) + part),
                        _ => Origin::Half(from),
                    };
                    moves.push((half as u16 + part, origin));
                }
                half += 1 + u32::from(pair);
            }
            check(&moves);
        }
    }
}
