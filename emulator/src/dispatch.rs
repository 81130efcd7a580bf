//! Runs a grid of workgroups: preamble, SIMD-groups, barriers, the seeded scheduler.
//!
//! Workgroups run one after the other, in an order that the seed determines, or on several threads if the order does
//! not affect the result. Within a workgroup the SIMD-groups alternate after random numbers of instructions. A program
//! whose result depends on the seed has a race or lacks a barrier.

use thiserror::Error;

use crate::captured::Capture;
use crate::exec::stack;
use crate::findings::{Finding, FindingKind};
use crate::frame::{Frame, Framebuffer};
use crate::group::{Group, LANES};
use crate::machine::{Job, Machine, Team, conclude};
use crate::memory::Memory;
use crate::mutant::Mutant;
use crate::notebook::{finding, text_of};
use crate::order::MemoryOrder;
use crate::permutation::Permutation;
use crate::profile::{Counts, Report};
use crate::program::Program;
use crate::textures::States;
use crate::workers;

/// Maximum number of concurrent workgroups with relaxed memory.
const WORKGROUPS_TOGETHER: u64 = 4;
/// Number of lanes for which a thread of the host is worthwhile.
const LANES_PER_WORKER: u64 = 1024;
/// Maximum number of threads in a workgroup.
const WORKGROUP_THREADS: u64 = 1024;

/// Options of a run.
#[derive(Clone, Debug)]
pub struct Options {
    /// Report errors that hardware ignores silently.
    pub strict: bool,
    /// Seed of undefined values and of the interleaving; 0 runs workgroups in grid order.
    pub seed: u64,
    /// Maximum number of instructions of a SIMD-group before [`FindingKind::StepLimit`] ends the run.
    pub max_steps: u64,
    /// Maximum number of instructions of all SIMD-groups together, preambles included, before
    /// [`FindingKind::BudgetSpent`] ends the run.
    pub budget: u64,
    /// Write a line for every executed instruction to [`Report::trace`].
    pub trace: bool,
    /// Failing device accesses read 0 and write nothing, as drivers configure the hardware for robustness.
    pub soft_fault: bool,
    /// Detect data races, byte by byte. Slow.
    pub races: bool,
    /// Change results of reciprocals, roots, logarithms, exponentials and sines by up to one unit in the last place,
    /// depending on the seed: their exact rounding on hardware is not known.
    pub perturb: bool,
    /// When SIMD-groups see each other's stores, and when results of asynchronous operations arrive.
    pub memory_order: MemoryOrder,
    /// Break an operation, to test whether a test detects it.
    pub mutant: Option<Mutant>,
    /// Count executions for each instruction into [`Report::profile`].
    pub profile: bool,
    /// Parts of a draw to keep.
    pub watch: Watch,
    /// Threads of the host that may share the work: workgroups of a dispatch, bands of rows of a draw. The result is
    /// the same for any number. Strict runs, traces, relaxed memory, memory with ranges other than [`Window`]s, and
    /// programs with device atomics use one thread.
    ///
    /// [`Window`]: crate::Window
    pub threads: u32,
}

/// Parts of a draw to keep. One thread then runs it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Watch {
    /// Write the history of this pixel to [`Report::history`]. With relaxed memory it has only the latest of concurrent
    /// fragments.
    pub history: Option<[u32; 2]>,
    /// Keep a SIMD-group in [`Report::captured`].
    pub capture: Option<Capture>,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            strict: true,
            seed: 0,
            max_steps: 1 << 24,
            budget: u64::MAX,
            trace: false,
            soft_fault: false,
            races: false,
            perturb: false,
            memory_order: MemoryOrder::Sequential,
            mutant: None,
            profile: false,
            watch: Watch::default(),
            threads: 1,
        }
    }
}

/// A compute dispatch.
#[derive(Clone, Debug)]
pub struct Dispatch<'a> {
    /// The program.
    pub program: &'a Program,
    /// A program that one lane runs first, to set uniforms.
    pub preamble: Option<&'a Program>,
    /// Uniform half-words from 0 on; reading others is a finding.
    pub uniforms: &'a [u16],
    /// Texture and sampler state as the driver loads it.
    pub states: States<'a>,
    /// Workgroups along x, y, z.
    pub workgroups: [u32; 3],
    /// Lanes of a workgroup along x, y, z; at most 1024 together.
    pub workgroup_size: [u32; 3],
    /// Threads along x, y, z, if workgroups at the edges are partial.
    pub threads: Option<[u32; 3]>,
    /// The tile that programs of the driver use instead of local memory; every workgroup has its own.
    pub tile: Option<Tile>,
    /// Local memory of a workgroup in bytes.
    pub local_bytes: u32,
    /// Stack memory per lane in bytes, as reported for the shader.
    pub scratch_bytes: u32,
    /// Options of the run.
    pub options: Options,
}

impl<'a> Dispatch<'a> {
    /// One workgroup of a program that reads nothing that a driver sets.
    pub fn new(program: &'a Program, workgroup_size: [u32; 3]) -> Dispatch<'a> {
        Dispatch {
            program,
            preamble: None,
            uniforms: &[],
            states: States::default(),
            workgroups: [1; 3],
            workgroup_size,
            threads: None,
            tile: None,
            local_bytes: 0,
            scratch_bytes: 0,
            options: Options::default(),
        }
    }
}

impl Dispatch<'_> {
    /// Lanes of a workgroup.
    pub(crate) fn workgroup_threads(&self) -> u64 {
        self.workgroup_size.iter().map(|extent| u64::from(*extent)).product()
    }

    /// Number of workgroups.
    pub(crate) fn count(&self) -> u64 {
        let count = self.workgroups.iter().map(|extent| u128::from(*extent)).product::<u128>();
        u64::try_from(count).unwrap_or(u64::MAX)
    }

    /// The parameters of the program.
    pub(crate) fn job(&self) -> Job {
        Job {
            workgroup_size: self.workgroup_size,
            full_size: self.workgroup_size,
            stack_words: stack::limit_words(self.scratch_bytes),
            preamble: false,
        }
    }
}

/// Rejects workgroups that are too large.
pub(crate) fn check(machine: &Machine<'_>, dispatch: &Dispatch<'_>) -> Result<(), Box<Finding>> {
    if dispatch.workgroup_threads() <= WORKGROUP_THREADS {
        return Ok(());
    }
    let kind = FindingKind::Unsupported("more than 1024 threads in a workgroup");
    Err(Box::new(finding(kind.into(), text_of(None), false, &machine.group(0, 1))))
}

/// A tile of a compute program; `st_tile` and `imgwblk` address its pixels by coordinates.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Tile {
    /// Pixels along x and y.
    pub size: [u32; 2],
    /// Samples of a pixel.
    pub samples: u32,
    /// Bytes of a sample.
    pub bytes_per_sample: u32,
}

/// A run that stopped early.
#[derive(Clone, Debug, Error)]
#[error("{finding}")]
pub struct Stop {
    /// The reason.
    pub finding: Box<Finding>,
    /// The report so far; its findings end with the fatal one.
    pub report: Box<Report>,
}

/// Runs a dispatch to its end, or to the first fatal finding.
pub fn dispatch(memory: &mut Memory, dispatch: &Dispatch<'_>) -> Result<Report, Stop> {
    let mut machine = Machine::new(memory, &dispatch.options, dispatch.uniforms, dispatch.states);
    let mut counts = Counts::new(dispatch.program);
    let mut preamble_counts = dispatch.preamble.map(Counts::new);
    let outcome = run(&mut machine, dispatch, &mut counts, preamble_counts.as_mut());
    let preamble = dispatch.preamble.zip(preamble_counts.as_ref());
    let programs: Vec<_> = preamble.into_iter().chain([(dispatch.program, &counts)]).collect();
    conclude(outcome, machine.report(&programs))
}

fn run(
    machine: &mut Machine<'_>,
    dispatch: &Dispatch<'_>,
    counts: &mut Counts,
    preamble_counts: Option<&mut Counts>,
) -> Result<(), Box<Finding>> {
    let (threads, count) = (dispatch.workgroup_threads(), dispatch.count());
    check(machine, dispatch)?;
    if let Some((program, counts)) = dispatch.preamble.zip(preamble_counts) {
        machine.preamble(program, counts, dispatch.scratch_bytes)?;
    }
    if threads == 0 {
        return Ok(());
    }
    let job = dispatch.job();
    let worth = count.min(count.saturating_mul(threads) / LANES_PER_WORKER);
    match machine.threads(dispatch.program).min(worth.try_into().unwrap_or(usize::MAX)) {
        0 | 1 => run_in_turn(machine, dispatch, counts, job, count),
        workers => run_shared(machine, dispatch, counts, job, (count, workers)),
    }
}

/// Runs the workgroups one after the other, or a few concurrently with relaxed memory.
fn run_in_turn(
    machine: &mut Machine<'_>,
    dispatch: &Dispatch<'_>,
    counts: &mut Counts,
    job: Job,
    count: u64,
) -> Result<(), Box<Finding>> {
    let mut order = Permutation::new(count, dispatch.options.seed);
    loop {
        let mut teams = next_teams(machine, dispatch, &mut order);
        if teams.is_empty() {
            return Ok(());
        }
        machine.execute(dispatch.program, counts, &mut teams, job, None)?;
    }
}

/// The workgroups that run together next; none at the end.
pub(crate) fn next_teams(
    machine: &mut Machine<'_>,
    dispatch: &Dispatch<'_>,
    order: &mut Permutation,
) -> Vec<Team> {
    let together = machine.teams_together(WORKGROUPS_TOGETHER);
    order.by_ref().take(together).map(|number| team(machine, dispatch, number)).collect()
}

/// Runs the workgroups on several threads.
fn run_shared(
    machine: &mut Machine<'_>,
    dispatch: &Dispatch<'_>,
    counts: &mut Counts,
    job: Job,
    (count, threads): (u64, usize),
) -> Result<(), Box<Finding>> {
    let own = || Counts::new(dispatch.program);
    let (shares, outcome) = workers::share(machine, threads, count, own, |worker, number, counts| {
        let mut teams = [team(worker, dispatch, number)];
        worker.execute(dispatch.program, counts, &mut teams, job, None)
    });
    shares.iter().for_each(|share| counts.merge(share));
    outcome
}

/// A new workgroup, by its number in the grid.
fn team(machine: &mut Machine<'_>, dispatch: &Dispatch<'_>, number: u64) -> Team {
    let [width, height, _] = dispatch.workgroups.map(u64::from);
    let position = [number % width, number / width % height, number / width / height];
    let position = position.map(|at| at as u32);
    let size = size_at(dispatch, position);
    machine.begin_workgroup(number);
    let groups = workgroup(machine, size.iter().product(), position);
    let tile = dispatch.tile.map(|tile| Box::new(compute_frame(tile)));
    Team { groups, local: machine.local(dispatch.local_bytes), size, tile, helper: None }
}

/// The size of the workgroup at a position, which may be partial at the edge of the grid.
fn size_at(dispatch: &Dispatch<'_>, position: [u32; 3]) -> [u32; 3] {
    let full = dispatch.workgroup_size;
    let Some(threads) = dispatch.threads else { return full };
    [0, 1, 2]
        .map(|axis| full[axis].min(threads[axis].saturating_sub(position[axis].saturating_mul(full[axis]))))
}

/// The frame of a compute program with a tile.
fn compute_frame(tile: Tile) -> Frame {
    let [width, height] = tile.size;
    Frame::new(Framebuffer::new(width, height, tile.samples, tile.bytes_per_sample))
}

/// The SIMD-groups of a workgroup; the last one may be partial.
fn workgroup(machine: &Machine<'_>, threads: u32, position: [u32; 3]) -> Vec<Group> {
    let make = |index| {
        let mut group = machine.group(index, threads - index * LANES as u32);
        group.workgroup = position;
        group
    };
    (0..threads.div_ceil(LANES as u32)).map(make).collect()
}
