//! Executes SIMD-groups: the seeded scheduler, barriers, the instruction loop, and recording of findings.

use std::sync::Arc;

use crate::captured::{Captured, Kept};
use crate::core::{Core, Launch, Traffic};
use crate::dispatch::{Options, Stop, Watch};
use crate::exec::{Flow, stack};
use crate::findings::{Finding, FindingKind, Observation};
use crate::flight::step_in_flight;
use crate::frame::Frame;
use crate::group::{Group, LANES, Progress};
use crate::helper::Helper;
use crate::local::Local;
use crate::machine_state::{State, threads};
use crate::memory::Memory;
use crate::notebook::{Notebook, finding, text_of};
use crate::profile::{Counts, Report};
use crate::program::{Op, Program};
use crate::rng::{Garbage, Rng};
use crate::step::step;
use crate::textures::States;

/// Maximum length of a turn of a SIMD-group, in instructions.
const TURN: u64 = 48;
/// Maximum number of trace lines.
const TRACE_LINES: usize = 1 << 20;

/// The parameters of a program besides memory and uniforms.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Job {
    /// Lanes in a workgroup; fewer than the full size at the edge of a grid whose size is given in threads.
    pub(crate) workgroup_size: [u32; 3],
    /// Lanes in a full workgroup.
    pub(crate) full_size: [u32; 3],
    /// Words of stack per lane.
    pub(crate) stack_words: i64,
    /// Whether the program is a preamble.
    pub(crate) preamble: bool,
}

impl Job {
    /// The parameters of a preamble.
    pub(crate) fn preamble(scratch_bytes: u32) -> Job {
        Job { preamble: true, stack_words: stack::limit_words(scratch_bytes), ..Job::default() }
    }
}

/// A turn of a SIMD-group, by the numbers of its team and of the group in it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Chosen {
    pub(crate) team: usize,
    pub(crate) group: usize,
    /// Maximum number of instructions.
    pub(crate) left: u64,
}

/// SIMD-groups that share local memory and barriers: a workgroup, or a single SIMD-group of vertices or fragments.
#[derive(Clone, Debug)]
pub(crate) struct Team {
    pub(crate) groups: Vec<Group>,
    pub(crate) local: Local,
    /// Lanes along x, y, z; fewer than the full size at the edge of a grid whose size is given in threads.
    pub(crate) size: [u32; 3],
    /// The tile of a compute program that the driver uses for blits.
    pub(crate) tile: Option<Box<Frame>>,
    /// The state of the scratch helper program, if the program is one.
    pub(crate) helper: Option<Box<Helper>>,
}

impl Team {
    /// The lane that runs a preamble.
    pub(crate) fn of_preamble(machine: &mut Machine<'_>) -> Team {
        Team::alone(machine.group(0, 1), machine.local(0))
    }

    /// A team of one SIMD-group.
    pub(crate) fn alone(group: Group, local: Local) -> Team {
        Team { groups: vec![group], local, size: [0; 3], tile: None, helper: None }
    }
}

/// The SIMD-groups that can run, by team and number. A fragment SIMD-group in a pixel wait can run when the earlier
/// teams that cover one of its pixels have stopped.
fn ready(teams: &[Team]) -> Vec<(usize, usize)> {
    let mut ready = Vec::new();
    for (number, team) in teams.iter().enumerate() {
        for (at, group) in team.groups.iter().enumerate() {
            let may_run = match group.progress {
                Progress::Running => true,
                Progress::AtPixelWait => !teams[..number].iter().any(|earlier| holds_up(earlier, group)),
                Progress::AtBarrier | Progress::Stopped => false,
            };
            if may_run {
                ready.push((number, at));
            }
        }
    }
    ready
}

/// Whether fragments of `team` have not yet finished a pixel of `group`.
fn holds_up(team: &Team, group: &Group) -> bool {
    let unfinished = team.groups.iter().filter(|other| other.progress != Progress::Stopped);
    let Some(own) = group.pixels.as_deref() else { return false };
    unfinished.filter_map(|other| other.pixels.as_deref()).any(|other| other.shares_pixel(own))
}

/// If several primitives are active concurrently, stores the SIMD-group's primitive in the frame.
fn exchange_primitive(group: &mut Group, frame: Option<&mut Frame>) {
    if let Some((primitive, frame)) = group.primitive.as_deref_mut().zip(frame) {
        std::mem::swap(primitive, &mut frame.primitive);
    }
}

/// The machine during a dispatch or draw.
pub(crate) struct Machine<'a> {
    memory: &'a mut Memory,
    options: &'a Options,
    state: State,
}

impl<'a> Machine<'a> {
    /// A machine with these initial uniforms and state registers.
    pub(crate) fn new(
        memory: &'a mut Memory,
        options: &'a Options,
        uniforms: &[u16],
        states: States<'_>,
    ) -> Self {
        let garbage = Arc::new(Garbage::new(options.seed));
        Machine::with(memory, options, State::new(garbage, options, uniforms, states))
    }

    /// A machine that continues from a state.
    pub(crate) fn with(memory: &'a mut Memory, options: &'a Options, state: State) -> Self {
        Machine { memory, options, state }
    }

    /// Its state, with which another machine can continue.
    pub(crate) fn into_state(self) -> State {
        self.state
    }

    /// A new SIMD-group with at most 32 of the remaining `threads`.
    pub(crate) fn group(&self, index: u32, threads: u32) -> Group {
        let lanes = if threads >= LANES as u32 { u32::MAX } else { (1 << threads) - 1 };
        let mut group = Group::new(&self.state.garbage.registers, lanes);
        group.index = index;
        group
    }

    /// Sets uniforms and states for the next program; values from preambles are discarded.
    pub(crate) fn rebind(&mut self, uniforms: &[u16], states: States<'_>) {
        self.state.rebind(uniforms, states);
    }

    /// Runs a preamble on one lane.
    pub(crate) fn preamble(
        &mut self,
        program: &Program,
        counts: &mut Counts,
        scratch_bytes: u32,
    ) -> Result<(), Box<Finding>> {
        let mut teams = [Team::of_preamble(self)];
        self.execute(program, counts, &mut teams, Job::preamble(scratch_bytes), None)
    }

    /// Local memory of a new workgroup.
    pub(crate) fn local(&mut self, bytes: u32) -> Local {
        Local::new(bytes, self.state.rng.next())
    }

    /// The number of threads that may share the work of `program`.
    pub(crate) fn threads(&self, program: &Program) -> usize {
        threads(self.options, self.memory, [program].into_iter())
    }

    /// A view of the same memory for another worker.
    pub(crate) fn shared_memory(&self) -> Memory {
        self.memory.clone()
    }

    /// A machine that continues from this state with `memory`, and has separate traffic counts.
    pub(crate) fn worker<'m>(&'m self, memory: &'m mut Memory) -> Machine<'m> {
        Machine { memory, options: self.options, state: self.state.for_worker() }
    }

    /// The device memory traffic of programs so far.
    pub(crate) fn traffic(&self) -> Traffic {
        self.state.traffic
    }

    /// Adds the traffic of a worker.
    pub(crate) fn add_traffic(&mut self, traffic: Traffic) {
        self.state.add_traffic(traffic);
    }

    /// With sequential memory, the schedule of a workgroup depends only on its number, and not on earlier workgroups.
    pub(crate) fn begin_workgroup(&mut self, number: u64) {
        if self.state.order.is_none() {
            self.state.rng = Rng::new(self.options.seed ^ number.rotate_left(32));
        }
    }

    /// The number of teams that run concurrently: one if memory is sequential, otherwise up to `most`.
    pub(crate) fn teams_together(&mut self, most: u64) -> usize {
        match self.state.order.is_some() && self.state.races.is_none() {
            true => 1 + self.state.rng.below(most) as usize,
            false => 1,
        }
    }

    /// Runs concurrent SIMD-groups until all have stopped.
    pub(crate) fn execute(
        &mut self,
        program: &Program,
        counts: &mut Counts,
        teams: &mut [Team],
        job: Job,
        mut frame: Option<&mut Frame>,
    ) -> Result<(), Box<Finding>> {
        keep_asked(self, program, teams, job, frame.as_deref());
        self.begin(teams);
        while let Some(chosen) = self.next_turn(program, teams, job.preamble) {
            self.run_turn(program, counts, &mut teams[chosen.team], chosen, job, frame.as_deref_mut())?;
            self.end_turn(program, &mut teams[chosen.team], job.preamble);
        }
        self.end();
        Ok(())
    }

    /// Prepares for concurrent SIMD-groups.
    pub(crate) fn begin(&mut self, teams: &mut [Team]) {
        if let Some(races) = &mut self.state.races {
            races.next_workgroup();
        }
        let groups = teams.iter_mut().flat_map(|team| &mut team.groups);
        let count = groups.enumerate().map(|(number, group)| group.viewer = number).count();
        if let Some(order) = &mut self.state.order {
            order.begin(count);
        }
    }

    /// Chooses the SIMD-group that runs next; `None` if all have stopped.
    #[inline(always)]
    pub(crate) fn next_turn(
        &mut self,
        program: &Program,
        teams: &mut [Team],
        preamble: bool,
    ) -> Option<Chosen> {
        loop {
            let ready = ready(teams);
            if !ready.is_empty() {
                let (team, group) = ready[self.state.rng.below(ready.len() as u64) as usize];
                let is_alone = matches!(teams, [Team { groups, .. }] if groups.len() == 1);
                let left = if is_alone { u64::MAX } else { self.turn_length() };
                return Some(Chosen { team, group, left });
            }
            let mut released = false;
            for team in teams.iter_mut() {
                released |= self.release(program, &mut team.groups, preamble);
            }
            if !released {
                return None;
            }
        }
    }

    /// Runs the turn of a SIMD-group, or the part of it that `chosen` limits it to.
    #[inline(always)]
    pub(crate) fn run_turn(
        &mut self,
        program: &Program,
        counts: &mut Counts,
        team: &mut Team,
        chosen: Chosen,
        job: Job,
        frame: Option<&mut Frame>,
    ) -> Result<(), Box<Finding>> {
        let Team { groups, local, tile, size, helper } = team;
        let mut turn = Turn { program, counts, left: chosen.left, job, helper: helper.as_deref_mut() };
        turn.job.workgroup_size = *size;
        let frame = tile.as_deref_mut().or(frame);
        self.turn(&mut turn, &mut groups[chosen.group], local, frame)
    }

    /// Ends the turn of a SIMD-group of `team`.
    #[inline(always)]
    pub(crate) fn end_turn(&mut self, program: &Program, team: &mut Team, preamble: bool) {
        if let Some(order) = &mut self.state.order {
            order.drain(self.memory);
        }
        self.release_complete(program, &mut team.groups, preamble);
    }

    /// Completes the stores of SIMD-groups that have stopped.
    pub(crate) fn end(&mut self) {
        if let Some(order) = &mut self.state.order {
            order.finish(self.memory);
        }
    }

    /// With relaxed memory turns are shorter, to expose more interleavings.
    fn turn_length(&mut self) -> u64 {
        let longest = match self.state.order {
            None => TURN,
            Some(_) => [2, 8, TURN][self.state.rng.below(3) as usize],
        };
        1 + self.state.rng.below(longest)
    }

    /// Lets the SIMD-groups of each workgroup continue if all of them are at the barrier.
    fn release_complete(&mut self, program: &Program, groups: &mut [Group], preamble: bool) {
        if self.state.order.is_some() && groups.iter().all(|group| group.progress == Progress::AtBarrier) {
            self.release(program, groups, preamble);
        }
    }

    /// Lets the SIMD-groups at a barrier continue; false when none is left.
    fn release(&mut self, program: &Program, groups: &mut [Group], preamble: bool) -> bool {
        let waiting = groups.iter().filter(|group| group.progress == Progress::AtBarrier).count();
        if waiting == 0 {
            return false;
        }
        let abandoned = self.options.strict && waiting < groups.len();
        if let Some(group) = groups.iter().find(|group| abandoned && group.progress == Progress::AtBarrier) {
            let text = || text_of(program.index(group.pc).map(|at| &program.ops()[at]));
            self.state.notebook.add(FindingKind::AbandonedBarrier.into(), text, preamble, group);
        }
        if let Some(order) = &mut self.state.order {
            order.barrier(groups.iter().map(|group| group.viewer));
        }
        for group in groups.iter_mut().filter(|group| group.progress == Progress::AtBarrier) {
            group.progress = Progress::Running;
        }
        if let Some(races) = &mut self.state.races {
            races.barrier();
        }
        true
    }

    /// Runs one SIMD-group until the end of its turn, a barrier, or the end of the program.
    fn turn(
        &mut self,
        turn: &mut Turn<'_>,
        group: &mut Group,
        local: &mut Local,
        mut frame: Option<&mut Frame>,
    ) -> Result<(), Box<Finding>> {
        let options = self.options;
        exchange_primitive(group, frame.as_deref_mut());
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
            uniforms: &mut self.state.uniforms,
            local,
            states: &mut self.state.states,
            frame: frame.as_deref_mut(),
            launch,
            notes: Vec::new(),
            order: self.state.order.as_mut(),
            viewer: group.viewer,
            races: self.state.races.as_mut(),
            traffic: self.state.traffic,
            helper: turn.helper.take(),
        };
        let mut log = Log { notebook: &mut self.state.notebook, trace: &mut self.state.trace, options };
        let mut outcome = Ok(());
        if group.progress == Progress::AtPixelWait {
            group.progress = Progress::Running;
        }
        let most = (options.max_steps - group.steps).min(self.state.budget).min(turn.left);
        let mut left = most;
        if options.profile {
            outcome = turn.profiled(group, &mut core, &mut log, &mut left);
        }
        while left > 0 && group.progress == Progress::Running && outcome.is_ok() {
            left -= 1;
            outcome = turn.one(group, &mut core, &mut log);
        }
        group.steps += most - left;
        self.state.budget -= most - left;
        if left == 0 && most < turn.left && group.progress == Progress::Running && outcome.is_ok() {
            outcome = turn.exhausted(group, options);
        }
        self.state.traffic = core.traffic;
        exchange_primitive(group, frame);
        outcome
    }

    /// The report of [`State::report`].
    pub(crate) fn report(self, programs: &[(&Program, &Counts)]) -> Report {
        self.state.report(self.options, programs)
    }
}

/// Keeps the SIMD-group that is asked for, if it is among `teams`.
fn keep_asked(machine: &mut Machine<'_>, program: &Program, teams: &[Team], job: Job, frame: Option<&Frame>) {
    let Some(capture) = machine.options.watch.capture else { return };
    for team in teams {
        for group in &team.groups {
            let Some(lane) = machine.state.kept.wants(capture, group) else { continue };
            let captured = Captured {
                program: program.clone(),
                team: Team { groups: vec![group.clone()], ..team.clone() },
                job,
                state: State { kept: Kept::default(), ..machine.state.clone() },
                memory: machine.memory.clone(),
                frame: frame.cloned(),
                options: Options { watch: Watch::default(), ..machine.options.clone() },
                lane,
            };
            machine.state.kept.captured = Some(Box::new(captured));
        }
    }
}

/// The report of a run, or the reason why it stopped.
pub(crate) fn conclude(outcome: Result<(), Box<Finding>>, mut report: Report) -> Result<Report, Stop> {
    match outcome {
        Ok(()) => Ok(report),
        Err(finding) => {
            report.findings.push((*finding).clone());
            Err(Stop { finding, report: Box::new(report) })
        }
    }
}

/// Destinations of findings and trace.
struct Log<'l> {
    notebook: &'l mut Notebook,
    trace: &'l mut Vec<String>,
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
    helper: Option<&'t mut Helper>,
}

impl Turn<'_> {
    #[inline(always)]
    fn one(&mut self, group: &mut Group, core: &mut Core<'_>, log: &mut Log<'_>) -> Result<(), Box<Finding>> {
        let program = self.program;
        let decoded;
        let op = match program.index(group.pc) {
            Some(at) => {
                self.counts.count(at, group.active);
                &program.ops()[at]
            }
            None => match program.decode_at(group.pc) {
                Some(op) => {
                    decoded = op;
                    &decoded
                }
                // The last stop had no active lane.
                None if group.exec == 0 => {
                    group.progress = Progress::Stopped;
                    return Ok(());
                }
                None => return Err(self.fatal(FindingKind::OutsideProgram.into(), None, group)),
            },
        };
        let outcome = match core.order {
            None => step(op, group, core, log.options.strict),
            Some(_) => {
                let at = program.index(group.pc);
                step_in_flight(op, at, program, group, core, log.options.strict)
            }
        };
        if !core.notes.is_empty() {
            log.write_down(op, group, core);
        }
        let flow = outcome.map_err(|fault| {
            // A deferred access has the location of its own instruction.
            let at_fault = program.index(group.pc).map_or(op, |at| &program.ops()[at]);
            self.fatal(fault, Some(at_fault), group)
        })?;
        if log.options.trace && log.trace.len() < TRACE_LINES {
            log.trace.push(crate::profile::trace_line(op, group));
        }
        match flow {
            Flow::Next => group.pc = op.next(),
            Flow::Jump(target) => group.pc = target,
            Flow::PixelWait => {
                group.pc = op.next();
                if group.primitive.is_some() {
                    group.progress = Progress::AtPixelWait;
                }
            }
            Flow::Stop => group.progress = Progress::Stopped,
            Flow::Barrier => {
                group.pc = op.next();
                group.progress = Progress::AtBarrier;
            }
        }
        Ok(())
    }

    /// Runs the turn, and counts the lines of memory that each instruction accesses.
    #[cold]
    #[inline(never)]
    fn profiled(
        &mut self,
        group: &mut Group,
        core: &mut Core<'_>,
        log: &mut Log<'_>,
        left: &mut u64,
    ) -> Result<(), Box<Finding>> {
        while *left > 0 && group.progress == Progress::Running {
            *left -= 1;
            let (at, before) = (self.program.index(group.pc), core.traffic.lines);
            self.one(group, core, log)?;
            if let Some(at) = at {
                self.counts.count_lines(at, core.traffic.lines - before);
            }
        }
        Ok(())
    }

    /// The next instruction would exceed the limit of the SIMD-group or of the run.
    #[cold]
    fn exhausted(&mut self, group: &mut Group, options: &Options) -> Result<(), Box<Finding>> {
        let kind = match group.steps >= options.max_steps {
            true => FindingKind::StepLimit(options.max_steps),
            false => FindingKind::BudgetSpent(options.budget),
        };
        let at = self.program.index(group.pc);
        Err(self.fatal(kind.into(), at.map(|at| &self.program.ops()[at]), group))
    }

    #[cold]
    fn fatal(&self, fault: Observation, op: Option<&Op>, group: &Group) -> Box<Finding> {
        Box::new(finding(fault, text_of(op), self.job.preamble, group))
    }
}
