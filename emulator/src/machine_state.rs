//! What a machine keeps from one program to the next: uniforms, state registers, findings, counts.

use std::sync::Arc;

use crate::captured::Kept;
use crate::core::Traffic;
use crate::dispatch::{Options, Watch};
use crate::memory::Memory;
use crate::notebook::Notebook;
use crate::order::{MemoryOrder, Order};
use crate::profile::{Counts, Profile, Report};
use crate::program::Program;
use crate::races::Races;
use crate::registers::Uniforms;
use crate::rng::{Garbage, Rng};
use crate::textures::{StateFile, States};

/// The uniform file after the driver has filled it.
fn filled(values: &[u16], states: States<'_>, garbage: &Garbage) -> Uniforms {
    let mut uniforms = Uniforms::new(values, &garbage.uniforms);
    states.unset_uniforms.iter().for_each(|range| uniforms.forget(range, &garbage.uniforms));
    uniforms
}

/// What a machine keeps from one program to the next. The fragment stage of a draw continues with it in each tile.
#[derive(Clone, Debug)]
pub(crate) struct State {
    pub(crate) uniforms: Uniforms,
    pub(crate) states: StateFile,
    pub(crate) garbage: Arc<Garbage>,
    pub(crate) rng: Rng,
    pub(crate) races: Option<Races>,
    /// Buffered stores and pending loads, unless memory is sequential.
    pub(crate) order: Option<Order>,
    pub(crate) notebook: Notebook,
    pub(crate) trace: Vec<String>,
    pub(crate) traffic: Traffic,
    /// Instructions left in the run's budget.
    pub(crate) budget: u64,
    pub(crate) kept: Kept,
}

impl State {
    /// The state of a machine with these initial uniforms and state registers.
    pub(crate) fn new(
        garbage: Arc<Garbage>,
        options: &Options,
        uniforms: &[u16],
        states: States<'_>,
    ) -> State {
        State {
            uniforms: filled(uniforms, states, &garbage),
            states: StateFile::new(states),
            rng: Rng::new(options.seed),
            races: options.races.then(Races::default),
            order: (options.memory_order == MemoryOrder::Relaxed).then(|| Order::new(options.seed)),
            notebook: Notebook::default(),
            trace: Vec::new(),
            traffic: Traffic::default(),
            budget: options.budget,
            kept: Kept::default(),
            garbage,
        }
    }

    /// Sets uniforms and states for the next program; values from preambles are discarded.
    pub(crate) fn rebind(&mut self, uniforms: &[u16], states: States<'_>) {
        self.states = StateFile::new(states);
        self.uniforms = filled(uniforms, states, &self.garbage);
    }

    /// The state with which another thread continues; it has counted nothing.
    pub(crate) fn for_worker(&self) -> State {
        State {
            uniforms: self.uniforms.clone(),
            states: self.states.clone(),
            garbage: self.garbage.clone(),
            rng: self.rng.clone(),
            races: None,
            order: None,
            notebook: Notebook::default(),
            trace: Vec::new(),
            traffic: Traffic::default(),
            budget: self.budget,
            kept: Kept::default(),
        }
    }

    /// Adds the traffic of another thread.
    pub(crate) fn add_traffic(&mut self, traffic: Traffic) {
        self.traffic.lines += traffic.lines;
        self.traffic.soft_faults += traffic.soft_faults;
    }

    /// The report. `programs` has the programs with their counts; the last one is the main program.
    pub(crate) fn report(self, options: &Options, programs: &[(&Program, &Counts)]) -> Report {
        let mut report =
            Report { lines: self.traffic.lines, soft_faults: self.traffic.soft_faults, ..Report::default() };
        for (program, counts) in programs {
            counts.add_to(&mut report, program);
        }
        if let Some((program, counts)) = programs.last().filter(|_| options.profile) {
            report.profile = Some(Profile::new(program, counts));
        }
        report.findings = self.notebook.into_findings();
        report.trace = self.trace;
        report.captured = self.kept.captured;
        report
    }
}

/// The number of threads that may share the work of programs. It is one if findings or traces are recorded in the
/// order of execution, if accesses must be checked against the range of this machine, or if a program depends on
/// the order of its pieces.
pub(crate) fn threads<'p>(
    options: &Options,
    memory: &Memory,
    mut programs: impl Iterator<Item = &'p Program>,
) -> usize {
    let noted = options.watch != Watch::default()
        || options.strict
        || options.trace
        || options.races
        || options.budget != u64::MAX;
    let is_relaxed = options.memory_order == MemoryOrder::Relaxed;
    if options.threads < 2 || noted || is_relaxed || !memory.is_shared() {
        return 1;
    }
    if programs.any(Program::has_atomics) { 1 } else { options.threads as usize }
}
