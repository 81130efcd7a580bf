//! Render passes: from the background program over the draws to the end-of-tile program.

mod assembly;
mod clear;
mod condition;
mod draw;
mod edges;
mod encode;
mod feedback;
mod geometry;
mod heap;
mod mesh;
mod pass_words;
mod results;
mod sequences;
mod state;
mod statistics;
mod tessellation;
#[cfg(test)]
mod tests;
mod tiles;

use std::sync::{Arc, OnceLock};

use agx_abi::fragment::MAX_TARGETS;
use agx_abi::record::{self as r, render_command as command};
use agx_abi::streams::START;
use agx_abi::tile::TileLayout;
use agx_abi::words::LocalUse;
use agx_compiler::link::PassTargets;
use ash::vk;

use crate::Error;
use crate::command::{KernelCommand, Recorder, RenderCommand};
use crate::dirty::Dirty;
use crate::draw_state::{
    DrawState, MAX_VERTEX_BUFFERS, RasterInfo, SampleInfo, TargetFormats, VertexBuffers,
};
use crate::geometry::GeometryStage;
use crate::graphics::Programs;
use crate::mesh::{MeshStage, TaskStage};
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

pub(crate) use clear::ClearShaders;
use condition::Condition;
pub(crate) use condition::conditionally;
pub use condition::{begin_condition, end_condition};
pub use draw::{DrawNumbers, IndexBuffer};
use encode::Written;
pub use feedback::Feedback;
pub(crate) use feedback::record;
pub use sequences::{Choice, DrawKind, DrawSequences, draw_sequences};
use state::index;
pub(crate) use statistics::count_launches;
pub(crate) use tessellation::patch_record;
pub use tiles::Tiles;
use tiles::{TilePrograms, TileUse};

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
    /// The task shader.
    pub task: Option<Arc<TaskStage>>,
    /// The mesh shader.
    pub mesh: Option<Arc<MeshStage>>,
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
    /// Address of the record of the draw, if the device writes it.
    pub(crate) record: Option<u64>,
    /// State of transform feedback.
    pub feedback: Feedback,
    /// The condition on which draws and dispatches depend.
    pub(crate) condition: Option<Box<Condition>>,
    /// Whether dispatches depend on it, or a query counts them.
    pub(crate) is_watched: bool,
}

impl Graphics {
    /// Notes that the condition or the queries are others.
    pub(crate) fn watch(&mut self) {
        self.is_watched = self.condition.is_some() || self.feedback.statistics.is_some();
    }

    /// Whether draws have no fragments: without a geometry shader there is only the first stream.
    fn discards(&self) -> bool {
        let raster = &self.dynamic.raster;
        raster.discard || (raster.stream != 0 && self.shaders.geometry.is_none())
    }

    /// The state at the beginning of a command buffer. A secondary one has the queries and the condition of the primary one.
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
        (self.indices, self.record) = (None, None);
    }

    /// Has no query, captures no vertices, and depends on no condition.
    pub(crate) fn clear_scopes(&mut self) {
        self.feedback = Feedback::default();
        if self.is_watched {
            (self.condition, self.is_watched) = (None, false);
        }
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
            || assembly::is_decomposed(self.dynamic.topology, self.shaders.fragment.as_deref())
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
fn layer_runs(views: u32, layers: u32) -> impl Iterator<Item = [u32; 2]> {
    let all = (views == 0).then_some([0, layers.max(1)]);
    all.into_iter().chain(bits(views).map(|view| [view, 1]))
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

    /// Whether a depth bias counts parts of the whole range, instead of steps of floats.
    fn biases_by_range(&self, raster: &RasterInfo) -> bool {
        self.has_unorm_depth() || raster.bias.normalised
    }

    /// Whether depth is a normalised integer.
    fn has_unorm_depth(&self) -> bool {
        let plane = self.depth.as_ref().and_then(|target| target.view.image.depth());
        plane.is_some_and(|plane| plane.format.format == vk::Format::D16_UNORM)
    }

    /// Layers that are drawn to: first and number of each run.
    fn layer_runs(&self) -> impl Iterator<Item = [u32; 2]> + use<> {
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

/// The numbers of the bits that are set.
fn bits(mut rest: u32) -> impl Iterator<Item = u32> {
    std::iter::from_fn(move || {
        let number = (rest != 0).then(|| rest.trailing_zeros())?;
        rest &= rest - 1;
        Some(number)
    })
}

/// A pass that is under way.
pub struct Pass {
    shown: Shown,
    views: Vec<View>,
    arrays: Arrays,
    /// What vertex and fragment programs need.
    stacks: [Stacks; 2],
    /// Queries whose results are available after the pass.
    finished: Vec<(Arc<QueryPool>, u32)>,
    draws: u32,
    /// What draws have written.
    written: Written,
}

/// What draws read of a pass.
struct Shown {
    info: PassInfo,
    size: [u32; 2],
    samples: u32,
    /// Positions of the samples, which are those of its draws: see [`agx_abi::fragment::pack_sample_positions`].
    sample_positions: u32,
    targets: PassTargets,
    /// The tile for these targets, and the word for it in the words of programs.
    tile: (TileLayout, u32),
    /// Whether its draws bias depth by parts of the whole range, instead of steps of floats; `None` before the first biased draw.
    whole_bias: Option<bool>,
    /// Its programs of tiles, with what they do; they may be those of an earlier pass.
    tiles: Option<(TileUse, Arc<TilePrograms>)>,
    /// Index of the occlusion counter, and whether it counts.
    query: Option<(u64, bool)>,
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
        let scissors = index::<{ r::scissor::RECORD.bytes }>(&self.scissors);
        let biases = index::<{ r::depth_bias::RECORD.bytes }>(&self.biases);
        scissors.max(biases) >= MOST_INDICES
    }
}

/// Records of an array that a pass may have before a draw, which adds one for each viewport and view at most.
const MOST_INDICES: u64 = 0x1_0000 - 16 * 32;

impl Pass {
    fn new(targets: PassTargets) -> Result<Pass, Error> {
        let (info, size, sample_positions, whole_bias, tiles, query) = Default::default();
        let (samples, tile) = (targets.samples.into(), tile_of(&targets)?);
        let shown = Shown { info, size, samples, sample_positions, whole_bias, targets, tile, tiles, query };
        let (views, arrays, stacks, finished, draws, written) = Default::default();
        Ok(Pass { shown, views, arrays, stacks, finished, draws, written })
    }

    /// Begins the streams of the views. The memory of lists is that of an earlier pass.
    fn place_views(&mut self, upload: &mut Upload, info: &PassInfo) -> Result<(), Error> {
        let mut count = 0;
        for number in bits(info.views.max(1)) {
            let heap = match self.shown.tile.0.spilled {
                0 => 0,
                _ => heap::target_heap(upload, info, &self.shown.targets, number)?,
            };
            let stream = draw_stream(upload)?;
            match self.views.get_mut(count) {
                Some(view) => (view.number, view.stream, view.heap) = (number, stream, heap),
                None => self.views.push(View { number, stream, heap, words: Default::default() }),
            }
            count += 1;
        }
        self.views.truncate(count);
        Ok(())
    }

    /// Forgets what it has drawn; memory of lists is kept.
    fn clear(&mut self) {
        let Pass { shown, arrays, stacks, finished, draws, written, .. } = self;
        (shown.info, shown.query) = Default::default();
        arrays.scissors.clear();
        arrays.biases.clear();
        (*stacks, *draws) = Default::default();
        finished.clear();
        written.clear();
    }

    /// Whether its images have changed since it began or was interrupted, by clears or draws.
    pub(crate) fn has_changed(&self) -> bool {
        let colours = self.shown.info.colours.iter().flatten().map(|target| target.load);
        let depths = self.shown.info.depth.iter().chain(&self.shown.info.stencil).map(|target| target.load);
        self.draws > 0 || colours.chain(depths).any(|load| load == vk::AttachmentLoadOp::CLEAR)
    }

    /// Makes the result of a query available after the pass, when the time of a timestamp is written too.
    pub(crate) fn finish(&mut self, pool: Arc<QueryPool>, query: u32) {
        self.finished.push((pool, query));
    }
}

/// The tile for targets, and the word for it.
fn tile_of(targets: &PassTargets) -> Result<(TileLayout, u32), Error> {
    let tile = pass_words::tile(targets);
    let word = LocalUse::Tile(&tile, targets.samples.into()).to_word()?;
    Ok((tile, word))
}

/// A link in a draw stream.
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
            *slot = format.colour();
            if slot.is_none() {
                return Err(Error::Format(format.format));
            }
        }
        let targets = PassTargets { formats, samples: samples as u8, layered: true };
        let mut pass = match self.ended.take() {
            Some(ended) if ended.shown.targets == targets => ended,
            _ => Box::new(Pass::new(targets)?),
        };
        (pass.shown.size, pass.shown.samples) = (size, samples);
        pass.shown.sample_positions = SampleInfo::default().positions(samples);
        pass.shown.whole_bias = None;
        pass.place_views(&mut self.upload, &info)?;
        pass.shown.info = info;
        self.pass = Some(pass);
        self.graphics.state.dirty = Dirty::ALL;
        match self.graphics.condition {
            Some(_) => condition::enter(self),
            None => Ok(()),
        }
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
        let Some(mut pass) = self.pass.take() else { return Ok(()) };
        self.finish_pass(&mut pass)?;
        self.resolves(&pass.shown.info)?;
        for (pool, query) in &pass.finished {
            if let Some(object) = pool.times() {
                self.timestamp(object, 8 * u64::from(*query))?;
            }
            self.finish_queries(pool, *query, pass.shown.info.queries())?;
        }
        pass.clear();
        self.ended = Some(pass);
        Ok(())
    }

    /// Writes the render commands of a pass.
    fn finish_pass(&mut self, pass: &mut Pass) -> Result<(), Error> {
        if self.graphics.condition.is_some() {
            condition::leave(&mut self.graphics, pass);
        }
        self.end_compute()?;
        self.shared.iter_mut().for_each(Shared::clear);
        let Recorder { device, upload, commands, .. } = self;
        pass.shown.find_tiles(device)?;
        let scissors = upload.put(&pass.arrays.scissors, 64)?;
        let biases = upload.put(&pass.arrays.biases, 64)?;
        for at in 0..pass.views.len() {
            let Some(View { number, stream, heap, .. }) = pass.views.get_mut(at) else { continue };
            stream.push(upload, &[r::draw_terminate::new().bits()])?;
            let (start, heap) = (stream.start, *heap);
            let layer = if pass.shown.info.views == 0 { None } else { Some(*number) };
            commands.push(KernelCommand::Render(command::new()));
            let Some(KernelCommand::Render(written)) = commands.last_mut() else { continue };
            pass.shown.write_command(upload, (layer, heap), written)?;
            written
                .put(&command::STREAM, start)
                .put(&command::SCISSORS, scissors)
                .put(&command::SAMPLER_HEAP, device.chunks.samplers.address())
                .put(&command::SAMPLER_COUNT, sampler_heap::SAMPLERS.into())
                .put(&command::DEPTH_BIASES, biases)
                .put(&command::OCCLUSION, device.counters.address());
            put_helpers(written, &device.scratch, pass.stacks);
        }
        Ok(())
    }

    /// Resolves the targets that have images to resolve to.
    fn resolves(&mut self, info: &PassInfo) -> Result<(), Error> {
        let [left, top, width, height] = info.area;
        let mut resolve = |from: &ImageView, to: &ImageView, aspect, mode| {
            info.layer_runs().try_for_each(|[first, layers]| {
                let places = [from, to].map(|view| Box3 {
                    aspect,
                    level: view.levels[0],
                    at: [left, top, view.layers[0] + first],
                });
                self.resolve([from.into(), to.into()], places, [width, height, layers], mode)
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

    /// Begins counting samples, primitives of a stream, or statistics.
    ///
    /// # Errors
    /// Memory is used up.
    pub fn begin_query(
        &mut self,
        pool: &QueryPool,
        [query, stream]: [u32; 2],
        precise: bool,
    ) -> Result<(), Error> {
        if let Some(kind) = pool.counted() {
            self.set_counting(kind, Some(pool.result_address(query)), stream)?;
        } else if let (Some(pass), Some(counter)) = (&mut self.pass, pool.counter(query)) {
            pass.shown.query = Some((counter, precise));
            self.graphics.state.dirty |= Dirty::QUERY;
        }
        Ok(())
    }

    /// Ends counting.
    ///
    /// # Errors
    /// Memory is used up.
    pub fn end_query(&mut self, pool: &Arc<QueryPool>, [query, stream]: [u32; 2]) -> Result<(), Error> {
        if let Some(kind) = pool.counted() {
            self.set_counting(kind, None, stream)?;
        }
        match &mut self.pass {
            Some(pass) => {
                if pool.counted().is_none() {
                    pass.shown.query = None;
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
    let (address, bytes) = upload.initial_update();
    let pointer = encode::state_pointer(address, bytes as usize).bits();
    stream.push(upload, &[START.bits(), pointer as u32, (pointer >> 32) as u32])?;
    Ok(stream)
}

/// Sets the helper programs of stages that have stacks.
fn put_helpers(words: &mut RenderCommand, scratch: &ScratchMemory, [vertex, fragment]: [Stacks; 2]) {
    if let Some(helper) = scratch.helper(scratch::Stage::Vertex, vertex) {
        words
            .put_flag(&command::VERTEX_SCRATCH, true)
            .put(&command::VERTEX_HELPER, helper.program)
            .put(&command::VERTEX_HELPER_CONFIG, helper.config)
            .put(&command::VERTEX_HELPER_DATA, helper.argument);
    }
    if let Some(helper) = scratch.helper(scratch::Stage::Fragment, fragment) {
        words
            .put(&command::FRAGMENT_HELPER, helper.program)
            .put(&command::FRAGMENT_HELPER_CONFIG, helper.config)
            .put(&command::FRAGMENT_HELPER_DATA, helper.argument);
    }
}

/// Interrupts a pass that cannot have the next draw: its arrays are full, its samples are elsewhere, or the draw biases depth in
/// other units.
fn renew(recorder: &mut Recorder) -> Result<(), Error> {
    let Some(pass) = &recorder.pass else { return Ok(()) };
    let Graphics { state, dynamic, .. } = &recorder.graphics;
    let samples_move = pass.draws > 0
        && state.dirty.intersects(Dirty::PROGRAMS)
        && dynamic.samples.positions(pass.shown.samples) != pass.shown.sample_positions;
    let wanted = dynamic.raster.biased.then(|| pass.shown.info.biases_by_range(&dynamic.raster));
    let bias_differs = state.dirty.intersects(Dirty::BIAS)
        && wanted.zip(pass.shown.whole_bias).is_some_and(|(wanted, known)| wanted != known);
    match samples_move || bias_differs || pass.arrays.is_full() {
        true => interrupt(recorder),
        false => Ok(()),
    }
}

/// Ends the current render pass and begins it again with the contents of its images, so that later draws can read them.
///
/// # Errors
/// Out of memory.
pub(crate) fn interrupt(recorder: &mut Recorder) -> Result<(), Error> {
    let Some(mut pass) = recorder.pass.take() else { return Ok(()) };
    store_all(&mut pass);
    recorder.finish_pass(&mut pass)?;
    resume(recorder, pass)
}

/// Begins a stored render pass again.
fn resume(recorder: &mut Recorder, mut pass: Box<Pass>) -> Result<(), Error> {
    let (mut info, query, finished) =
        (std::mem::take(&mut pass.shown.info), pass.shown.query, std::mem::take(&mut pass.finished));
    let load = vk::AttachmentLoadOp::LOAD;
    info.colours.iter_mut().flatten().for_each(|target| target.load = load);
    info.depth.iter_mut().chain(&mut info.stencil).for_each(|target| target.load = load);
    pass.clear();
    recorder.ended = Some(pass);
    recorder.begin_pass(info)?;
    if let Some(pass) = &mut recorder.pass {
        (pass.shown.query, pass.finished) = (query, finished);
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

/// Has all images of a pass stored.
fn store_all(pass: &mut Pass) {
    let store = vk::AttachmentStoreOp::STORE;
    pass.shown.info.colours.iter_mut().flatten().for_each(|target| target.store = store);
    pass.shown
        .info
        .depth
        .iter_mut()
        .chain(&mut pass.shown.info.stencil)
        .for_each(|target| target.store = store);
}
