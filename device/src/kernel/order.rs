//! The order of commands, by barriers within a queue, sync objects between queues, and waits of the host.
//!
//! Two unordered commands must not access the same byte if one of them writes it. The device runs commands one after
//! the other, so such a pair has a defined result here; hardware may run them concurrently.
//!
//! Addresses are compared within one address space: a buffer that is bound twice is treated as different memory.

use std::collections::{BTreeMap, VecDeque};

use agx_emulator::Touched;

/// Number of commands kept for comparison; earlier ones are assumed complete.
const KEPT: usize = 64;
/// The barrier value for no wait.
const NO_BARRIER: u64 = 0xffff;

/// The commands of one kind in one queue.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Line {
    pub(crate) queue: u32,
    /// Whether it has compute commands, or render commands otherwise.
    pub(crate) compute: bool,
}

/// The number of complete commands in each line.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Clock(BTreeMap<Line, u32>);

impl Clock {
    /// Merges another clock.
    pub(crate) fn join(&mut self, other: &Clock) {
        for (line, count) in &other.0 {
            self.reach(*line, *count);
        }
    }

    fn reach(&mut self, line: Line, count: u32) {
        let place = self.0.entry(line).or_default();
        *place = (*place).max(count);
    }

    fn count(&self, line: Line) -> u32 {
        self.0.get(&line).copied().unwrap_or(0)
    }
}

/// An executed command.
#[derive(Debug)]
struct Done {
    vm: u32,
    line: Line,
    /// Its number in the line, from 1 on.
    number: u32,
    /// The commands that were complete when it started, and itself.
    clock: Clock,
    name: String,
    touched: Touched,
}

/// Commands and their order.
#[derive(Debug, Default)]
pub(crate) struct Order {
    /// Commands for which the host has waited.
    pub(crate) host: Clock,
    issued: Clock,
    recent: VecDeque<Done>,
}

/// Commands of a submission.
#[derive(Debug)]
pub(crate) struct Batch {
    vm: u32,
    queue: u32,
    /// Commands that are complete before any of them.
    before: Clock,
    /// Number of render and compute commands issued before the submission.
    first: [u32; 2],
    /// The clock after the submission is complete.
    pub(crate) after: Clock,
}

impl Order {
    /// All commands submitted so far.
    pub(crate) fn issued(&self) -> &Clock {
        &self.issued
    }

    /// Begins a submission that waits for `waits`.
    pub(crate) fn begin<'c>(&self, vm: u32, queue: u32, waits: impl Iterator<Item = &'c Clock>) -> Batch {
        let mut before = self.host.clone();
        waits.for_each(|clock| before.join(clock));
        let first = [false, true].map(|compute| self.issued.count(Line { queue, compute }));
        Batch { vm, queue, after: before.clone(), before, first }
    }

    /// Adds an executed command with its barriers for render and compute. Returns a sentence about the first earlier
    /// command that is unordered with it and accesses the same memory.
    pub(crate) fn finish(
        &mut self,
        batch: &mut Batch,
        compute: bool,
        barriers: [u64; 2],
        name: String,
        touched: Touched,
    ) -> Option<String> {
        let line = Line { queue: batch.queue, compute };
        let mut clock = batch.before.clone();
        let kinds = [false, true].into_iter().zip(batch.first).zip(barriers);
        for ((compute, first), barrier) in kinds.filter(|(_, barrier)| *barrier != NO_BARRIER) {
            let waited = Line { queue: batch.queue, compute };
            let count = first.saturating_add(barrier as u32);
            clock.reach(waited, count);
            // Commands that these waited for are complete too.
            let waited_for = |done: &&Done| done.line == waited && done.number <= count;
            self.recent.iter().filter(waited_for).for_each(|done| clock.join(&done.clock));
        }
        let unordered = |done: &&Done| done.vm == batch.vm && done.number > clock.count(done.line);
        let found = self.recent.iter().filter(unordered).find_map(|done| {
            let conflict = done.touched.conflict(&touched)?;
            let verb = if conflict.both_write { "write" } else { "read and write" };
            Some(format!(
                "{name} and {} both {verb} {:#x} without an order between them",
                done.name, conflict.address
            ))
        });
        let number = self.issued.count(line).saturating_add(1);
        self.issued.reach(line, number);
        clock.reach(line, number);
        batch.after.join(&clock);
        self.recent.push_back(Done { vm: batch.vm, line, number, clock, name, touched });
        if self.recent.len() > KEPT {
            self.recent.pop_front();
        }
        found
    }

    /// Drops the commands for which the host has waited: all later ones are ordered after them.
    pub(crate) fn prune(&mut self) {
        let host = &self.host;
        self.recent.retain(|done| done.number > host.count(done.line));
    }
}
