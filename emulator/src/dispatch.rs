//! Runs a grid of workgroups: preamble, SIMD-groups, barriers, the seeded scheduler.
//!
//! Workgroups run one after the other, in an order that the seed chooses; within a workgroup the SIMD-groups take turns
//! of random length. A program whose result depends on the seed has a race or lacks a barrier.

use thiserror::Error;

use crate::core::{Core, Launch};
use crate::exec::{Flow, stack};
use crate::findings::{Finding, FindingKind, Observation};
use crate::group::{Group, LANES, Progress};
use crate::local::Local;
use crate::memory::Memory;
use crate::notebook::{Notebook, finding, text_of};
use crate::profile::{Counts, Profile, Report};
use crate::program::Program;
use crate::races::Races;
use crate::registers::Uniforms;
use crate::rng::{Garbage, Rng};
use crate::step::step;
use crate::textures::StateFile;

/// Longest turn of a SIMD-group, in instructions.
const TURN: u64 = 48;
/// Threads a workgroup can have.
const WORKGROUP_THREADS: u64 = 1024;
/// Lines of trace kept.
const TRACE_LINES: usize = 1 << 20;

/// How to run.
#[derive(Clone, Debug)]
pub struct Options {
    /// Report what hardware would pass over in silence.
    pub strict: bool,
    /// Chooses garbage values and the interleaving; 0 runs workgroups in grid order.
    pub seed: u64,
    /// Instructions a SIMD-group may execute before [`FindingKind::StepLimit`] ends the run.
    pub max_steps: u64,
    /// Write a line for every instruction executed into [`Report::trace`].
    pub trace: bool,
    /// Device accesses that fail read 0 and write nothing, as drivers configure the hardware for robustness.
    pub soft_fault: bool,
    /// Look for data races, byte by byte. Slow.
    pub races: bool,
    /// Perturb reciprocals, roots, logarithms, exponentials and sines by up to one unit in the last place, as the seed
    /// decides: their exact rounding on hardware is not known.
    pub perturb: bool,
    /// Count executions for each instruction into [`Report::profile`].
    pub profile: bool,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            strict: true,
            seed: 0,
            max_steps: 1 << 24,
            trace: false,
            soft_fault: false,
            races: false,
            perturb: false,
            profile: false,
        }
    }
}

/// A compute dispatch, in whole workgroups.
#[derive(Clone, Debug)]
pub struct Dispatch<'a> {
    /// The program every lane runs.
    pub program: &'a Program,
    /// A program that one lane runs before all others, to set uniforms.
    pub preamble: Option<&'a Program>,
    /// Uniform half-words from 0 on; those not given count as never set.
    pub uniforms: &'a [u16],
    /// Workgroups along x, y, z.
    pub workgroups: [u32; 3],
    /// Lanes of a workgroup along x, y, z; at most 1024 together.
    pub workgroup_size: [u32; 3],
    /// Local memory of a workgroup in bytes.
    pub local_bytes: u32,
    /// Stack memory of a lane in bytes, as the shader asks for it.
    pub scratch_bytes: u32,
    /// How to run.
    pub options: Options,
}

/// A run that could not go on.
#[derive(Clone, Debug, Error)]
#[error("{finding}")]
pub struct Stop {
    /// Why.
    pub finding: Box<Finding>,
    /// What had happened by then; its findings end with the fatal one.
    pub report: Box<Report>,
}

/// Runs a dispatch to its end, or to the first fatal finding.
pub fn dispatch(memory: &mut Memory, dispatch: &Dispatch<'_>) -> Result<Report, Stop> {
    let mut run = Run::new(memory, dispatch);
    let outcome = run.everything();
    let mut report = run.report();
    match outcome {
        Ok(()) => Ok(report),
        Err(finding) => {
            report.findings.push((*finding).clone());
            Err(Stop { finding, report: Box::new(report) })
        }
    }
}

/// The state of a dispatch.
struct Run<'a> {
    memory: &'a mut Memory,
    dispatch: &'a Dispatch<'a>,
    uniforms: Uniforms,
    states: StateFile,
    garbage: Garbage,
    rng: Rng,
    races: Option<Races>,
    notebook: Notebook,
    preamble_counts: Counts,
    counts: Counts,
    trace: Vec<String>,
    soft_faults: u64,
    lines: u64,
}

impl<'a> Run<'a> {
    fn new(memory: &'a mut Memory, dispatch: &'a Dispatch<'a>) -> Self {
        let garbage = Garbage::new(dispatch.options.seed);
        Run {
            memory,
            dispatch,
            uniforms: Uniforms::new(dispatch.uniforms, &garbage.uniforms),
            states: StateFile::default(),
            rng: Rng::new(dispatch.options.seed),
            races: dispatch.options.races.then(Races::default),
            notebook: Notebook::default(),
            preamble_counts: Counts::new(dispatch.preamble.map_or(0, |program| program.ops().len())),
            counts: Counts::new(dispatch.program.ops().len()),
            trace: Vec::new(),
            soft_faults: 0,
            lines: 0,
            garbage,
        }
    }

    fn everything(&mut self) -> Result<(), Box<Finding>> {
        let threads = self.dispatch.workgroup_size.iter().map(|extent| u64::from(*extent)).product::<u64>();
        let count = self.dispatch.workgroups.iter().map(|extent| u128::from(*extent)).product::<u128>();
        if threads > WORKGROUP_THREADS {
            let kind = FindingKind::Unsupported("more than 1024 threads in a workgroup");
            return Err(Box::new(finding(kind.into(), text_of(None), false, &self.group(0, 1))));
        }
        if let Some(program) = self.dispatch.preamble {
            let mut groups = vec![self.group(0, 1)];
            self.execute(program, &mut groups, true)?;
        }
        let count = u64::try_from(count).unwrap_or(u64::MAX);
        if threads > 0 {
            for number in Order::new(count, self.dispatch.options.seed) {
                self.workgroup(number, threads as u32)?;
            }
        }
        Ok(())
    }

    fn group(&self, index: u32, threads: u32) -> Group {
        let lanes = if threads >= LANES as u32 { u32::MAX } else { (1 << threads) - 1 };
        let mut group = Group::new(&self.garbage.registers, lanes);
        group.index = index;
        group
    }

    fn workgroup(&mut self, number: u64, threads: u32) -> Result<(), Box<Finding>> {
        let [width, height, _] = self.dispatch.workgroups.map(u64::from);
        let position = [number % width, number / width % height, number / width / height].map(|at| at as u32);
        let mut groups = Vec::new();
        for index in 0..threads.div_ceil(LANES as u32) {
            let mut group = self.group(index, threads - index * LANES as u32);
            group.workgroup = position;
            groups.push(group);
        }
        if let Some(races) = &mut self.races {
            races.next_workgroup();
        }
        self.execute(self.dispatch.program, &mut groups, false)
    }

    /// Runs the SIMD-groups of a workgroup until all have stopped.
    fn execute(
        &mut self,
        program: &Program,
        groups: &mut [Group],
        preamble: bool,
    ) -> Result<(), Box<Finding>> {
        let mut local = Local::new(self.dispatch.local_bytes, self.rng.next());
        loop {
            let running: Vec<usize> =
                (0..groups.len()).filter(|at| groups[*at].progress == Progress::Running).collect();
            if running.is_empty() {
                if !self.release(program, groups, preamble) {
                    return Ok(());
                }
                continue;
            }
            let chosen = running[self.rng.below(running.len() as u64) as usize];
            let turn = if groups.len() == 1 { u64::MAX } else { 1 + self.rng.below(TURN) };
            self.turn(program, &mut groups[chosen], &mut local, turn, preamble)?;
        }
    }

    /// Lets the SIMD-groups at a barrier go on; false when none is left.
    fn release(&mut self, program: &Program, groups: &mut [Group], preamble: bool) -> bool {
        let waiting = groups.iter().filter(|group| group.progress == Progress::AtBarrier).count();
        if waiting == 0 {
            return false;
        }
        let abandoned = self.dispatch.options.strict && waiting < groups.len();
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

    /// Up to `turn` instructions of one SIMD-group.
    fn turn(
        &mut self,
        program: &Program,
        group: &mut Group,
        local: &mut Local,
        turn: u64,
        preamble: bool,
    ) -> Result<(), Box<Finding>> {
        let options = &self.dispatch.options;
        let launch = Launch {
            workgroup_size: self.dispatch.workgroup_size,
            stack_words: stack::limit_words(self.dispatch.scratch_bytes),
            soft_fault: options.soft_fault,
            perturb: options.perturb,
            seed: options.seed,
            preamble,
        };
        let mut core = Core {
            memory: self.memory,
            uniforms: &mut self.uniforms,
            local,
            states: &mut self.states,
            launch,
            notes: Vec::new(),
            races: self.races.as_mut(),
            soft_faults: 0,
            lines: 0,
        };
        let counts = if preamble { &mut self.preamble_counts } else { &mut self.counts };
        let mut turn = Turn {
            program,
            counts,
            notebook: &mut self.notebook,
            trace: options.trace.then_some(&mut self.trace),
            strict: options.strict,
            max_steps: options.max_steps,
            left: turn,
        };
        let outcome = turn.run(group, &mut core);
        let (soft_faults, lines) = (core.soft_faults, core.lines);
        self.soft_faults += soft_faults;
        self.lines += lines;
        outcome
    }

    fn report(self) -> Report {
        let programs =
            [(self.dispatch.preamble, &self.preamble_counts), (Some(self.dispatch.program), &self.counts)];
        let mut report = Report { lines: self.lines, soft_faults: self.soft_faults, ..Report::default() };
        for (program, counts) in programs {
            let Some(program) = program else { continue };
            counts.add_to(&mut report, program);
        }
        if self.dispatch.options.profile {
            report.profile = Some(Profile::new(self.dispatch.program, &self.counts));
        }
        report.findings = self.notebook.into_findings();
        report.trace = self.trace;
        report
    }
}

/// A turn of one SIMD-group.
struct Turn<'t> {
    program: &'t Program,
    counts: &'t mut Counts,
    notebook: &'t mut Notebook,
    trace: Option<&'t mut Vec<String>>,
    strict: bool,
    max_steps: u64,
    left: u64,
}

impl Turn<'_> {
    /// Runs until the turn is over, a barrier or the end.
    fn run(&mut self, group: &mut Group, core: &mut Core<'_>) -> Result<(), Box<Finding>> {
        while self.left > 0 && group.progress == Progress::Running {
            self.left -= 1;
            self.one(group, core)?;
        }
        Ok(())
    }

    fn one(&mut self, group: &mut Group, core: &mut Core<'_>) -> Result<(), Box<Finding>> {
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
                None => return Err(self.fatal(FindingKind::OutsideProgram.into(), None, group, core)),
            },
        };
        group.steps += 1;
        if group.steps > self.max_steps {
            let kind = FindingKind::StepLimit(self.max_steps);
            return Err(self.fatal(kind.into(), Some(op), group, core));
        }
        let outcome = step(op, group, core, self.strict);
        if !core.notes.is_empty() {
            self.write_down(op, group, core);
        }
        let flow = outcome.map_err(|fault| self.fatal(fault, Some(op), group, core))?;
        if let Some(trace) = self.trace.as_deref_mut().filter(|trace| trace.len() < TRACE_LINES) {
            trace.push(crate::profile::trace_line(op, group));
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
    fn write_down(&mut self, op: &crate::program::Op, group: &Group, core: &mut Core<'_>) {
        for note in core.notes.drain(..) {
            if self.strict {
                self.notebook.add(note, || op.text(), core.launch.preamble, group);
            }
        }
    }

    #[cold]
    fn fatal(
        &self,
        fault: Observation,
        op: Option<&crate::program::Op>,
        group: &Group,
        core: &Core<'_>,
    ) -> Box<Finding> {
        Box::new(finding(fault, text_of(op), core.launch.preamble, group))
    }
}

/// The numbers below `count`, each once: in order for seed 0, otherwise scattered.
struct Order {
    count: u64,
    step: u64,
    next: u64,
    left: u64,
}

impl Order {
    fn new(count: u64, seed: u64) -> Order {
        if seed == 0 || count < 2 {
            return Order { count, step: 1, next: 0, left: count };
        }
        let mut rng = Rng::new(seed.rotate_left(32));
        let mut step = 1 + rng.below(count - 1);
        while common_divisor(step, count) != 1 {
            step = step % (count - 1) + 1;
        }
        Order { count, step, next: rng.below(count), left: count }
    }
}

impl Iterator for Order {
    type Item = u64;

    fn next(&mut self) -> Option<u64> {
        self.left = self.left.checked_sub(1)?;
        let number = self.next;
        self.next = ((u128::from(number) + u128::from(self.step)) % u128::from(self.count)) as u64;
        Some(number)
    }
}

fn common_divisor(mut a: u64, mut b: u64) -> u64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orders_visit_every_workgroup_once() {
        for count in [0, 1, 2, 3, 12, 97, 1000] {
            for seed in [0, 1, 2, 77] {
                let mut seen: Vec<u64> = Order::new(count, seed).collect();
                seen.sort_unstable();
                assert_eq!(seen, (0..count).collect::<Vec<_>>(), "{count} with seed {seed}");
            }
        }
        assert_eq!(Order::new(5, 0).collect::<Vec<_>>(), [0, 1, 2, 3, 4]);
        assert_ne!(Order::new(1000, 1).collect::<Vec<_>>(), Order::new(1000, 2).collect::<Vec<_>>());
    }
}
