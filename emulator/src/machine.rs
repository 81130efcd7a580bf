//! Executes SIMD-groups: the seeded scheduler, barriers, one instruction after the other, and the notebook.

use crate::core::{Core, Launch};
use crate::dispatch::{Options, Stop};
use crate::exec::{Flow, stack};
use crate::findings::{Finding, FindingKind, Observation};
use crate::frame::Frame;
use crate::group::{Group, LANES, Progress};
use crate::local::Local;
use crate::memory::Memory;
use crate::notebook::{Notebook, finding, text_of};
use crate::profile::{Counts, Profile, Report};
use crate::program::{Op, Program};
use crate::races::Races;
use crate::registers::Uniforms;
use crate::rng::{Garbage, Rng};
use crate::step::step;
use crate::textures::{StateFile, States};

/// Longest turn of a SIMD-group, in instructions.
const TURN: u64 = 48;
/// Lines of trace kept.
const TRACE_LINES: usize = 1 << 20;

/// What a program runs with, beside memory and uniforms.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Job {
    /// Lanes in a workgroup; fewer than the full size at the edge of a grid that is counted in threads.
    pub(crate) workgroup_size: [u32; 3],
    /// Lanes in a full workgroup.
    pub(crate) full_size: [u32; 3],
    /// Local memory in bytes.
    pub(crate) local_bytes: u32,
    /// Words of stack a lane may use.
    pub(crate) stack_words: i64,
    /// Whether the program is a preamble.
    pub(crate) preamble: bool,
}

/// The uniform file that a driver fills.
fn filled(values: &[u16], states: States<'_>, garbage: &Garbage) -> Uniforms {
    let mut uniforms = Uniforms::new(values, &garbage.uniforms);
    states.unset_uniforms.iter().for_each(|range| uniforms.forget(range, &garbage.uniforms));
    uniforms
}

/// The machine during a dispatch or draw.
pub(crate) struct Machine<'a> {
    memory: &'a mut Memory,
    options: &'a Options,
    uniforms: Uniforms,
    states: StateFile,
    garbage: Garbage,
    rng: Rng,
    races: Option<Races>,
    notebook: Notebook,
    trace: Vec<String>,
    soft_faults: u64,
    lines: u64,
    /// Instructions left of the run's budget.
    budget: u64,
}

impl<'a> Machine<'a> {
    /// A machine whose uniforms and state registers start with these.
    pub(crate) fn new(
        memory: &'a mut Memory,
        options: &'a Options,
        uniforms: &[u16],
        states: States<'_>,
    ) -> Self {
        let garbage = Garbage::new(options.seed);
        Machine {
            memory,
            options,
            uniforms: filled(uniforms, states, &garbage),
            states: StateFile::new(states),
            rng: Rng::new(options.seed),
            races: options.races.then(Races::default),
            notebook: Notebook::default(),
            trace: Vec::new(),
            soft_faults: 0,
            lines: 0,
            budget: options.budget,
            garbage,
        }
    }

    /// A SIMD-group about to start, of at most 32 of the `threads` left.
    pub(crate) fn group(&self, index: u32, threads: u32) -> Group {
        let lanes = if threads >= LANES as u32 { u32::MAX } else { (1 << threads) - 1 };
        let mut group = Group::new(&self.garbage.registers, lanes);
        group.index = index;
        group
    }

    /// Other uniforms and states for the next program; what preambles set is forgotten.
    pub(crate) fn rebind(&mut self, uniforms: &[u16], states: States<'_>) {
        self.states = StateFile::new(states);
        self.uniforms = filled(uniforms, states, &self.garbage);
    }

    /// Runs a preamble on one lane.
    pub(crate) fn preamble(
        &mut self,
        program: &Program,
        counts: &mut Counts,
        scratch_bytes: u32,
    ) -> Result<(), Box<Finding>> {
        let mut groups = [self.group(0, 1)];
        let stack_words = stack::limit_words(scratch_bytes);
        self.execute(
            program,
            counts,
            &mut groups,
            Job { preamble: true, stack_words, ..Job::default() },
            None,
        )
    }

    /// Runs the SIMD-groups of a workgroup until all have stopped.
    pub(crate) fn execute(
        &mut self,
        program: &Program,
        counts: &mut Counts,
        groups: &mut [Group],
        job: Job,
        mut frame: Option<&mut Frame>,
    ) -> Result<(), Box<Finding>> {
        if let Some(races) = &mut self.races {
            races.next_workgroup();
        }
        let mut local = Local::new(job.local_bytes, self.rng.next());
        loop {
            let running: Vec<usize> =
                (0..groups.len()).filter(|at| groups[*at].progress == Progress::Running).collect();
            if running.is_empty() {
                if !self.release(program, groups, job.preamble) {
                    return Ok(());
                }
                continue;
            }
            let chosen = running[self.rng.below(running.len() as u64) as usize];
            let left = if groups.len() == 1 { u64::MAX } else { 1 + self.rng.below(TURN) };
            let turn = Turn { program, counts, left, job };
            self.turn(turn, &mut groups[chosen], &mut local, frame.as_deref_mut())?;
        }
    }

    /// Lets the SIMD-groups at a barrier go on; false when none is left.
    fn release(&mut self, program: &Program, groups: &mut [Group], preamble: bool) -> bool {
        let waiting = groups.iter().filter(|group| group.progress == Progress::AtBarrier).count();
        if waiting == 0 {
            return false;
        }
        let abandoned = self.options.strict && waiting < groups.len();
        if let Some(group) = groups.iter().find(|group| abandoned && group.progress == Progress::AtBarrier) {
            let text = || text_of(program.index(group.pc).map(|at| &program.ops()[at]));
            self.notebook.add(FindingKind::AbandonedBarrier.into(), text, preamble, group);
        }
        for group in groups.iter_mut().filter(|group| group.progress == Progress::AtBarrier) {
            group.progress = Progress::Running;
        }
        if let Some(races) = &mut self.races {
            races.barrier();
        }
        true
    }

    /// A turn of one SIMD-group: until it is over, a barrier or the end.
    fn turn(
        &mut self,
        mut turn: Turn<'_>,
        group: &mut Group,
        local: &mut Local,
        frame: Option<&mut Frame>,
    ) -> Result<(), Box<Finding>> {
        let options = self.options;
        let launch = Launch {
            workgroup_size: turn.job.workgroup_size,
            full_size: turn.job.full_size,
            stack_words: turn.job.stack_words,
            soft_fault: options.soft_fault,
            perturb: options.perturb,
            seed: options.seed,
            mutant: options.mutant,
            preamble: turn.job.preamble,
        };
        let mut core = Core {
            memory: self.memory,
            uniforms: &mut self.uniforms,
            local,
            states: &mut self.states,
            frame,
            launch,
            notes: Vec::new(),
            races: self.races.as_mut(),
            soft_faults: 0,
            lines: 0,
        };
        let mut log =
            Log { notebook: &mut self.notebook, trace: &mut self.trace, budget: &mut self.budget, options };
        let mut outcome = Ok(());
        while turn.left > 0 && group.progress == Progress::Running && outcome.is_ok() {
            turn.left -= 1;
            outcome = turn.one(group, &mut core, &mut log);
        }
        let (soft_faults, lines) = (core.soft_faults, core.lines);
        self.soft_faults += soft_faults;
        self.lines += lines;
        outcome
    }

    /// What happened; `programs` with their counts, the last one being the main program.
    pub(crate) fn report(self, programs: &[(&Program, &Counts)]) -> Report {
        let mut report = Report { lines: self.lines, soft_faults: self.soft_faults, ..Report::default() };
        for (program, counts) in programs {
            counts.add_to(&mut report, program);
        }
        if let Some((program, counts)) = programs.last().filter(|_| self.options.profile) {
            report.profile = Some(Profile::new(program, counts));
        }
        report.findings = self.notebook.into_findings();
        report.trace = self.trace;
        report
    }
}

/// The report of a run, or how it stopped.
pub(crate) fn conclude(outcome: Result<(), Box<Finding>>, mut report: Report) -> Result<Report, Stop> {
    match outcome {
        Ok(()) => Ok(report),
        Err(finding) => {
            report.findings.push((*finding).clone());
            Err(Stop { finding, report: Box::new(report) })
        }
    }
}

/// Where findings and trace go, and what is left of the budget.
struct Log<'l> {
    notebook: &'l mut Notebook,
    trace: &'l mut Vec<String>,
    budget: &'l mut u64,
    options: &'l Options,
}

impl Log<'_> {
    #[cold]
    fn write_down(&mut self, op: &Op, group: &Group, core: &mut Core<'_>) {
        for note in core.notes.drain(..) {
            if self.options.strict {
                self.notebook.add(note, || op.text(), core.launch.preamble, group);
            }
        }
    }
}

/// A turn of one SIMD-group.
struct Turn<'t> {
    program: &'t Program,
    counts: &'t mut Counts,
    left: u64,
    job: Job,
}

impl Turn<'_> {
    fn one(&mut self, group: &mut Group, core: &mut Core<'_>, log: &mut Log<'_>) -> Result<(), Box<Finding>> {
        let program = self.program;
        let decoded;
        let op = match program.index(group.pc) {
            Some(at) => {
                self.counts.count(at, group.exec);
                &program.ops()[at]
            }
            None => match program.decode_at(group.pc) {
                Some(op) => {
                    decoded = op;
                    &decoded
                }
                None => return Err(self.fatal(FindingKind::OutsideProgram.into(), None, group)),
            },
        };
        group.steps += 1;
        if group.steps > log.options.max_steps {
            let kind = FindingKind::StepLimit(log.options.max_steps);
            return Err(self.fatal(kind.into(), Some(op), group));
        }
        let Some(budget) = log.budget.checked_sub(1) else {
            let kind = FindingKind::BudgetSpent(log.options.budget);
            return Err(self.fatal(kind.into(), Some(op), group));
        };
        *log.budget = budget;
        let outcome = step(op, group, core, log.options.strict);
        if !core.notes.is_empty() {
            log.write_down(op, group, core);
        }
        let flow = outcome.map_err(|fault| self.fatal(fault, Some(op), group))?;
        if log.options.trace && log.trace.len() < TRACE_LINES {
            log.trace.push(crate::profile::trace_line(op, group));
        }
        match flow {
            Flow::Next => group.pc = op.next(),
            Flow::Jump(target) => group.pc = target,
            Flow::Stop => group.progress = Progress::Stopped,
            Flow::Barrier => {
                group.pc = op.next();
                group.progress = Progress::AtBarrier;
            }
        }
        Ok(())
    }

    #[cold]
    fn fatal(&self, fault: Observation, op: Option<&Op>, group: &Group) -> Box<Finding> {
        Box::new(finding(fault, text_of(op), self.job.preamble, group))
    }
}
