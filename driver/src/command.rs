//! Command buffers: encode commands as control streams.
//!
//! A primary command buffer is encoded while it is recorded. A secondary one stores its commands and is encoded when it
//! is executed, because its render targets are known only then.

use std::collections::VecDeque;
use std::sync::Arc;

use agx_abi::record::{self as r, Packed};
use agx_abi::streams::AFTER_LAUNCH;

use crate::Error;
use crate::descriptor::{Set, SetLayout};
use crate::device::Device;
use crate::dirty::Dirty;
use crate::kernels::Kernel;
use crate::physical::GRAPHICS_STAGES;
use crate::pipeline::ComputePipeline;
use crate::program::Program;
use crate::render::{DrawNumbers, Graphics, Pass, PassInfo, conditionally};
use crate::results_memory::Shared;
use crate::sampler_heap;
use crate::scratch::{self, Stacks};
use crate::setting::{AnySetting, Setting};
use crate::upload::{Stream, Upload};
use crate::words::{
    Assembled, Bound, Direct, Numbers, Sources, State, Words, assemble, kernel_words, short_words,
};
use ash::vk;

/// Lanes of a SIMD-group.
const SIMD_LANES: u32 = 32;

/// A command of the kernel: its structure.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum KernelCommand {
    /// A render pass.
    Render(RenderCommand),
    /// A compute stream.
    Compute(ComputeCommand),
}

/// The structure of a render pass.
pub type RenderCommand = Packed<{ r::render_command::RECORD.bytes }>;
/// The structure of a compute stream.
pub type ComputeCommand = Packed<{ r::compute_command::RECORD.bytes }>;

/// A command of a secondary command buffer.
enum Step {
    /// A setting of the state of draws.
    Set(AnySetting),
    /// A draw: its parameters, and whether it has indices.
    Draw(DrawNumbers, bool),
    /// The commands of another secondary command buffer.
    Execute(Arc<Kept>),
    /// Any other.
    Other(Box<dyn Fn(&mut Recorder) -> Result<(), Error> + Send + Sync>),
}

impl Step {
    fn execute(&self, recorder: &mut Recorder) -> Result<(), Error> {
        match self {
            Step::Set(setting) => setting.apply(&mut recorder.graphics),
            Step::Draw(numbers, indexed) => recorder.draw(*numbers, *indexed, 0)?,
            Step::Execute(kept) => recorder.execute(&kept.steps)?,
            Step::Other(step) => step(recorder)?,
        }
        Ok(())
    }
}

/// The commands of a secondary command buffer.
#[derive(Default)]
struct Kept {
    steps: Vec<Step>,
    /// Levels of command buffers that they execute.
    levels: u32,
}

/// Levels of secondary command buffers that a secondary one executes, at most: they are executed recursively.
pub const MAX_NESTED_LEVELS: u32 = 32;

/// Kinds of command buffers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Level {
    /// Submitted by the application.
    Primary,
    /// Executed by other command buffers.
    Secondary,
}

/// The commands that a primary command buffer submits, with their memory.
struct Finished {
    commands: Arc<Vec<KernelCommand>>,
    _upload: Upload,
}

/// A command buffer. Whoever calls its methods has it alone: applications synchronise access to command buffers themselves.
pub struct CommandBuffer {
    device: Arc<Device>,
    level: Level,
    /// The recorder of a primary command buffer, while commands are recorded.
    recorder: Option<Box<Recorder>>,
    /// The recorder for the next commands.
    spare: Option<Box<Recorder>>,
    /// The commands of a secondary command buffer, while they are recorded.
    kept: Kept,
    /// The commands of a secondary command buffer that has ended.
    executable: Option<Arc<Kept>>,
    error: Option<Error>,
    finished: Option<Finished>,
}

impl CommandBuffer {
    /// An empty command buffer.
    pub fn new(device: Arc<Device>, level: Level) -> CommandBuffer {
        let (recorder, spare, kept, executable, error, finished) = Default::default();
        CommandBuffer { device, level, recorder, spare, kept, executable, error, finished }
    }

    /// The device.
    pub fn device(&self) -> &Arc<Device> {
        &self.device
    }

    /// Begins recording again.
    pub fn begin(&mut self) {
        self.reset();
        if self.level == Level::Primary {
            let recorder = self.spare.take();
            self.recorder = Some(recorder.unwrap_or_else(|| Box::new(Recorder::new(self.device.clone()))));
        }
    }

    /// Discards the recorded commands, and ends recording.
    pub fn reset(&mut self) {
        // The memory of commands that no other buffer executes is used again.
        if let Some(Ok(kept)) = self.executable.take().map(Arc::try_unwrap) {
            self.kept = kept;
        }
        self.kept.steps.clear();
        self.kept.levels = 0;
        (self.error, self.finished) = (None, None);
        if let Some(mut recorder) = self.recorder.take() {
            recorder.take();
            self.spare = Some(recorder);
        }
    }

    /// Ends recording.
    ///
    /// # Errors
    /// The first error of a command.
    pub fn end(&mut self) -> Result<(), Error> {
        if let Some(mut recorder) = self.recorder.take() {
            let result = recorder.end_compute();
            let (commands, upload) = recorder.take();
            self.spare = Some(recorder);
            self.finished = Some(Finished { commands: Arc::new(commands), _upload: upload });
            result.unwrap_or_else(|error| self.fail(error));
        }
        if self.level == Level::Secondary {
            self.executable = Some(Arc::new(std::mem::take(&mut self.kept)));
        }
        self.error.take().map_or(Ok(()), Err)
    }

    /// Records a command.
    #[inline]
    pub fn record(&mut self, step: impl Fn(&mut Recorder) -> Result<(), Error> + Send + Sync + 'static) {
        match &mut self.recorder {
            Some(recorder) => step(recorder).unwrap_or_else(|error| self.fail(error)),
            None => self.keep(step),
        }
    }

    /// Records a command from borrowed data: a secondary command buffer keeps what `later` returns.
    #[inline]
    pub fn record_borrowed<Later>(
        &mut self,
        now: impl FnOnce(&mut Recorder) -> Result<(), Error>,
        later: impl FnOnce() -> Later,
    ) where
        Later: Fn(&mut Recorder) -> Result<(), Error> + Send + Sync + 'static,
    {
        match &mut self.recorder {
            Some(recorder) => now(recorder).unwrap_or_else(|error| self.fail(error)),
            None => self.keep_borrowed(later),
        }
    }

    /// Sets a part of the state of draws.
    #[inline(always)]
    pub fn set<T: PartialEq + Copy>(&mut self, setting: Setting<T>)
    where
        AnySetting: From<Setting<T>>,
    {
        match &mut self.recorder {
            Some(recorder) => setting.apply(&mut recorder.graphics),
            None => self.keep_step(Step::Set(setting.into())),
        }
    }

    /// Records a draw.
    #[inline(always)]
    pub fn draw(&mut self, numbers: DrawNumbers, indexed: bool) {
        match &mut self.recorder {
            Some(recorder) => {
                recorder.draw(numbers, indexed, 0).unwrap_or_else(|error| self.fail(error));
            }
            None => self.keep_step(Step::Draw(numbers, indexed)),
        }
    }

    #[inline(never)]
    fn keep_borrowed<Later>(&mut self, later: impl FnOnce() -> Later)
    where
        Later: Fn(&mut Recorder) -> Result<(), Error> + Send + Sync + 'static,
    {
        self.keep(later());
    }

    /// Keeps a command of a secondary command buffer. Without recorder, a primary one is not being recorded.
    #[inline(never)]
    fn keep(&mut self, step: impl Fn(&mut Recorder) -> Result<(), Error> + Send + Sync + 'static) {
        self.keep_step(Step::Other(Box::new(step)));
    }

    #[inline(never)]
    fn keep_step(&mut self, step: Step) {
        if self.level == Level::Secondary {
            self.kept.steps.push(step);
        }
    }

    /// Notes the error of a command; the first stays.
    #[cold]
    fn fail(&mut self, error: Error) {
        self.error.get_or_insert(error);
    }

    /// Executes secondary command buffers. Their state is discarded.
    pub fn execute<'o>(&mut self, others: impl Iterator<Item = &'o CommandBuffer>) {
        for kept in others.filter_map(|other| other.executable.as_ref()) {
            let result = match &mut self.recorder {
                Some(recorder) => recorder.execute(&kept.steps),
                None => self.keep_nested(kept),
            };
            result.unwrap_or_else(|error| self.fail(error));
        }
    }

    /// Keeps the execution of another secondary command buffer.
    ///
    /// # Errors
    /// Too many levels.
    fn keep_nested(&mut self, kept: &Arc<Kept>) -> Result<(), Error> {
        let levels = kept.levels + 1;
        if levels > MAX_NESTED_LEVELS {
            return Err(Error::Invalid { what: "command buffers are nested more deeply than the limit" });
        }
        self.kept.levels = self.kept.levels.max(levels);
        self.keep_step(Step::Execute(kept.clone()));
        Ok(())
    }

    /// The commands of the kernel.
    pub fn commands(&self) -> Arc<Vec<KernelCommand>> {
        self.finished.as_ref().map(|finished| finished.commands.clone()).unwrap_or_default()
    }
}

/// A compute stream with what its programs need.
struct Compute {
    stream: Stream,
    stacks: Stacks,
}

impl Compute {
    #[cold]
    fn new(upload: &mut Upload) -> Result<Compute, Error> {
        Ok(Compute { stream: Stream::new(upload, compute_link)?, stacks: Stacks::default() })
    }
}

/// Encodes commands.
pub struct Recorder {
    /// The device.
    pub device: Arc<Device>,
    /// Memory for streams and their data.
    pub upload: Upload,
    /// Finished commands.
    pub commands: Vec<KernelCommand>,
    compute: Option<Compute>,
    /// State of compute launches.
    pub compute_state: State,
    pipeline: Option<Arc<ComputePipeline>>,
    /// The words of the latest dispatch.
    launched: Assembled,
    /// State of draws.
    pub graphics: Graphics,
    /// The current pass.
    pub pass: Option<Box<Pass>>,
    /// An ended pass, whose memory the next one takes.
    pub(crate) ended: Option<Box<Pass>>,
    /// The subpasses after it.
    pub subpasses: VecDeque<PassInfo>,
    /// Memory that large and indirect draws of patches or with geometry shaders share.
    pub(crate) shared: Option<Shared>,
}

/// The size of a dispatch.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Groups {
    /// This number of workgroups.
    Direct([u32; 3]),
    /// The number of workgroups at an address.
    Indirect(u64),
}

/// As [`Recorder::run_kernel`], for a program of a test.
#[cfg(test)]
pub(crate) fn run_program(
    recorder: &mut Recorder,
    program: &Program,
    descriptors: &[Direct],
    threads: [u32; 3],
) -> Result<(), Error> {
    let Recorder { upload, compute, .. } = recorder;
    let words = kernel_words(upload, program, &[], descriptors)?;
    push_launch(compute, upload, (program, words), Grid::Threads(threads), workgroup(threads))?;
    recorder.barrier()
}

/// Writes a launch to the compute stream, which begins with the first launch.
#[inline(always)]
fn push_launch(
    compute: &mut Option<Compute>,
    upload: &mut Upload,
    (program, words): (&Program, Words),
    grid: Grid,
    workgroup: [u32; 3],
) -> Result<(), Error> {
    use r::launch::*;
    let mode = match grid {
        Grid::Threads(_) => 0,
        Grid::Indirect(_) => 1,
        Grid::IndirectThreads(_) => 2,
    };
    let Compute { stream, stacks } = started(compute, upload)?;
    stacks.add(program);
    let head = new().or(words.resources).set(&MODE, mode).set(&PIPELINE, words.pipeline).bits();
    let [head, pipeline] = [head as u32, (head >> 32) as u32];
    let [x, y, z] = workgroup;
    let end = AFTER_LAUNCH.bits();
    match grid {
        Grid::Threads([w, h, d]) => stream.push(upload, &[head, pipeline, w, h, d, x, y, z, end]),
        Grid::Indirect(address) => {
            let [high, low] = indirect_sizes(address);
            stream.push(upload, &[head, pipeline, high, low, x, y, z, end])
        }
        Grid::IndirectThreads(address) => {
            let [high, low] = indirect_sizes(address);
            stream.push(upload, &[head, pipeline, high, low, end])
        }
    }
}

/// The compute stream.
#[inline(always)]
fn started<'c>(compute: &'c mut Option<Compute>, upload: &mut Upload) -> Result<&'c mut Compute, Error> {
    match compute {
        Some(compute) => Ok(compute),
        None => Ok(compute.insert(Compute::new(upload)?)),
    }
}

/// Continues the compute stream at records elsewhere, which launch some of these programs and return.
///
/// # Errors
/// Out of memory.
pub(crate) fn call_launches<'p>(
    recorder: &mut Recorder,
    programs: impl Iterator<Item = &'p Program>,
    records: u64,
) -> Result<(), Error> {
    use r::compute_link::*;
    let Recorder { upload, compute, .. } = recorder;
    let Compute { stream, stacks } = started(compute, upload)?;
    programs.for_each(|program| stacks.add(program));
    let link = new()
        .set(&TARGET_HIGH, records >> 32)
        .set(&TARGET_LOW, records & 0xffff_ffff)
        .flag(&WITH_RETURN, true)
        .bits();
    stream.call(upload, [link as u32, (link >> 32) as u32])
}

/// Launches the bound pipeline.
#[inline(always)]
fn launch_groups(recorder: &mut Recorder, first: [u32; 3], groups: Groups) -> Result<(), Error> {
    let Recorder { device, upload, compute, compute_state: state, pipeline, launched, .. } = recorder;
    let Some(pipeline) = pipeline else {
        return Err(Error::Invalid { what: "a dispatch without pipeline" });
    };
    let program = &pipeline.program;
    let local = program.info.workgroup_size;
    let (numbers, grid) = match groups {
        Groups::Direct(groups) => {
            let threads = [0, 1, 2].map(|axis| groups[axis].wrapping_mul(local[axis]));
            (Numbers::Known(groups), Grid::Threads(threads))
        }
        Groups::Indirect(address) => (Numbers::Memory(address), Grid::Indirect(address)),
    };
    if state.launch.groups != numbers || state.launch.first_group != first {
        (state.launch.groups, state.launch.first_group) = (numbers, first);
        state.dirty |= Dirty::NUMBERS;
    }
    if state.dirty.intersects(program.uses()) {
        device.scratch.reserve(scratch::Stage::Compute, program)?;
        let sources = (&Sources::of_launch(state), state.dirty);
        launched.rewrite(upload, sources, program, None)?;
        state.dirty = Dirty::NONE;
    }
    push_launch(compute, upload, (program, launched.words), grid, local)
}

/// As [`launch_groups`], under a condition or while a query counts invocations.
#[cold]
fn dispatch_watched(recorder: &mut Recorder, first: [u32; 3], groups: Groups) -> Result<(), Error> {
    conditionally(recorder, |recorder| {
        launch_groups(recorder, first, groups)?;
        let Recorder { upload, pipeline, graphics, .. } = recorder;
        let Some((statistics, pipeline)) = graphics.feedback.statistics.zip(pipeline.as_ref()) else {
            return Ok(());
        };
        let groups = match groups {
            Groups::Direct(groups) => upload.put(groups.map(u32::to_le_bytes).as_flattened(), 16)?,
            Groups::Indirect(address) => address,
        };
        let local = pipeline.program.info.workgroup_size;
        recorder.count_dispatch(statistics, groups, local)
    })
}

/// Continues the compute stream at a link in memory; returns the address of the next record.
///
/// # Errors
/// Out of memory.
pub(crate) fn jump_launches(recorder: &mut Recorder, link: u64) -> Result<u64, Error> {
    let Recorder { upload, compute, .. } = recorder;
    let Compute { stream, .. } = started(compute, upload)?;
    stream.jump(upload, link)?;
    Ok(stream.place())
}

/// The address of the next record of the compute stream.
///
/// # Errors
/// Out of memory.
pub(crate) fn launches_end(recorder: &mut Recorder) -> Result<u64, Error> {
    let Recorder { upload, compute, .. } = recorder;
    Ok(started(compute, upload)?.stream.place())
}

/// Where sizes are.
fn indirect_sizes(address: u64) -> [u32; 2] {
    use r::indirect_sizes::*;
    let place = new().set(&ADDRESS_HIGH, address >> 32).set(&ADDRESS_LOW, address & 0xffff_ffff).bits();
    [place as u32, (place >> 32) as u32]
}

/// The size of a launch.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Grid {
    /// This number of threads. Workgroups at the edges may be partial.
    Threads([u32; 3]),
    /// The number of workgroups at an address.
    Indirect(u64),
    /// The number of threads at an address, followed by the workgroup size.
    IndirectThreads(u64),
}

/// Workgroup shapes for the driver's own programs.
const SHAPES: [[u32; 3]; 4] = [[64, 1, 1], [32, 2, 1], [16, 4, 1], [8, 8, 1]];

/// The shape that covers this number of threads with the fewest SIMD-groups, then the fewest workgroups; if equal, the
/// widest.
fn workgroup(threads: [u32; 3]) -> [u32; 3] {
    // No shape covers a row better than the widest, or rows that are multiples of it.
    if (threads[1] == 1 && threads[2] == 1) || threads[0].is_multiple_of(SHAPES[0][0]) {
        return SHAPES[0];
    }
    let groups = |shape: &[u32; 3]| {
        // Number of whole workgroups along an axis, and threads in the partial one at the edge.
        let parts = |axis: usize| {
            let (all, side) = (threads[axis], shape[axis]);
            [(u64::from(all / side), side), (u64::from(!all.is_multiple_of(side)), all % side)]
        };
        let pairs = parts(0).into_iter().flat_map(|x| parts(1).map(|y| (x, y)));
        let sizes = pairs.map(|((n, x), (m, y))| [n * m * u64::from((x * y).div_ceil(SIMD_LANES)), n * m]);
        sizes.fold([0, 0], |[a, b], [c, d]| [a + c, b + d])
    };
    SHAPES.into_iter().min_by_key(groups).unwrap_or(SHAPES[0])
}

/// A link in a compute stream.
pub(crate) fn compute_link(target: u64) -> [u8; 8] {
    use r::compute_link::*;
    new().set(&TARGET_HIGH, target >> 32).set(&TARGET_LOW, target & 0xffff_ffff).bytes()
}

impl Recorder {
    fn new(device: Arc<Device>) -> Recorder {
        let upload = Upload::new(device.chunks.clone());
        Recorder {
            upload,
            commands: Vec::new(),
            compute: None,
            compute_state: State::default(),
            pipeline: None,
            launched: Assembled::default(),
            graphics: Graphics::default(),
            pass: None,
            ended: None,
            subpasses: VecDeque::new(),
            shared: None,
            device,
        }
    }

    /// The commands so far, and their memory. The recorder begins anew.
    fn take(&mut self) -> (Vec<KernelCommand>, Upload) {
        self.compute_state.clear();
        self.graphics.clear();
        self.graphics.clear_scopes();
        (self.compute, self.pipeline, self.pass, self.shared) = Default::default();
        self.subpasses.clear();
        let upload = std::mem::replace(&mut self.upload, Upload::new(self.device.chunks.clone()));
        (std::mem::take(&mut self.commands), upload)
    }

    /// Executes the commands of a secondary command buffer as if they were recorded here.
    ///
    /// # Errors
    /// The first error of a command.
    fn execute(&mut self, steps: &[Step]) -> Result<(), Error> {
        self.compute_state.clear();
        self.graphics.clear();
        steps.iter().try_for_each(|step| step.execute(self))
    }

    /// Binds a compute pipeline.
    pub fn bind_compute(&mut self, pipeline: Arc<ComputePipeline>) {
        self.pipeline = Some(pipeline);
        self.compute_state.dirty |= Dirty::PROGRAMS;
    }

    /// The bound compute pipeline.
    pub(crate) fn bound_compute(&self) -> Option<Arc<ComputePipeline>> {
        self.pipeline.clone()
    }

    /// The state of a bind point.
    pub fn state(&mut self, point: vk::PipelineBindPoint) -> &mut State {
        match point {
            vk::PipelineBindPoint::GRAPHICS => &mut self.graphics.state,
            _ => &mut self.compute_state,
        }
    }

    /// Binds sets from `first` on; the dynamic offsets belong to all of them, in order.
    #[inline]
    pub fn bind_sets(
        &mut self,
        point: vk::PipelineBindPoint,
        first: u32,
        sets: impl Iterator<Item = Option<Arc<Set>>>,
        offsets: &[u32],
    ) {
        let state = self.state(point);
        state.dirty |= Dirty::SETS;
        let mut rest = offsets;
        for (place, set) in state.sets.iter_mut().skip(first as usize).zip(sets) {
            let Some(set) = set else { continue };
            let (own, after) = rest.split_at(rest.len().min(set.layout.dynamic as usize));
            rest = after;
            match place {
                Some(bound) => {
                    bound.set = set;
                    bound.offsets.clear();
                    bound.offsets.extend_from_slice(own);
                }
                None => *place = Some(Bound { set, offsets: own.to_vec() }),
            }
        }
    }

    /// Has descriptors written to the pushed set of the command buffer; its other descriptors are unchanged.
    ///
    /// # Errors
    /// Out of memory.
    pub fn push_descriptors(
        &mut self,
        point: vk::PipelineBindPoint,
        layout: &Arc<SetLayout>,
        number: u32,
        write: impl FnOnce(&Set),
    ) -> Result<(), Error> {
        let memory = self.upload.piece(layout.bytes)?;
        let set = Set::within(&self.device.sets, layout.clone(), memory);
        let known = self.state(point).sets.get(number as usize);
        if let Some(Some(Bound { set: before, .. })) = known
            && before.layout.bytes == set.layout.bytes
            && before.layout.pushed
        {
            set.copy_all(before);
        }
        write(&set);
        let state = self.state(point);
        state.dirty |= Dirty::SETS;
        if let Some(place) = state.sets.get_mut(number as usize) {
            *place = Some(Bound { set: Arc::new(set), offsets: Vec::new() });
        }
        Ok(())
    }

    /// Sets push constants.
    pub fn push_constants(&mut self, stages: vk::ShaderStageFlags, offset: u32, bytes: &[u8]) {
        let write = |state: &mut State| {
            // Offset and size are multiples of four.
            let (first, words) = (offset as usize / 4, bytes.as_chunks::<4>().0);
            if let Some(places) = state.push.get_mut(first..first + words.len()) {
                places.iter_mut().zip(words).for_each(|(to, word)| *to = u32::from_le_bytes(*word));
                state.dirty |= Dirty::PUSH;
            }
        };
        if stages.contains(vk::ShaderStageFlags::COMPUTE) {
            write(&mut self.compute_state);
        }
        if stages.intersects(GRAPHICS_STAGES) {
            write(&mut self.graphics.state);
        }
    }

    /// Dispatches the bound pipeline.
    ///
    /// # Errors
    /// Nothing is bound, or out of memory.
    pub fn dispatch(&mut self, groups: Groups) -> Result<(), Error> {
        self.dispatch_from([0; 3], groups)
    }

    /// Dispatches the bound pipeline with workgroup numbers from `first` on.
    ///
    /// # Errors
    /// Nothing is bound, or out of memory.
    pub fn dispatch_from(&mut self, first: [u32; 3], groups: Groups) -> Result<(), Error> {
        match self.graphics.is_watched {
            true => dispatch_watched(self, first, groups),
            false => launch_groups(self, first, groups),
        }
    }

    /// Runs a program of the driver with these push constants and descriptors in set 0, and with this number of
    /// threads; later commands come after it.
    ///
    /// # Errors
    /// Out of memory.
    pub(crate) fn run_kernel(
        &mut self,
        kernel: Kernel,
        push: &[u32],
        descriptors: &[Direct],
        threads: [u32; 3],
    ) -> Result<(), Error> {
        if threads.contains(&0) {
            return Ok(());
        }
        let Recorder { device, upload, compute, .. } = self;
        let program = device.kernel(kernel)?;
        device.scratch.reserve(scratch::Stage::Compute, program)?;
        let words = kernel_words(upload, program, push, descriptors)?;
        push_launch(compute, upload, (program, words), Grid::Threads(threads), workgroup(threads))?;
        self.barrier()
    }

    /// As [`Recorder::run_kernel`], for a program that reads nothing but words: the addresses of its buffers, and its push
    /// constants.
    ///
    /// # Errors
    /// Out of memory, or the program reads something else.
    #[inline(always)]
    pub(crate) fn run_words<const N: usize>(
        &mut self,
        kernel: Kernel,
        read: [u32; N],
        threads: u32,
    ) -> Result<(), Error> {
        let Recorder { device, upload, compute, .. } = self;
        let program = device.kernel(kernel)?;
        device.scratch.reserve(scratch::Stage::Compute, program)?;
        let words = short_words(upload, program, read)?;
        push_launch(compute, upload, (program, words), Grid::Threads([threads, 1, 1]), SHAPES[0])?;
        self.barrier()
    }

    /// Launches a program.
    ///
    /// # Errors
    /// Out of memory.
    pub(crate) fn launch(
        &mut self,
        program: &Program,
        sources: &Sources<'_>,
        grid: Grid,
        workgroup: [u32; 3],
    ) -> Result<(), Error> {
        self.device.scratch.reserve(scratch::Stage::Compute, program)?;
        let words = assemble(&mut self.upload, sources, program, None)?;
        push_launch(&mut self.compute, &mut self.upload, (program, words), grid, workgroup)
    }

    /// As [`Recorder::run_kernel`], with the number of threads at an address, followed by the workgroup size.
    pub(crate) fn run_kernel_at(
        &mut self,
        kernel: Kernel,
        push: &[u32],
        descriptors: &[Direct],
        numbers: u64,
    ) -> Result<(), Error> {
        let Recorder { device, upload, compute, .. } = self;
        let program = device.kernel(kernel)?;
        device.scratch.reserve(scratch::Stage::Compute, program)?;
        let words = kernel_words(upload, program, push, descriptors)?;
        push_launch(compute, upload, (program, words), Grid::IndirectThreads(numbers), [64, 1, 1])?;
        self.barrier()
    }

    /// Orders earlier commands before later ones. A barrier follows every launch; in a render pass, later draws may read the
    /// results of earlier ones: the pass is interrupted.
    ///
    /// # Errors
    /// Out of memory.
    pub fn barrier(&mut self) -> Result<(), Error> {
        match self.pass.as_ref().is_some_and(|pass| pass.has_changed()) {
            true => crate::render::interrupt(self),
            false => Ok(()),
        }
    }

    /// Ends the current compute stream.
    ///
    /// # Errors
    /// Out of memory.
    pub fn end_compute(&mut self) -> Result<(), Error> {
        let Some(Compute { mut stream, stacks }) = self.compute.take() else { return Ok(()) };
        let end = r::compute_terminate::new().bits();
        stream.push(&mut self.upload, &[end as u32, (end >> 32) as u32])?;
        let command = r::compute_command::new()
            .set(&r::compute_command::STREAM, stream.start)
            .set(&r::compute_command::STREAM_END, stream.end())
            .set(&r::compute_command::SAMPLER_HEAP, self.device.chunks.samplers.address())
            .set(&r::compute_command::SAMPLER_COUNT, sampler_heap::SAMPLERS.into());
        let command = match self.device.scratch.helper(scratch::Stage::Compute, stacks) {
            Some(helper) => command
                .set(&r::compute_command::HELPER, helper.program)
                .set(&r::compute_command::HELPER_CONFIG, helper.config)
                .set(&r::compute_command::HELPER_DATA, helper.argument),
            None => command,
        };
        self.commands.push(KernelCommand::Compute(command));
        Ok(())
    }

    /// Writes the time when all earlier commands are complete to a byte of a timestamp buffer.
    ///
    /// # Errors
    /// Out of memory.
    pub fn timestamp(&mut self, object: u32, offset: u64) -> Result<(), Error> {
        // A stream without launches, whose end time is recorded.
        self.end_compute()?;
        let stream = r::compute_terminate::new().bytes();
        let start = self.upload.put(&stream, 64)?;
        let command = r::compute_command::new()
            .set(&r::compute_command::STREAM, start)
            .set(&r::compute_command::STREAM_END, start + stream.len() as u64)
            .set(&r::compute_command::TIME_END, object.into())
            .set(&r::compute_command::TIME_END_OFFSET, offset);
        self.commands.push(KernelCommand::Compute(command));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn workgroups_have_the_shape_that_leaves_fewest_lanes_idle() {
        let cases = [
            ([4096, 1, 1], [64, 1, 1]),
            ([64, 40, 1], [64, 1, 1]),
            ([32, 32, 1], [32, 2, 1]),
            ([48, 40, 3], [16, 4, 1]),
            ([8, 8, 1], [8, 8, 1]),
            ([1, 1, 1], [64, 1, 1]),
        ];
        for (threads, expected) in cases {
            assert_eq!(workgroup(threads), expected, "{threads:?}");
        }
    }

    #[test]
    fn a_buffer_that_is_recorded_again_begins_anew() {
        let device = Device::in_test();
        let mut buffer = CommandBuffer::new(device, Level::Primary);
        let fill = |buffer: &mut CommandBuffer| {
            buffer.record(|recorder| {
                recorder.push_constants(vk::ShaderStageFlags::ALL, 4, &[1; 8]);
                recorder.graphics.dynamic.restart = true;
                recorder.graphics.strides[1] = Some(4);
                recorder.fill_memory(crate::gpu::HIGH[0], 16, 7)
            });
        };
        buffer.begin();
        fill(&mut buffer);
        buffer.end().expect("recorded");
        assert_eq!(buffer.commands().len(), 1);
        for is_reset in [false, true] {
            if is_reset {
                fill(&mut buffer);
                buffer.reset();
                assert!(buffer.commands().is_empty());
            }
            buffer.begin();
            buffer.record(|recorder| {
                let Graphics { state, dynamic, strides, .. } = &recorder.graphics;
                for state in [state, &recorder.compute_state] {
                    assert_eq!((state.push, state.dirty), (State::NONE.push, Dirty::ALL));
                }
                assert!(!dynamic.restart && strides.iter().all(Option::is_none));
                assert!(recorder.commands.is_empty() && recorder.compute.is_none());
                Ok(())
            });
        }
        buffer.end().expect("nothing is recorded");
        assert!(buffer.commands().is_empty());
    }

    #[test]
    fn what_a_secondary_buffer_keeps_is_executed_in_order() {
        fn width(value: f32) -> Setting<f32> {
            Setting { dirty: Dirty::RASTER, place: |state| &mut state.raster.line_width, value }
        }
        let expect = |value: f32| {
            move |recorder: &mut Recorder| {
                assert_eq!(recorder.graphics.dynamic.raster.line_width, value);
                Ok(())
            }
        };
        let device = Device::in_test();
        let [mut secondary, mut primary] =
            [Level::Secondary, Level::Primary].map(|level| CommandBuffer::new(device.clone(), level));
        secondary.begin();
        secondary.set(width(2.0));
        secondary.record(expect(2.0));
        secondary.set(width(3.0));
        secondary.record_borrowed(|_| panic!("it is executed later"), || expect(3.0));
        secondary.end().expect("records");
        primary.begin();
        primary.set(width(4.0));
        primary.execute([&secondary, &secondary].into_iter());
        primary.record(expect(3.0));
        primary.end().expect("records");
        secondary.begin();
        primary.begin();
        primary.execute([&secondary].into_iter());
        primary.record(expect(0.0));
        primary.end().expect("records");
    }

    #[test]
    fn secondary_buffers_execute_others_down_to_the_limit() {
        let device = Device::in_test();
        let executed = Arc::new(std::sync::atomic::AtomicU32::new(0));
        let counted = executed.clone();
        let mut inner = CommandBuffer::new(device.clone(), Level::Secondary);
        inner.begin();
        inner.record(move |_| {
            counted.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            Ok(())
        });
        inner.end().expect("records");
        let mut primary = CommandBuffer::new(device.clone(), Level::Primary);
        for level in 1..=MAX_NESTED_LEVELS + 1 {
            let mut outer = CommandBuffer::new(device.clone(), Level::Secondary);
            outer.begin();
            outer.execute([&inner].into_iter());
            assert_eq!(outer.end().is_ok(), level <= MAX_NESTED_LEVELS);
            inner = outer;
            // The inner buffer is gone; its commands belong to those that execute them.
            primary.begin();
            primary.execute([&inner, &inner].into_iter());
            primary.end().expect("records");
            let wanted = if level <= MAX_NESTED_LEVELS { 2 } else { 0 };
            assert_eq!(executed.swap(0, std::sync::atomic::Ordering::Relaxed), wanted, "level {level}");
        }
    }
}
