//! Executes commands: within the call that submits them, or on a thread of the device.

use std::sync::PoisonError;

use agx_emulator::Memory;

use super::order::Batch;
use super::work::{Job, Next, Pending, Task};
use super::{Kernel, Log, TimeWrite};
use crate::execute::{Device, Submission};
use crate::findings::Finding;

/// A command that has run.
pub(crate) struct Ran {
    pending: Pending,
    outcome: Outcome,
}

/// What came of a command.
struct Outcome {
    /// It ended early.
    failed: bool,
    findings: Vec<Finding>,
    listing: String,
}

/// Runs a command and writes its timestamps.
fn run(
    device: &mut Device,
    clock: fn() -> u64,
    pending: &Pending,
    place: super::Queue,
    memory: &mut Memory,
) -> Outcome {
    let started = clock();
    let submission = Submission {
        memory,
        shader_base: place.shader_base,
        vm: place.vm,
        submission: pending.job,
        number: pending.number,
    };
    let failed = device.execute(submission, &pending.ordered.command);
    let ended = clock().max(started.saturating_add(1));
    for TimeWrite { window, at_end } in &pending.times {
        let time = if *at_end { ended } else { started };
        window.store(0, &time.to_le_bytes());
    }
    Outcome { failed, findings: device.notebook.fresh().to_vec(), listing: std::mem::take(&mut device.trace) }
}

impl Log {
    /// Notes for the queue of a job that a command ended early, if it did.
    fn fault(&mut self, job: Option<&Job>, outcome: &Outcome) {
        let Some(job) = job.filter(|_| outcome.failed) else { return };
        let known = outcome.findings.iter().find(|finding| finding.fatal).map(Finding::to_string);
        // A finding that was reported before is not among them.
        let text = known.unwrap_or_else(|| String::from("a command ended early"));
        self.faults.entry(job.queue).or_insert(text);
    }

    fn keep(&mut self, outcome: Outcome) {
        self.findings.extend(outcome.findings);
        self.listing.push_str(&outcome.listing);
    }
}

impl Task {
    /// Runs the command, which may take long.
    pub(crate) fn run(mut self, device: &mut Device, clock: fn() -> u64) -> Ran {
        let outcome = run(device, clock, &self.pending, self.place, &mut self.memory);
        Ran { pending: self.pending, outcome }
    }
}

/// What a thread of the device does next.
pub(crate) enum Step {
    Run(Task),
    /// Nothing before this time, in nanoseconds.
    Later(u64),
    /// Nothing until another call.
    Idle,
}

impl Kernel {
    /// Whether commands run on a thread of the device. A recording and the search for hazards need them in order.
    pub(crate) fn is_asynchronous(&self) -> bool {
        self.settings.asynchronous && !self.settings.hazards && self.recorder.is_none()
    }

    /// The next command for a thread of the device.
    pub(crate) fn step(&mut self) -> Step {
        self.work.signal_late((self.clock)());
        loop {
            let pending = match self.work.next(true) {
                Next::Run(pending) => pending,
                Next::Later(time) => return Step::Later(time),
                Next::Idle => return Step::Idle,
            };
            let place = self.work.job(pending.job).map(|job| job.place);
            // Bindings that change while the command runs do not affect it.
            let space = place.and_then(|place| Some((place, self.tables.spaces.get(place.vm).ok()?)));
            match space.map(|(place, space)| (place, space.memory.clone())) {
                Some((place, memory)) => return Step::Run(Task { pending, place, memory }),
                None => self.work.complete(&pending, true, Some((self.clock)())),
            }
        }
    }

    /// Completes a command.
    pub(crate) fn finish(&mut self, Ran { pending, outcome }: Ran) {
        self.log.fault(self.work.job(pending.job), &outcome);
        self.work.complete(&pending, outcome.failed, Some((self.clock)()));
        self.log.keep(outcome);
    }

    /// Runs all commands in order; returns whether one ended early.
    pub(super) fn run_now(&mut self, batch: &mut Batch) -> bool {
        let mut failed = false;
        while let Next::Run(pending) = self.work.next(false) {
            let ended_early = self.run_one(batch, &pending);
            self.work.complete(&pending, ended_early, None);
            failed |= ended_early;
        }
        failed
    }

    fn run_one(&mut self, batch: &mut Batch, pending: &Pending) -> bool {
        let device = self.device.clone();
        let mut device = device.lock().unwrap_or_else(PoisonError::into_inner);
        let place = self.work.job(pending.job).map(|job| job.place);
        let space = place.and_then(|place| Some((place, self.tables.spaces.get_mut(place.vm).ok()?)));
        let Some((place, space)) = space else { return true };
        if self.settings.hazards {
            space.memory.watch(Default::default());
        }
        let outcome = run(&mut device, self.clock, pending, place, &mut space.memory);
        let touched = space.memory.watched();
        let failed = outcome.failed;
        self.log.fault(self.work.job(pending.job), &outcome);
        self.log.keep(outcome);
        if let Some(touched) = touched {
            let compute = pending.ordered.command.is_compute();
            let name = device.place.command();
            let hazard = self.order.finish(batch, compute, pending.ordered.barriers, name, touched);
            if let Some(hazard) = hazard {
                device.note(hazard, false);
                self.log.findings.extend(device.notebook.fresh().iter().cloned());
            }
        }
        failed
    }
}
