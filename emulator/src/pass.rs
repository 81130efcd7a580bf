//! Render passes: for each tile the background program, the draws, and the program that stores the tile.
//!
//! Every tile has tile memory of its own with undefined contents at its start. Tiles run in an order that the seed selects, or on
//! several threads if the order does not affect the result. Hardware visits the tiles of a pass several times if the
//! parameter buffer is full; each visit has the primitives since the one before.

use std::ops::ControlFlow;
use std::sync::Arc;

use crate::dispatch::{Options, Stop};
use crate::draw::{Draw, Shading, Stage, frame, history, watcher};
use crate::exec::stack;
use crate::findings::Finding;
use crate::fragments::{Running, cover, shade_primitives};
use crate::frame::{Frame, Framebuffer, Primitive, Tests};
use crate::geometry::Geometry;
use crate::hidden::Hidden;
use crate::history::Touch;
use crate::machine::{Job, Machine, Team, conclude};
use crate::machine_state::{State, threads};
use crate::memory::{Memory, MemoryFault};
use crate::permutation::Permutation;
use crate::profile::Report;
use crate::rng::{Garbage, Rng};
use crate::workers::{self, Outcome};

/// Minimum number of pixels of tiles for which they are distributed over threads.
const LEAST_SHARED: u64 = 4096;

/// The framebuffer of a pass.
#[derive(Clone, Copy, Debug)]
pub struct PassShape {
    /// Pixels along x and y.
    pub size: [u32; 2],
    /// Layers.
    pub layers: u32,
    /// Pixels of a tile along x and y.
    pub tile: [u32; 2],
    /// Samples of a pixel.
    pub samples: u32,
    /// Bytes of a sample.
    pub sample_bytes: u32,
    /// Positions of the samples in a pixel.
    pub sample_positions: [[f64; 2]; 4],
    /// Whether depth is a 16-bit normalised number.
    pub depth_unorm16: bool,
    /// Depth and stencil at the start of a tile, unless they are loaded.
    pub clear: (f32, u8),
}

impl PassShape {
    /// Tiles along x and y.
    fn tiles(&self) -> [u32; 2] {
        [0, 1].map(|axis| self.size[axis].div_ceil(self.tile[axis].max(1)))
    }

    /// Number of tiles of all layers.
    pub fn count(&self) -> u64 {
        let [across, down] = self.tiles();
        u64::from(across) * u64::from(down) * u64::from(self.layers)
    }

    /// The layer and the pixels of a tile.
    fn tile(&self, number: u64) -> (u32, [u32; 4]) {
        let [across, down] = self.tiles().map(u64::from);
        let place = [number % across, number / across % down];
        let first = [0, 1].map(|axis| place[axis] as u32 * self.tile[axis]);
        let end = [0, 1].map(|axis| (first[axis] + self.tile[axis]).min(self.size[axis]));
        ((number / across / down) as u32, [first[0], first[1], end[0], end[1]])
    }

    /// Empty tile memory.
    fn memory(&self) -> Framebuffer {
        let mut memory = Framebuffer::new(0, 0, self.samples, self.sample_bytes);
        (memory.sample_positions, memory.depth_unorm16) = (self.sample_positions, self.depth_unorm16);
        memory
    }
}

/// Depth and stencil in memory, which the hardware loads and stores without programs.
pub trait TileDepth: Sync {
    /// Loads those of a tile before its background program.
    ///
    /// # Errors
    /// Memory is not accessible.
    fn load(&self, memory: &Memory, tile: &mut Framebuffer, layer: u32) -> Result<(), MemoryFault>;

    /// Stores those of a tile after its end-of-tile program.
    ///
    /// # Errors
    /// Memory is not accessible.
    fn store(&self, memory: &mut Memory, tile: &Framebuffer, layer: u32) -> Result<(), MemoryFault>;
}

/// An end-of-tile program for one tile.
#[derive(Clone, Debug)]
pub struct EndOfTile<'a> {
    /// The program.
    pub stage: Stage<'a>,
    /// The layer that the tile belongs to.
    pub layer: u32,
    /// Options of the run.
    pub options: Options,
}

/// Runs an end-of-tile program for a tile.
///
/// # Errors
/// The machine stopped on a fatal finding.
pub fn end_of_tile(memory: &mut Memory, tile: &mut Framebuffer, end: &EndOfTile<'_>) -> Result<Report, Stop> {
    let stage = &end.stage;
    let mut machine = Machine::new(memory, &end.options, stage.uniforms, stage.states);
    let mut frame = Frame { layer: end.layer, ..frame(tile, Tests::default(), false) };
    let mut counts = Running::new(stage);
    let preamble = counts.preamble(&mut machine, stage);
    let outcome = preamble.and_then(|()| store(&mut machine, &mut frame, stage, &mut counts));
    std::mem::swap(tile, &mut frame.buffer);
    let programs: Vec<_> = counts.programs(stage).collect();
    conclude(outcome, machine.report(&programs))
}

/// Runs an end-of-tile program without its preamble.
fn store(machine: &mut Machine<'_>, frame: &mut Frame, stage: &Stage<'_>, counts: &mut Running) -> Outcome {
    let size = [1; 3];
    let stack_words = stack::limit_words(stage.scratch_bytes);
    let job = Job { workgroup_size: size, full_size: size, stack_words, ..Job::default() };
    let mut group = machine.group(0, 1);
    group.workgroup = [0, 0, frame.layer];
    let mut teams = [Team::alone(group, machine.local(0))];
    machine.execute(stage.program, &mut counts.main, &mut teams, job, Some(frame))
}

/// A draw whose primitives are in the parameter buffer.
#[derive(Clone, Debug)]
pub struct Binned<'a> {
    /// The draw; its vertices do not matter any more.
    pub draw: Draw<'a>,
    /// Its primitives.
    pub geometry: &'a Geometry,
}

/// A visit to the tiles of a pass.
pub struct Visit<'a> {
    /// The framebuffer.
    pub shape: PassShape,
    /// The program that fills tile memory.
    pub background: Stage<'a>,
    /// The draws.
    pub draws: &'a [Binned<'a>],
    /// The program that stores the tile.
    pub end: Stage<'a>,
    /// Whether tiles without primitives are visited.
    pub empty_tiles: bool,
    /// Depth and stencil in memory.
    pub depth: &'a dyn TileDepth,
    /// Options of the run.
    pub options: Options,
}

/// What came of a visit.
#[derive(Debug)]
pub struct Visited {
    /// The background program in all tiles.
    pub background: Result<Report, Stop>,
    /// The fragment programs of each draw in all tiles, and the number of its samples that passed the tests.
    pub draws: Vec<(Result<Report, Stop>, u64)>,
    /// The end-of-tile program in all tiles.
    pub end: Result<Report, Stop>,
    /// Depth or stencil that could not be loaded or stored; no further tiles were visited.
    pub fault: Option<MemoryFault>,
}

/// Renders the tiles of a pass.
pub fn render_tiles<'a>(memory: &mut Memory, visit: &Visit<'a>) -> Visited {
    let bins = Bins::new(visit);
    let order = Permutation::new(visit.shape.count(), visit.options.seed);
    let order: Vec<u64> = order.filter(|tile| visit.empty_tiles || !bins.of(*tile).is_empty()).collect();
    let mut worker = Worker::new(visit);
    worker.preambles(memory, visit);
    match shared(memory, visit, order.len()) {
        0 | 1 => _ = order.iter().try_for_each(|tile| worker.tile(memory, visit, &bins, *tile)),
        threads => {
            let owned = (0..threads).map(|_| (memory.clone(), worker.another(visit))).collect();
            let run = |(memory, worker): &mut (Memory, Worker<'a>), piece: u64| {
                worker.tile(memory, visit, &bins, order[piece as usize])
            };
            let workers = workers::on_threads(owned, order.len() as u64, run);
            workers.into_iter().for_each(|(_, other)| worker.join(other));
        }
    }
    worker.visited(&visit.options)
}

/// Number of threads for a visit to a number of tiles.
fn shared(memory: &Memory, visit: &Visit<'_>, tiles: usize) -> usize {
    let pixels = visit.shape.tile.iter().map(|side| u64::from(*side)).product::<u64>();
    if (tiles as u64).saturating_mul(pixels) < LEAST_SHARED {
        return 1;
    }
    let fragments = visit.draws.iter().map(|binned| &binned.draw.fragment);
    let stages = fragments.chain([&visit.background, &visit.end]);
    threads(&visit.options, memory, stages.map(|stage| stage.program)).min(tiles)
}

/// The primitives of each tile: numbers of the draw and of the primitive in it.
struct Bins(Vec<Vec<[u32; 2]>>);

impl Bins {
    fn new(visit: &Visit<'_>) -> Bins {
        let shape = &visit.shape;
        let mut bins = vec![Vec::new(); shape.count() as usize];
        let [across, down] = shape.tiles();
        for (number, binned) in visit.draws.iter().enumerate() {
            for (at, prepared) in binned.geometry.primitives().iter().enumerate() {
                let entry = [number as u32, at as u32];
                for polygon in &prepared.polygons {
                    let [left, top, right, bottom] = polygon.bounds();
                    let [width, height] = shape.tile.map(|side| side.max(1));
                    for y in top / height..bottom.div_ceil(height).min(down) {
                        for x in left / width..right.div_ceil(width).min(across) {
                            let tile = (prepared.layer * down + y) as usize * across as usize + x as usize;
                            if let Some(bin) = bins.get_mut(tile).filter(|bin| bin.last() != Some(&entry)) {
                                bin.push(entry);
                            }
                        }
                    }
                }
            }
        }
        Bins(bins)
    }

    fn of(&self, tile: u64) -> &[[u32; 2]] {
        self.0.get(tile as usize).map_or(&[], Vec::as_slice)
    }
}

/// A stage of the pass from tile to tile.
struct Runner<'a> {
    stage: Stage<'a>,
    state: Option<State>,
    counts: Running,
    fault: Option<Box<Finding>>,
    /// Samples that passed the tests.
    passed: u64,
    /// The fragments that touched the pixel that is watched.
    history: Vec<Touch>,
}

impl<'a> Runner<'a> {
    fn new(stage: Stage<'a>, garbage: &Arc<Garbage>, options: &Options) -> Runner<'a> {
        let state = State::new(garbage.clone(), options, stage.uniforms, stage.states);
        Runner {
            stage,
            state: Some(state),
            counts: Running::new(&stage),
            fault: None,
            passed: 0,
            history: Vec::new(),
        }
    }

    /// The same stage for another thread.
    fn another(&self) -> Runner<'a> {
        Runner {
            stage: self.stage,
            state: self.state.as_ref().map(State::for_worker),
            counts: Running::new(&self.stage),
            fault: self.fault.clone(),
            passed: 0,
            history: Vec::new(),
        }
    }

    /// Runs a part of the stage, unless an earlier part faulted.
    fn run(
        &mut self,
        memory: &mut Memory,
        options: &Options,
        work: impl FnOnce(&mut Machine<'_>, &Stage<'a>, &mut Running) -> Outcome,
    ) {
        if self.fault.is_some() {
            return;
        }
        let Some(state) = self.state.take() else { return };
        let mut machine = Machine::with(memory, options, state);
        self.fault = work(&mut machine, &self.stage, &mut self.counts).err();
        self.state = Some(machine.into_state());
    }

    /// Adds what another thread counted.
    fn join(&mut self, other: Runner<'_>) {
        self.counts.merge(&other.counts);
        self.passed += other.passed;
        if let Some((state, other)) = self.state.as_mut().zip(other.state) {
            state.add_traffic(other.traffic);
        }
        self.fault = self.fault.take().or(other.fault);
    }

    fn report(self, options: &Options) -> Result<Report, Stop> {
        let programs: Vec<_> = self.counts.programs(&self.stage).collect();
        let mut report = self.state.map(|state| state.report(options, &programs)).unwrap_or_default();
        report.history = self.history;
        conclude(self.fault.map_or(Ok(()), Err), report)
    }
}

/// A thread's tile memory, and the stages of the pass.
struct Worker<'a> {
    frame: Frame,
    background: Runner<'a>,
    draws: Vec<Runner<'a>>,
    end: Runner<'a>,
    fault: Option<MemoryFault>,
}

impl<'a> Worker<'a> {
    fn new(visit: &Visit<'a>) -> Worker<'a> {
        let garbage = Arc::new(Garbage::new(visit.options.seed));
        let runner = |stage| Runner::new(stage, &garbage, &visit.options);
        Worker {
            frame: Frame {
                watcher: watcher(&visit.options),
                hidden: visit.options.strict.then(Hidden::default),
                ..Frame::new(visit.shape.memory())
            },
            background: runner(visit.background),
            draws: visit.draws.iter().map(|binned| runner(binned.draw.fragment)).collect(),
            end: runner(visit.end),
            fault: None,
        }
    }

    fn another(&self, visit: &Visit<'_>) -> Worker<'a> {
        Worker {
            frame: Frame::new(visit.shape.memory()),
            background: self.background.another(),
            draws: self.draws.iter().map(Runner::another).collect(),
            end: self.end.another(),
            fault: None,
        }
    }

    /// Runs the preambles of all stages that will run.
    fn preambles(&mut self, memory: &mut Memory, visit: &Visit<'_>) {
        let draws = self.draws.iter_mut().zip(visit.draws);
        let draws = draws.filter(|(_, binned)| {
            binned.draw.more.shading != Shading::Tests && !binned.geometry.primitives().is_empty()
        });
        let runners = draws.map(|(runner, _)| runner).chain([&mut self.background, &mut self.end]);
        for runner in runners {
            runner.run(memory, &visit.options, |machine, stage, counts| counts.preamble(machine, stage));
        }
    }

    /// Renders a tile.
    fn tile(&mut self, memory: &mut Memory, visit: &Visit<'a>, bins: &Bins, number: u64) -> ControlFlow<()> {
        let (layer, pixels) = visit.shape.tile(number);
        self.frame.layer = layer;
        let (depth, stencil) = visit.shape.clear;
        let buffer = &mut self.frame.buffer;
        buffer.move_to(pixels);
        buffer.spoil(Rng::new(visit.options.seed ^ number.rotate_left(32)).next());
        buffer.clear_depth_stencil(depth, stencil);
        if let Err(fault) = visit.depth.load(memory, buffer, layer) {
            return self.stop(fault);
        }
        let hidden = self.frame.hidden.take();
        self.fill(memory, &visit.options, pixels);
        self.frame.hidden = hidden.map(|hidden| hidden.started(self.frame.buffer.count()));
        for entries in bins.of(number).chunk_by(|a, b| a[0] == b[0]) {
            self.draw(memory, visit, entries);
        }
        self.leave(memory, &visit.options);
        match visit.depth.store(memory, &self.frame.buffer, layer) {
            Ok(()) => ControlFlow::Continue(()),
            Err(fault) => self.stop(fault),
        }
    }

    fn stop(&mut self, fault: MemoryFault) -> ControlFlow<()> {
        self.fault = Some(fault);
        ControlFlow::Break(())
    }

    /// Runs the background program.
    fn fill(&mut self, memory: &mut Memory, options: &Options, pixels: [u32; 4]) {
        let Worker { frame, background, .. } = self;
        (frame.tests, frame.late_tests, frame.primitive) = (Tests::default(), false, Primitive::default());
        if let Some(watcher) = &mut frame.watcher {
            watcher.primitive = [0; 2];
        }
        background
            .run(memory, options, |machine, stage, counts| cover(machine, frame, pixels, stage, counts));
        background.history.extend(history(frame));
    }

    /// Shades primitives of a draw.
    fn draw(&mut self, memory: &mut Memory, visit: &Visit<'a>, entries: &[[u32; 2]]) {
        let Worker { frame, draws, .. } = self;
        let Some(number) = entries.first().map(|[number, _]| *number as usize) else { return };
        let (Some(binned), Some(runner)) = (visit.draws.get(number), draws.get_mut(number)) else { return };
        let all = binned.geometry.primitives();
        let primitives = entries.iter().filter_map(|[_, at]| all.get(*at as usize));
        frame.buffer.passed = 0;
        runner.run(memory, &visit.options, |machine, _, counts| {
            shade_primitives(machine, frame, primitives, &binned.draw, counts)
        });
        runner.passed += frame.buffer.passed;
        runner.history.extend(history(frame));
    }

    /// Runs the end-of-tile program.
    fn leave(&mut self, memory: &mut Memory, options: &Options) {
        let Worker { frame, end, .. } = self;
        (frame.tests, frame.late_tests) = (Tests::default(), false);
        end.run(memory, options, |machine, stage, counts| store(machine, frame, stage, counts));
    }

    /// Adds what another thread did.
    fn join(&mut self, other: Worker<'_>) {
        self.background.join(other.background);
        self.draws.iter_mut().zip(other.draws).for_each(|(own, other)| own.join(other));
        self.end.join(other.end);
        self.fault = self.fault.take().or(other.fault);
    }

    fn visited(self, options: &Options) -> Visited {
        let drawn = |runner: Runner<'_>| {
            let passed = runner.passed;
            (runner.report(options), passed)
        };
        Visited {
            background: self.background.report(options),
            draws: self.draws.into_iter().map(drawn).collect(),
            end: self.end.report(options),
            fault: self.fault,
        }
    }
}
