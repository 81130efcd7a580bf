//! Copies of the machine's state at earlier times.
//!
//! They are dense close to the latest time and sparse before: going back a little takes no longer in a long run.

use crate::shadow::Machine;

/// Instructions between copies.
const INTERVAL: u64 = 4096;

/// Maximum number of copies.
const MOST: usize = 96;

/// Bytes that all copies together may take, roughly.
const MOST_BYTES: usize = 256 << 20;

/// Minimum number of copies.
const LEAST: usize = 8;

/// Copies, by ascending time. The first is that of the start.
#[derive(Clone, Debug)]
pub(crate) struct Checkpoints<'a> {
    copies: Vec<Machine<'a>>,
    most: usize,
}

impl<'a> Checkpoints<'a> {
    /// The copy of the start.
    pub(crate) fn new(start: &Machine<'a>) -> Checkpoints<'a> {
        let most = (MOST_BYTES.checked_div(start.size_bytes())).unwrap_or(MOST).clamp(LEAST, MOST);
        Checkpoints { copies: vec![start.clone()], most }
    }

    /// Keeps a copy if it is due.
    pub(crate) fn note(&mut self, now: &Machine<'a>) {
        if !now.time().is_multiple_of(INTERVAL)
            || self.copies.last().is_some_and(|last| last.time() >= now.time())
        {
            return;
        }
        self.copies.push(now.clone());
        if self.copies.len() > self.most {
            self.thin(now.time());
        }
    }

    /// Removes the copy that makes the least difference for its age.
    fn thin(&mut self, now: u64) {
        let cost = |at: usize| {
            let time = |at: usize| self.copies.get(at).map_or(now, |copy| copy.time());
            let gap = time(at.saturating_add(1)).saturating_sub(time(at.saturating_sub(1)));
            gap as f64 / (now.saturating_sub(time(at)).saturating_add(INTERVAL)) as f64
        };
        let inner = 1..self.copies.len().saturating_sub(1);
        if let Some(least) = inner.min_by(|a, b| cost(*a).total_cmp(&cost(*b))) {
            self.copies.remove(least);
        }
    }

    /// The copies of times up to `time`, latest first.
    pub(crate) fn before(&self, time: u64) -> impl Iterator<Item = &Machine<'a>> {
        let after = self.copies.partition_point(|copy| copy.time() <= time);
        self.copies.iter().take(after).rev()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Symbols;
    use agx_emulator::{Dispatch, Memory, Options, Program, Stepper};
    use agx_isa::asm::assemble;

    #[test]
    fn recent_copies_stay_dense() {
        let program = Program::new(&assemble("L0: iadd r1, r2, 1\n jmp_any L0").unwrap());
        let options = Options { strict: false, ..Options::default() };
        let dispatch = Dispatch { options, ..Dispatch::new(&program, [32, 1, 1]) };
        let symbols = Symbols::default();
        let mut stepper = Machine::new(Stepper::new(Memory::new(), &dispatch), &symbols);
        let mut kept = Checkpoints { most: 10, ..Checkpoints::new(&stepper) };
        for _ in 0..64 * INTERVAL {
            stepper.step().unwrap();
            kept.note(&stepper);
        }
        let times: Vec<u64> = kept.copies.iter().map(|copy| copy.time() / INTERVAL).collect();
        assert_eq!((times.len(), times[0], times[9]), (10, 0, 64), "{times:?}");
        assert!(times[8] >= 62 && times[5] >= 40, "{times:?}");
        assert_eq!(kept.before(INTERVAL * 64 - 1).next().unwrap().time(), times[8] * INTERVAL);
        assert_eq!(kept.before(5).count(), 1);
    }
}
