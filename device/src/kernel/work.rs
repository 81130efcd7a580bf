//! Commands that were submitted and not executed yet.
//!
//! A job is a submission. Its commands may run when its fences are signalled, the jobs before it in its queue could start,
//! and the commands that its barriers name are complete. Of several such commands the first runs or, if the device is
//! asynchronous, one that the seed selects: hardware would overlap them.

use std::collections::BTreeMap;

use agx_emulator::Memory;

use super::commands::{NO_BARRIER, Ordered};
use super::fence::Fence;
use super::order::{Clock, Line};
use super::{Queue, TimeWrite};

/// A submission.
#[derive(Debug)]
pub(crate) struct Job {
    pub(crate) queue: u32,
    pub(crate) place: Queue,
    waits: Vec<Fence>,
    /// Signalled when all commands are complete.
    fence: Fence,
    /// Commands that are not complete.
    left: usize,
    failed: bool,
}

/// A command that is not complete.
#[derive(Debug)]
pub(crate) struct Pending {
    /// Number of its job, from 1 on.
    pub(crate) job: u64,
    /// Number in its job, from 0 on.
    pub(crate) number: u32,
    pub(crate) ordered: Ordered,
    pub(crate) times: Vec<TimeWrite>,
    line: Line,
    /// Its number in the line, from 1 on.
    in_line: u32,
    /// Numbers of the last render and compute commands of the queue that must be complete before.
    until: [u32; 2],
}

/// A command to run, with the memory that it sees.
#[derive(Debug)]
pub(crate) struct Task {
    pub(crate) pending: Pending,
    pub(crate) place: Queue,
    pub(crate) memory: Memory,
}

/// What to do next.
#[derive(Debug)]
pub(crate) enum Next {
    Run(Pending),
    /// Nothing before this time, in nanoseconds.
    Later(u64),
    /// Nothing until another call.
    Idle,
}

/// A fence that is signalled at a time.
#[derive(Debug)]
struct Late {
    time: u64,
    fence: Fence,
    failed: bool,
}

/// All work.
#[derive(Debug, Default)]
pub(crate) struct Work {
    jobs: BTreeMap<u64, Job>,
    /// In the order of submission.
    pending: Vec<Pending>,
    /// Places in lines of commands that run.
    running: Vec<(Line, u32)>,
    late: Vec<Late>,
    issued: BTreeMap<Line, u32>,
    submitted: u64,
    random: u64,
}

/// Largest delay of a fence in nanoseconds.
const MAX_DELAY: u64 = 2_000_000;

impl Work {
    pub(crate) fn new(seed: u64) -> Work {
        Work { random: seed, ..Work::default() }
    }

    /// Number of submissions so far.
    pub(crate) fn submitted(&self) -> u64 {
        self.submitted
    }

    /// Whether everything that was submitted is complete.
    pub(crate) fn is_idle(&self) -> bool {
        self.jobs.is_empty() && self.late.is_empty()
    }

    pub(crate) fn job(&self, number: u64) -> Option<&Job> {
        self.jobs.get(&number)
    }

    /// Adds a submission; returns its fence.
    pub(crate) fn submit(
        &mut self,
        (queue, place): (u32, Queue),
        waits: Vec<Fence>,
        commands: Vec<(Ordered, Vec<TimeWrite>)>,
    ) -> Fence {
        self.submitted = self.submitted.saturating_add(1);
        let lines = [false, true].map(|compute| Line { queue, compute });
        let first = lines.map(|line| self.issued.get(&line).copied().unwrap_or(0));
        let fence = Fence::default();
        let job = Job { queue, place, waits, fence: fence.clone(), left: commands.len(), failed: false };
        self.jobs.insert(self.submitted, job);
        for (number, (ordered, times)) in (0..).zip(commands) {
            let mut until = [0; 2];
            for ((until, first), barrier) in until.iter_mut().zip(first).zip(ordered.barriers) {
                *until = if barrier == NO_BARRIER { 0 } else { first.saturating_add(barrier as u32) };
            }
            let line = Line { queue, compute: ordered.command.is_compute() };
            let issued = self.issued.entry(line).or_default();
            *issued = issued.saturating_add(1);
            let in_line = *issued;
            self.pending.push(Pending { job: self.submitted, number, ordered, times, line, in_line, until });
        }
        fence
    }

    /// Signals fences whose time has come.
    pub(crate) fn signal_late(&mut self, now: u64) {
        for late in self.late.extract_if(.., |late| late.time <= now) {
            late.fence.signal(&Clock::default(), late.failed);
        }
    }

    /// The next command; of those that may run the first, or any if the device is asynchronous.
    pub(crate) fn next(&mut self, any: bool) -> Next {
        let ready = (0..).zip(&self.pending).filter(|(_, pending)| self.may_run(pending)).map(|(at, _)| at);
        let ready: Vec<usize> = ready.take(if any { usize::MAX } else { 1 }).collect();
        let chosen = match ready.len() {
            ..=1 => 0,
            count => self.random().checked_rem(count as u64).unwrap_or(0) as usize,
        };
        match ready.get(chosen) {
            Some(at) => {
                let pending = self.pending.remove(*at);
                self.running.push((pending.line, pending.in_line));
                Next::Run(pending)
            }
            None => match self.late.iter().map(|late| late.time).min() {
                Some(time) => Next::Later(time),
                None => Next::Idle,
            },
        }
    }

    fn may_run(&self, pending: &Pending) -> bool {
        let can_start = |job: &Job| job.waits.iter().all(Fence::is_signalled);
        let Some(job) = self.jobs.get(&pending.job) else { return false };
        let before = self.jobs.range(..=pending.job).map(|(_, other)| other);
        let starts = before.filter(|other| other.queue == job.queue).all(can_start);
        let others = self.pending.iter().map(|other| (other.line, other.in_line));
        let mut incomplete = others.chain(self.running.iter().copied());
        starts
            && !incomplete.any(|(line, number)| {
                let [render, compute] = pending.until;
                let until = if line.compute { compute } else { render };
                line.queue == pending.line.queue
                    && number <= until
                    && (line, number) != (pending.line, pending.in_line)
            })
    }

    /// Completes a command, which ended early if `failed`. The fence of its job is signalled some time after `now`; without a time, the caller signals it.
    pub(crate) fn complete(&mut self, pending: &Pending, failed: bool, now: Option<u64>) {
        self.running.retain(|running| *running != (pending.line, pending.in_line));
        let Some(job) = self.jobs.get_mut(&pending.job) else { return };
        job.left = job.left.saturating_sub(1);
        job.failed |= failed;
        if job.left > 0 {
            return;
        }
        let job = self.jobs.remove(&pending.job);
        if let Some((job, now)) = job.zip(now) {
            let delay = self.random().checked_rem(MAX_DELAY).unwrap_or(0);
            let late = Late { time: now.saturating_add(delay), fence: job.fence, failed: job.failed };
            self.late.push(late);
        }
    }

    /// A number from the seed (SplitMix64).
    fn random(&mut self) -> u64 {
        self.random = self.random.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.random ^ self.random >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    }
}
