//! Render passes: from the background program over the draws to the end-of-tile program.

mod assembly;
mod draw;
mod edges;
mod encode;
mod feedback;
mod geometry;
mod heap;
mod pass_words;
mod results;
mod state;
mod statistics;
mod tessellation;
#[cfg(test)]
mod tests;
mod tiles;

use std::sync::{Arc, OnceLock};

use agx_abi::fragment::MAX_TARGETS;
use agx_abi::record::{self as r, initial_update, render_command as command};
use agx_abi::streams::START;
use agx_abi::tile::TileLayout;
use agx_abi::words::LocalUse;
use agx_compiler::link::PassTargets;
use ash::vk;

use crate::Error;
use crate::command::{KernelCommand, Recorder};
use crate::dirty::Dirty;
use crate::draw_state::{DrawState, MAX_VERTEX_BUFFERS, TargetFormats, VertexBuffers};
use crate::geometry::GeometryStage;
use crate::graphics::Programs;
use crate::query::QueryPool;
use crate::results_memory::Shared;
use crate::sampler_heap;
use crate::scratch::{self, ScratchMemory, Stacks};
use crate::stages::{FragmentStage, VertexStage};
use crate::tessellation::{ControlStage, EvaluationStage};
use crate::transfer::{Box3, Resolve};
use crate::upload::{Stream, Upload};
use crate::view::ImageView;
use crate::words::{Assembled, State};

pub use draw::{DrawNumbers, IndexBuffer};
use encode::Written;
pub use feedback::Feedback;
pub(crate) use feedback::record;
use pass_words::Command;
pub(crate) use tessellation::patch_record;
pub use tiles::Tiles;

/// Shaders that are bound.
#[derive(Clone, Default)]
pub struct Shaders {
    /// The vertex shader.
    pub vertex: Option<Arc<VertexStage>>,
    /// The tessellation control shader.
    pub control: Option<Arc<ControlStage>>,
    /// The tessellation evaluation shader.
    pub evaluation: Option<Arc<EvaluationStage>>,
    /// The geometry shader.
    pub geometry: Option<Arc<GeometryStage>>,
    /// The fragment shader.
    pub fragment: Option<Arc<FragmentStage>>,
    /// The state of the pipeline; `None` for shader objects.
    pub pipeline: Option<OfPipeline>,
    /// The programs of a pipeline on which no dynamic state has an effect, with the targets for which they were first made.
    pub fixed: Option<Arc<FixedPrograms>>,
}

/// Programs of a pipeline for targets of these formats.
pub type FixedPrograms = OnceLock<(TargetFormats, Programs)>;

impl Shaders {
    /// Whether the strides of vertex buffers are those of the pipeline.
    fn has_strides(&self) -> bool {
        self.pipeline.is_some_and(|pipeline| pipeline.strides)
    }
}

/// State that draws take from the bound pipeline, not from commands.
#[derive(Clone, Copy)]
pub struct OfPipeline {
    /// Formats of the targets; with shader objects, they are those of the pass.
    pub formats: TargetFormats,
    /// Strides of vertex buffers.
    pub strides: bool,
}

/// State of draws.
#[derive(Clone, Default)]
pub struct Graphics {
    /// The sources of uniforms.
    pub state: State,
    /// The shaders.
    pub shaders: Arc<Shaders>,
    /// State that commands have set, or the pipeline.
    pub dynamic: DrawState,
    /// Vertex buffers.
    pub buffers: VertexBuffers,
    /// Strides that commands have set, by the number of their buffer.
    pub strides: [Option<u32>; MAX_VERTEX_BUFFERS],
    /// Indices.
    pub indices: Option<IndexBuffer>,
    /// State of transform feedback.
    pub feedback: Feedback,
}

impl Graphics {
    /// The state at the beginning of a command buffer.
    pub(crate) fn clear(&mut self) {
        self.state.clear();
        self.dynamic.clear();
        // The last reference, if nothing was bound.
        match Arc::get_mut(&mut self.shaders) {
            Some(shaders) => *shaders = Shaders::default(),
            None => self.shaders = Arc::default(),
        }
        self.buffers = [(0, 0); MAX_VERTEX_BUFFERS];
        self.strides = [None; MAX_VERTEX_BUFFERS];
        self.indices = None;
        self.feedback = Feedback::default();
    }

    /// The shaders that are bound as objects; a pipeline is bound no longer.
    pub fn objects(&mut self) -> &mut Shaders {
        let shaders = Arc::make_mut(&mut self.shaders);
        if shaders.pipeline.is_some() {
            *shaders = Shaders::default();
        }
        shaders
    }

    /// Changes a part of the state that commands can set.
    #[inline]
    pub fn set<T: PartialEq>(
        &mut self,
        dirty: Dirty,
        place: impl FnOnce(&mut DrawState) -> &mut T,
        value: T,
    ) {
        let place = place(&mut self.dynamic);
        if *place != value {
            *place = value;
            self.state.dirty |= dirty;
        }
    }

    /// Binds vertex buffers from `first` on: address and bytes of each, and strides if they are given.
    pub fn bind_vertex_buffers(
        &mut self,
        first: u32,
        places: impl Iterator<Item = (u64, u64)>,
        strides: &[u64],
    ) {
        self.buffers.iter_mut().skip(first as usize).zip(places).for_each(|(to, place)| *to = place);
        self.state.dirty |= Dirty::BUFFERS;
        self.set_strides((first..).zip(strides.iter().map(|stride| *stride as u32)));
    }

    /// Sets strides of vertex buffers by number.
    pub fn set_strides(&mut self, strides: impl Iterator<Item = (u32, u32)>) {
        for (number, stride) in strides {
            if let Some(place) = self.strides.get_mut(number as usize) {
                *place = Some(stride);
                self.state.dirty |= Dirty::PROGRAMS;
            }
        }
    }

    /// Whether programs prepare draws before the pass: those that the hardware does not do by itself.
    fn needs_launches(&self) -> bool {
        self.shaders.evaluation.is_some()
            || self.shaders.geometry.is_some()
            || self.feedback.is_active()
            || assembly::has_adjacency(self.dynamic.topology)
    }
}

/// A colour target of a pass.
#[derive(Clone)]
pub struct ColourTarget {
    /// Its image.
    pub view: Arc<ImageView>,
    /// Its contents before the draws.
    pub load: vk::AttachmentLoadOp,
    /// Whether its contents are stored after the draws.
    pub store: vk::AttachmentStoreOp,
    /// The clear value, as bits.
    pub clear: [u32; 4],
    /// The image to which its samples are resolved.
    pub resolve: Option<(Arc<ImageView>, Resolve)>,
}

/// Depth or stencil of a pass.
#[derive(Clone)]
pub struct DepthTarget {
    /// Its image.
    pub view: Arc<ImageView>,
    /// Its contents before the draws.
    pub load: vk::AttachmentLoadOp,
    /// Whether its contents are stored after the draws.
    pub store: vk::AttachmentStoreOp,
    /// The clear value: bits of a float, or a number.
    pub clear: u32,
    /// The image to which its samples are resolved.
    pub resolve: Option<(Arc<ImageView>, Resolve)>,
}

/// A clear of an image before the draws of a pass, within its area.
#[derive(Clone)]
pub struct Clear {
    /// The image.
    pub view: Arc<ImageView>,
    /// Its aspect.
    pub aspect: vk::ImageAspectFlags,
    /// Views whose layers are cleared; 0 for the layers of a pass without views.
    pub views: u32,
    /// The value, as bits.
    pub value: [u32; 4],
}

/// Layers that are drawn to: first and number of each run. Views draw to the layers of their numbers only.
fn layer_runs(views: u32, layers: u32) -> Vec<[u32; 2]> {
    match views {
        0 => vec![[0, layers.max(1)]],
        views => (0..32).filter(|view| views >> view & 1 != 0).map(|view| [view, 1]).collect(),
    }
}

/// The parameters of a pass.
#[derive(Clone, Default)]
pub struct PassInfo {
    /// Pixels that it draws to: left, top, width, height.
    pub area: [u32; 4],
    /// Layers.
    pub layers: u32,
    /// Views; each has the layer of its number.
    pub views: u32,
    /// Colour targets.
    pub colours: Vec<Option<ColourTarget>>,
    /// Depth.
    pub depth: Option<DepthTarget>,
    /// Stencil.
    pub stencil: Option<DepthTarget>,
    /// Samples, of a pass without targets.
    pub samples: u32,
    /// Clears before the draws.
    pub clears: Vec<Clear>,
}

impl PassInfo {
    fn images(&self) -> impl Iterator<Item = &Arc<ImageView>> {
        let colours = self.colours.iter().flatten().map(|target| &target.view);
        let depth = self.depth.iter().chain(&self.stencil).map(|target| &target.view);
        colours.chain(depth)
    }

    /// Whether depth is a normalised integer.
    fn has_unorm_depth(&self) -> bool {
        let plane = self.depth.as_ref().and_then(|target| target.view.image.depth());
        plane.is_some_and(|plane| plane.format.format == vk::Format::D16_UNORM)
    }

    /// Layers that are drawn to: first and number of each run.
    fn layer_runs(&self) -> Vec<[u32; 2]> {
        layer_runs(self.views, self.layers)
    }

    /// Queries that a query of this pass takes: one for each view.
    fn queries(&self) -> u32 {
        self.views.count_ones().max(1)
    }

    /// Width and height of the framebuffer.
    fn size(&self) -> [u32; 2] {
        let sizes = self.images().map(|view| view.size());
        let end = [self.area[0] + self.area[2], self.area[1] + self.area[3]];
        sizes.reduce(|[a, b], [c, d]| [a.min(c), b.min(d)]).unwrap_or(end)
    }

    fn samples(&self) -> u32 {
        self.images().map(|view| view.image.info.samples).next().unwrap_or(self.samples.max(1))
    }
}

/// The stream of a view.
struct View {
    number: u32,
    stream: Stream,
    /// Address of the texture heap of its targets.
    heap: u64,
    /// The words of the latest vertex and fragment programs.
    words: [Assembled; 2],
}

/// A pass that is under way.
pub struct Pass {
    info: PassInfo,
    size: [u32; 2],
    samples: u32,
    targets: PassTargets,
    /// The tile, and the word for it in the words of programs.
    tile: (TileLayout, u32),
    views: Vec<View>,
    arrays: Arrays,
    /// What vertex and fragment programs need.
    stacks: [Stacks; 2],
    /// Index of the occlusion counter, and whether it counts.
    query: Option<(u64, bool)>,
    /// Queries whose results are available after the pass.
    finished: Vec<(Arc<QueryPool>, u32)>,
    draws: u32,
    /// What draws have written.
    written: Written,
}

/// Records that draws of a pass refer to by index.
#[derive(Default)]
struct Arrays {
    scissors: Vec<u8>,
    biases: Vec<u8>,
}

impl Arrays {
    /// Whether another draw might need an index that a record cannot hold.
    fn is_full(&self) -> bool {
        let counts = [(&self.scissors, &r::scissor::RECORD), (&self.biases, &r::depth_bias::RECORD)];
        counts.iter().any(|(array, record)| array.len() / record.bytes >= MOST_INDICES)
    }
}

/// Records of an array that a pass may have before a draw, which adds one for each viewport and view at most.
const MOST_INDICES: usize = 0x1_0000 - 16 * 32;

impl Pass {
    /// Whether its images have changed since it began or was interrupted, by clears or draws.
    pub(crate) fn has_changed(&self) -> bool {
        let colours = self.info.colours.iter().flatten().map(|target| target.load);
        let depths = self.info.depth.iter().chain(&self.info.stencil).map(|target| target.load);
        self.draws > 0 || colours.chain(depths).any(|load| load == vk::AttachmentLoadOp::CLEAR)
    }

    /// Makes the result of a query available after the pass, when the time of a timestamp is written too.
    pub(crate) fn finish(&mut self, pool: Arc<QueryPool>, query: u32) {
        self.finished.push((pool, query));
    }
}

fn draw_link(target: u64) -> [u8; 8] {
    use r::draw_link::*;
    new().set(&TARGET_HIGH, target >> 32).set(&TARGET_LOW, target & 0xffff_ffff).bytes()
}

impl Recorder {
    /// Begins a pass.
    ///
    /// # Errors
    /// Formats that cannot be rendered to; memory is used up.
    pub fn begin_pass(&mut self, mut info: PassInfo) -> Result<(), Error> {
        self.end_compute()?;
        let size = info.size();
        if info.area != [0, 0, size[0], size[1]] {
            load_rest(&mut info);
        }
        self.clear_area(&mut info)?;
        let samples = info.samples();
        let mut formats = [None; MAX_TARGETS as usize];
        for (slot, target) in formats.iter_mut().zip(&info.colours) {
            let Some(target) = target else { continue };
            let format = target.view.format;
            *slot = Some(format.colour().ok_or(Error::Format(format.format))?);
        }
        let numbers: Vec<u32> = match info.views {
            0 => vec![0],
            views => (0..32).filter(|view| views >> view & 1 != 0).collect(),
        };
        let targets = PassTargets { formats, samples: samples as u8, layered: true };
        let tile = pass_words::tile(&targets);
        let word = LocalUse::Tile(&tile, samples).to_word()?;
        let mut views = Vec::new();
        for number in numbers {
            let heap = match tile.spilled {
                0 => 0,
                _ => heap::target_heap(&mut self.upload, &info, &targets, number)?,
            };
            let words = Default::default();
            views.push(View { number, stream: draw_stream(&mut self.upload)?, heap, words });
        }
        self.pass = Some(Box::new(Pass {
            size,
            samples,
            tile: (tile, word),
            targets,
            views,
            info,
            arrays: Arrays::default(),
            stacks: [Stacks::default(); 2],
            query: None,
            finished: Vec::new(),
            draws: 0,
            written: Written::default(),
        }));
        self.graphics.state.dirty = Dirty::ALL;
        Ok(())
    }

    /// Begins the first of several passes that follow each other.
    ///
    /// # Errors
    /// As [`Recorder::begin_pass`].
    pub fn begin_subpasses(&mut self, subpasses: Vec<PassInfo>) -> Result<(), Error> {
        self.subpasses = subpasses.into();
        self.next_subpass()
    }

    /// Ends a pass and begins the one after it.
    ///
    /// # Errors
    /// As [`Recorder::begin_pass`].
    pub fn next_subpass(&mut self) -> Result<(), Error> {
        self.end_pass()?;
        match self.subpasses.pop_front() {
            Some(info) => self.begin_pass(info),
            None => Ok(()),
        }
    }

    /// Clears what is cleared before the draws of a pass.
    fn clear_area(&mut self, info: &mut PassInfo) -> Result<(), Error> {
        let [left, top, width, height] = info.area;
        for Clear { view, aspect, views, value } in std::mem::take(&mut info.clears) {
            for [first, layers] in layer_runs(views, info.layers) {
                let place = Box3 { aspect, level: view.levels[0], at: [left, top, view.layers[0] + first] };
                self.clear_box(view.as_ref().into(), place, [width, height, layers], value)?;
            }
        }
        self.end_compute()
    }

    /// Ends the pass: its render commands, then resolves and results of queries.
    ///
    /// # Errors
    /// Memory is used up.
    pub fn end_pass(&mut self) -> Result<(), Error> {
        let Some(pass) = self.pass.take() else { return Ok(()) };
        let Pass { info, finished, .. } = *self.finish_pass(pass)?;
        self.resolves(&info)?;
        for (pool, query) in finished {
            if let Some(object) = pool.times() {
                self.timestamp(object, 8 * u64::from(query))?;
            }
            self.finish_queries(&pool, query, info.queries())?;
        }
        Ok(())
    }

    /// Writes the render commands of a pass.
    fn finish_pass(&mut self, mut pass: Box<Pass>) -> Result<Box<Pass>, Error> {
        self.end_compute()?;
        self.shared.iter_mut().for_each(Shared::clear);
        let scissors = self.upload.put(&pass.arrays.scissors, 64)?;
        let biases = self.upload.put(&pass.arrays.biases, 64)?;
        for mut view in std::mem::take(&mut pass.views) {
            view.stream.push(&mut self.upload, &[r::draw_terminate::new().bits()])?;
            let layer = if pass.info.views == 0 { None } else { Some(view.number) };
            let command = self
                .pass_words(&pass, layer, view.heap)?
                .set(&command::STREAM, view.stream.start)
                .set(&command::SCISSORS, scissors)
                .set(&command::SAMPLER_HEAP, self.device.chunks.samplers.address())
                .set(&command::SAMPLER_COUNT, sampler_heap::SAMPLERS.into())
                .set(&command::DEPTH_BIASES, biases)
                .set(&command::OCCLUSION, self.device.counters.address());
            let command = with_helpers(command, &self.device.scratch, pass.stacks);
            self.commands.push(KernelCommand::Render(command.bytes()));
        }
        Ok(pass)
    }

    /// Resolves the targets that have images to resolve to.
    fn resolves(&mut self, info: &PassInfo) -> Result<(), Error> {
        let [left, top, width, height] = info.area;
        let runs = info.layer_runs();
        let mut resolve = |from: &ImageView, to: &ImageView, aspect, mode| {
            runs.iter().try_for_each(|[first, layers]| {
                let places = [from, to].map(|view| Box3 {
                    aspect,
                    level: view.levels[0],
                    at: [left, top, view.layers[0] + first],
                });
                self.resolve([from.into(), to.into()], places, [width, height, *layers], mode)
            })
        };
        for target in info.colours.iter().flatten() {
            if let Some((to, mode)) = &target.resolve {
                resolve(&target.view, to, vk::ImageAspectFlags::COLOR, *mode)?;
            }
        }
        let depth = info.depth.iter().map(|target| (target, vk::ImageAspectFlags::DEPTH));
        let stencil = info.stencil.iter().map(|target| (target, vk::ImageAspectFlags::STENCIL));
        for (target, aspect) in depth.chain(stencil) {
            if let Some((to, mode)) = &target.resolve {
                resolve(&target.view, to, aspect, *mode)?;
            }
        }
        Ok(())
    }

    /// Clears boxes of the pass's images while it is under way: the pass is interrupted.
    ///
    /// # Errors
    /// Memory is used up.
    pub fn clear_attachments(
        &mut self,
        clears: &[(vk::ImageAspectFlags, u32, [u32; 4])],
        boxes: &[[u32; 6]],
    ) -> Result<(), Error> {
        let Some(pass) = self.pass.take() else { return Ok(()) };
        let pass = self.finish_pass(stored(pass))?;
        let info = &pass.info;
        for (aspect, number, value) in clears {
            let view = match *aspect {
                vk::ImageAspectFlags::DEPTH => info.depth.as_ref().map(|target| target.view.clone()),
                vk::ImageAspectFlags::STENCIL => info.stencil.as_ref().map(|target| target.view.clone()),
                _ => info.colours.get(*number as usize).cloned().flatten().map(|target| target.view),
            };
            let Some(view) = view else { continue };
            for [left, top, width, height, first, layers] in boxes {
                let given = vec![[*first, *layers]];
                for [first, layers] in if info.views == 0 { given } else { info.layer_runs() } {
                    let at = [*left, *top, view.layers[0] + first];
                    let place = Box3 { aspect: *aspect, level: view.levels[0], at };
                    self.clear_box(view.as_ref().into(), place, [*width, *height, layers], *value)?;
                }
            }
        }
        resume(self, pass)
    }

    /// Begins counting samples, primitives, or statistics.
    ///
    /// # Errors
    /// Memory is used up.
    pub fn begin_query(&mut self, pool: &QueryPool, query: u32, precise: bool) -> Result<(), Error> {
        if let Some(kind) = pool.counted() {
            self.set_counting(kind, Some(pool.result_address(query)))?;
        } else if let (Some(pass), Some(counter)) = (&mut self.pass, pool.counter(query)) {
            pass.query = Some((counter, precise));
            self.graphics.state.dirty |= Dirty::QUERY;
        }
        Ok(())
    }

    /// Ends counting.
    ///
    /// # Errors
    /// Memory is used up.
    pub fn end_query(&mut self, pool: &Arc<QueryPool>, query: u32) -> Result<(), Error> {
        if let Some(kind) = pool.counted() {
            self.set_counting(kind, None)?;
        }
        match &mut self.pass {
            Some(pass) => {
                if pool.counted().is_none() {
                    pass.query = None;
                    self.graphics.state.dirty |= Dirty::QUERY;
                }
                pass.finish(pool.clone(), query);
                Ok(())
            }
            None => self.finish_queries(pool, query, 1),
        }
    }
}

/// A draw stream with what every one begins with: the invalidation of what shaders read from memory that the processor or an
/// earlier stream may have written since, and state that draws do not set.
fn draw_stream(upload: &mut Upload) -> Result<Stream, Error> {
    let mut stream = Stream::new(upload, draw_link)?;
    let mut update = std::mem::take(&mut upload.spare.update);
    initial_update(&mut update);
    let pointer = encode::state_pointer(upload.put_words(&update, 64)?, update.len()).bits();
    upload.spare.update = update;
    stream.push(upload, &[START.bits(), pointer as u32, (pointer >> 32) as u32])?;
    Ok(stream)
}

/// The command of a pass with the helper programs of stages that have stacks.
fn with_helpers(mut words: Command, scratch: &ScratchMemory, [vertex, fragment]: [Stacks; 2]) -> Command {
    if let Some(helper) = scratch.helper(scratch::Stage::Vertex, vertex) {
        words = words
            .flag(&command::VERTEX_SCRATCH, true)
            .set(&command::VERTEX_HELPER, helper.program)
            .set(&command::VERTEX_HELPER_CONFIG, helper.config)
            .set(&command::VERTEX_HELPER_DATA, helper.argument);
    }
    if let Some(helper) = scratch.helper(scratch::Stage::Fragment, fragment) {
        words = words
            .set(&command::FRAGMENT_HELPER, helper.program)
            .set(&command::FRAGMENT_HELPER_CONFIG, helper.config)
            .set(&command::FRAGMENT_HELPER_DATA, helper.argument);
    }
    words
}

/// Interrupts a pass whose arrays are full.
fn renew_arrays(recorder: &mut Recorder) -> Result<(), Error> {
    match recorder.pass.as_ref().is_some_and(|pass| pass.arrays.is_full()) {
        true => interrupt(recorder),
        false => Ok(()),
    }
}

/// Ends the current render pass and begins it again with the contents of its images, so that later draws can read them.
///
/// # Errors
/// Out of memory.
pub(crate) fn interrupt(recorder: &mut Recorder) -> Result<(), Error> {
    let Some(pass) = recorder.pass.take() else { return Ok(()) };
    let pass = recorder.finish_pass(stored(pass))?;
    resume(recorder, pass)
}

/// Begins a stored render pass again.
fn resume(recorder: &mut Recorder, pass: Box<Pass>) -> Result<(), Error> {
    let Pass { mut info, query, finished, .. } = *pass;
    let load = vk::AttachmentLoadOp::LOAD;
    info.colours.iter_mut().flatten().for_each(|target| target.load = load);
    info.depth.iter_mut().chain(&mut info.stencil).for_each(|target| target.load = load);
    recorder.begin_pass(info)?;
    if let Some(pass) = &mut recorder.pass {
        (pass.query, pass.finished) = (query, finished);
    }
    Ok(())
}

/// Loads the images of a pass whose area does not cover them, and clears the area before the draws.
fn load_rest(info: &mut PassInfo) {
    use vk::ImageAspectFlags as A;
    let views = info.views;
    let mut clears = std::mem::take(&mut info.clears);
    let mut add = |load: &mut vk::AttachmentLoadOp, view: &Arc<ImageView>, aspect, value| {
        if *load == vk::AttachmentLoadOp::CLEAR {
            clears.push(Clear { view: view.clone(), aspect, views, value });
        }
        *load = vk::AttachmentLoadOp::LOAD;
    };
    for target in info.colours.iter_mut().flatten() {
        add(&mut target.load, &target.view, A::COLOR, target.clear);
    }
    let depth = info.depth.iter_mut().map(|target| (target, A::DEPTH));
    for (target, aspect) in depth.chain(info.stencil.iter_mut().map(|target| (target, A::STENCIL))) {
        add(&mut target.load, &target.view, aspect, [target.clear, 0, 0, 0]);
    }
    info.clears = clears;
}

/// A pass whose images are all stored.
fn stored(mut pass: Box<Pass>) -> Box<Pass> {
    let store = vk::AttachmentStoreOp::STORE;
    pass.info.colours.iter_mut().flatten().for_each(|target| target.store = store);
    pass.info.depth.iter_mut().chain(&mut pass.info.stencil).for_each(|target| target.store = store);
    pass
}
