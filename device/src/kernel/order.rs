//! Which commands are ordered: by barriers inside a queue, by sync objects between queues, by waiting on the host.
//!
//! Two commands that are not ordered must not touch the same byte, if one of them writes it. The device runs commands one
//! after the other, so that such a pair has a result all the same; hardware may run them together.
//!
//! Addresses are compared within one address space: buffers that are bound twice are different memory here.

use std::collections::{BTreeMap, VecDeque};

use agx_emulator::Touched;

/// Commands that are kept for comparison; earlier ones count as complete.
const KEPT: usize = 64;
/// A barrier that waits for nothing.
const NO_BARRIER: u64 = 0xffff;

/// A line of commands of one kind in one queue.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Line {
    pub(crate) queue: u32,
    /// Compute commands; render commands otherwise.
    pub(crate) compute: bool,
}

/// How many commands of each line are complete.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Clock(BTreeMap<Line, u32>);

impl Clock {
    /// Takes what another clock knows.
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

/// A command that has run.
#[derive(Debug)]
struct Done {
    vm: u32,
    line: Line,
    /// Its number in the line, from 1 on.
    number: u32,
    /// What was complete when it started, and itself.
    clock: Clock,
    name: String,
    touched: Touched,
}

/// Commands and their order.
#[derive(Debug, Default)]
pub(crate) struct Order {
    /// What the host has waited for.
    pub(crate) host: Clock,
    issued: Clock,
    recent: VecDeque<Done>,
}

/// Commands of a submission.
#[derive(Debug)]
pub(crate) struct Batch {
    vm: u32,
    queue: u32,
    /// What is complete before any of them.
    before: Clock,
    /// Commands issued in render and compute before the submission.
    first: [u32; 2],
    /// Clock when everything is complete.
    pub(crate) after: Clock,
}

impl Order {
    /// Everything submitted so far.
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

    /// Adds a command that has run, with its barriers in render and compute. Gives a sentence for the first earlier command
    /// that it is not ordered with, and that touches what it touches.
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
        for (at, barrier) in barriers.into_iter().enumerate().filter(|(_, barrier)| *barrier != NO_BARRIER) {
            let waited = Line { queue: batch.queue, compute: at == 1 };
            let count = batch.first[at].saturating_add(barrier as u32);
            clock.reach(waited, count);
            // Whatever those waited for is complete too.
            let waited_for = |done: &&Done| done.line == waited && done.number <= count;
            self.recent.iter().filter(waited_for).for_each(|done| clock.join(&done.clock));
        }
        let unordered = |done: &&Done| done.vm == batch.vm && done.number > clock.count(done.line);
        let found = self.recent.iter().filter(unordered).find_map(|done| {
            let conflict = done.touched.conflict(&touched)?;
            let verb = if conflict.both_write { "write" } else { "read and write" };
            Some(format!(
                "{name} and {} both {verb} {:#x} and nothing orders them",
                done.name, conflict.address
            ))
        });
        let number = self.issued.count(line) + 1;
        self.issued.reach(line, number);
        clock.reach(line, number);
        batch.after.join(&clock);
        self.recent.push_back(Done { vm: batch.vm, line, number, clock, name, touched });
        if self.recent.len() > KEPT {
            self.recent.pop_front();
        }
        found
    }

    /// Forgets the commands that the host has waited for: everything later is after them.
    pub(crate) fn prune(&mut self) {
        let host = &self.host;
        self.recent.retain(|done| done.number > host.count(done.line));
    }
}
