//! Execution instruction by instruction, with a state that can be copied.
//!
//! A [`Stepper`] makes the same choices as [`crate::dispatch()`], so every instruction has the same number, the time, in
//! all runs with the same options. A copy of a stepper continues from the time of the copy: a debugger goes back by
//! continuing from an earlier copy.

use crate::captured::Captured;
use crate::dispatch::{Dispatch, Options, check, next_teams};
use crate::findings::Finding;
use crate::frame::Frame;
use crate::group::Progress;
use crate::machine::{Chosen, Job, Machine, Team};
use crate::machine_state::State;
use crate::memory::{Memory, owned_bytes};
use crate::permutation::Permutation;
use crate::profile::Counts;
use crate::program::Program;
use crate::rng::Garbage;
use crate::textures::Texture;
use crate::view::GroupView;

/// Bytes of a SIMD-group, roughly: 128 registers of 32 lanes, with what is known of them.
const GROUP_BYTES: usize = 24 << 10;

/// What is executed.
#[derive(Clone, Copy, Debug)]
enum Work<'a> {
    Grid(&'a Dispatch<'a>),
    Alone(&'a Captured),
}

impl<'a> Work<'a> {
    fn options(self) -> &'a Options {
        match self {
            Work::Grid(dispatch) => &dispatch.options,
            Work::Alone(captured) => &captured.options,
        }
    }

    fn preamble(self) -> Option<&'a Program> {
        match self {
            Work::Grid(dispatch) => dispatch.preamble,
            Work::Alone(_) => None,
        }
    }

    fn main(self) -> &'a Program {
        match self {
            Work::Grid(dispatch) => dispatch.program,
            Work::Alone(captured) => &captured.program,
        }
    }

    fn job(self, in_preamble: bool) -> Job {
        match self {
            Work::Grid(dispatch) if in_preamble => Job::preamble(dispatch.scratch_bytes),
            Work::Grid(dispatch) => dispatch.job(),
            Work::Alone(captured) => captured.job,
        }
    }

    /// The next workgroups that have lanes.
    fn teams(self, machine: &mut Machine<'_>, order: &mut Permutation) -> Vec<Team> {
        match self {
            Work::Grid(dispatch) if dispatch.workgroup_threads() != 0 => next_teams(machine, dispatch, order),
            _ => Vec::new(),
        }
    }
}

/// A run between two instructions.
#[derive(Clone, Debug)]
pub struct Stepper<'a> {
    work: Work<'a>,
    memory: Memory,
    /// `None` only while an instruction executes.
    state: Option<State>,
    order: Permutation,
    teams: Vec<Team>,
    /// The tile of a fragment program.
    frame: Option<Frame>,
    in_preamble: bool,
    /// The turn in which the next instruction executes; `None` at the end.
    next: Option<Chosen>,
    counts: Counts,
    time: u64,
    fault: Option<Box<Finding>>,
}

impl<'a> Stepper<'a> {
    /// The state before the first instruction of a dispatch on `memory`.
    pub fn new(memory: Memory, dispatch: &'a Dispatch<'a>) -> Stepper<'a> {
        let garbage = std::sync::Arc::new(Garbage::new(dispatch.options.seed));
        let state = State::new(garbage, &dispatch.options, dispatch.uniforms, dispatch.states);
        let mut stepper = Stepper {
            work: Work::Grid(dispatch),
            memory,
            state: Some(state),
            order: Permutation::new(dispatch.count(), dispatch.options.seed),
            teams: Vec::new(),
            frame: None,
            in_preamble: dispatch.preamble.is_some(),
            next: None,
            counts: Counts::new(dispatch.preamble.unwrap_or(dispatch.program)),
            time: 0,
            fault: None,
        };
        let (in_preamble, work) = (stepper.in_preamble, stepper.work);
        let (teams, order) = (&mut stepper.teams, &mut stepper.order);
        let start = |machine: &mut Machine<'_>| {
            check(machine, dispatch)?;
            *teams = match in_preamble {
                true => vec![Team::of_preamble(machine)],
                false => work.teams(machine, order),
            };
            machine.begin(teams);
            Ok(())
        };
        stepper.fault = with_machine(&mut stepper.memory, work.options(), &mut stepper.state, start).err();
        if stepper.fault.is_none() {
            stepper.choose();
        }
        stepper
    }

    /// The state before the first instruction of a SIMD-group of a draw.
    pub fn of_captured(captured: &'a Captured) -> Stepper<'a> {
        let mut stepper = Stepper {
            work: Work::Alone(captured),
            memory: captured.memory.clone(),
            state: Some(captured.state.clone()),
            order: Permutation::new(0, 0),
            teams: vec![captured.team.clone()],
            frame: captured.frame.clone(),
            in_preamble: false,
            next: None,
            counts: Counts::new(&captured.program),
            time: 0,
            fault: None,
        };
        let teams = &mut stepper.teams;
        let start = |machine: &mut Machine<'_>| machine.begin(teams);
        with_machine(&mut stepper.memory, &captured.options, &mut stepper.state, start);
        stepper.choose();
        stepper
    }

    /// The program that executes: the preamble or the main program.
    pub fn program(&self) -> &'a Program {
        self.work.preamble().filter(|_| self.in_preamble).unwrap_or(self.work.main())
    }

    /// The machine code of the main program, or of the preamble.
    pub fn code(&self, preamble: bool) -> Option<&'a [u8]> {
        let program = if preamble { self.work.preamble() } else { Some(self.work.main()) };
        program.map(Program::code)
    }

    /// The bytes of a sample in the tile of a fragment program.
    pub fn colour(&self, [x, y]: [u32; 2], sample: u32) -> Option<&[u8]> {
        self.frame.as_ref()?.buffer.colour(x, y, sample)
    }

    /// Whether the preamble executes.
    pub fn in_preamble(&self) -> bool {
        self.in_preamble
    }

    /// Number of instructions executed so far, over all SIMD-groups.
    pub fn time(&self) -> u64 {
        self.time
    }

    /// The fatal finding that ended the run.
    pub fn fault(&self) -> Option<&Finding> {
        self.fault.as_deref()
    }

    /// The findings of strict mode so far.
    pub fn findings(&self) -> &[Finding] {
        self.state.as_ref().map_or(&[], |state| state.notebook.findings())
    }

    /// Whether no instruction is left to execute.
    pub fn is_finished(&self) -> bool {
        self.next.is_none() || self.fault.is_some()
    }

    /// The SIMD-group whose instruction executes next, or that faulted; `None` at the end.
    pub fn current(&self) -> Option<GroupView<'_>> {
        let Chosen { team, group, .. } = self.next?;
        self.view(team, group)
    }

    /// The SIMD-groups that run together, by workgroup.
    pub fn groups(&self) -> impl Iterator<Item = GroupView<'_>> {
        self.teams.iter().flat_map(|team| team.groups.iter().map(|group| GroupView::new(group, team)))
    }

    fn view(&self, team: usize, group: usize) -> Option<GroupView<'_>> {
        let team = self.teams.get(team)?;
        Some(GroupView::new(team.groups.get(group)?, team))
    }

    /// Device memory.
    pub fn memory(&self) -> &Memory {
        &self.memory
    }

    /// A half-word of the uniform file; `None` if it was never set.
    pub fn uniform(&self, half: u16) -> Option<u16> {
        let uniforms = &self.state.as_ref()?.uniforms;
        uniforms.is_set(half).then(|| uniforms.read(half, agx_isa::inst::Size::B16) as u16)
    }

    /// What a texture state register has, as text: that of an image, which instructions write, or of a texture. `None` if it was
    /// never set.
    pub fn texture(&self, number: u32, is_image: bool) -> Option<String> {
        let bytes = self.state.as_ref()?.states.texture(number)?;
        let texture = if is_image { Texture::image(&bytes) } else { Texture::new(&bytes) };
        Some(texture.map_or_else(|what| format!("{what} is not modelled"), |texture| texture.to_string()))
    }

    /// Bytes that a copy takes, roughly.
    pub fn size_bytes(&self) -> usize {
        let groups = self.teams.iter().map(|team| team.groups.len()).sum::<usize>();
        owned_bytes(&self.memory) + groups * GROUP_BYTES
    }

    /// Executes one instruction. Does nothing at the end.
    ///
    /// # Errors
    /// The fatal finding that ends the run.
    pub fn step(&mut self) -> Result<(), Box<Finding>> {
        let Some(chosen) = self.next.filter(|_| self.fault.is_none()) else { return Ok(()) };
        let (program, job) = (self.program(), self.work.job(self.in_preamble));
        let (counts, team, frame) = (&mut self.counts, &mut self.teams[chosen.team], self.frame.as_mut());
        let one = Chosen { left: 1, ..chosen };
        let left = chosen.left - 1;
        let work = |machine: &mut Machine<'_>| {
            machine.run_turn(program, counts, team, one, job, frame)?;
            let goes_on = left > 0 && team.groups[chosen.group].progress == Progress::Running;
            if !goes_on {
                machine.end_turn(program, team, job.preamble);
            }
            Ok::<bool, Box<Finding>>(goes_on)
        };
        match with_machine(&mut self.memory, self.work.options(), &mut self.state, work) {
            Ok(true) => self.next = Some(Chosen { left, ..chosen }),
            Ok(false) => self.choose(),
            Err(finding) => {
                self.fault = Some(finding.clone());
                return Err(finding);
            }
        }
        self.time += 1;
        Ok(())
    }

    /// Chooses the next turn, in the next workgroups if all SIMD-groups have stopped.
    fn choose(&mut self) {
        let (what, program, in_preamble) = (self.work, self.program(), self.in_preamble);
        let (teams, order) = (&mut self.teams, &mut self.order);
        let work = |machine: &mut Machine<'_>| {
            if let Some(next) = machine.next_turn(program, teams, in_preamble) {
                return (false, Some(next));
            }
            machine.end();
            let following = what.teams(machine, order);
            if following.is_empty() {
                return (false, None);
            }
            *teams = following;
            machine.begin(teams);
            (true, machine.next_turn(what.main(), teams, false))
        };
        let (is_next, next) = with_machine(&mut self.memory, what.options(), &mut self.state, work);
        if is_next && self.in_preamble {
            self.in_preamble = false;
            self.counts = Counts::new(what.main());
        }
        self.next = next;
    }
}

/// Runs `work` on a machine that continues from `state`.
fn with_machine<R>(
    memory: &mut Memory,
    options: &Options,
    state: &mut Option<State>,
    work: impl FnOnce(&mut Machine<'_>) -> R,
) -> R {
    let before = state.take().expect("invariant: no instruction is executing");
    let mut machine = Machine::with(memory, options, before);
    let result = work(&mut machine);
    *state = Some(machine.into_state());
    result
}
