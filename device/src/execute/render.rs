//! Render commands: a pass over a framebuffer, from the background program to the end-of-tile program.

use agx_abi::tile::TILE_SIZES;
use agx_abi::words::ProgramKind;
use agx_emulator::{
    Bias, Binding, Draw, Memory, More, PassShape, Program, Stage, Topology, Viewport, geometry,
};
use std::sync::Arc;

use super::caches::{Drops, read_words};
use super::depth::DepthBuffer;
use super::parameters::{Counter, DrawState, Parameters, Rasterised};
use super::rules::{self, DrawRules};
use super::scratch::{self, User, scratch_bytes};
use super::state::{Raster, VertexState, coefficients, read_update, update_place, viewport};
use super::tile::End;
use super::vertices::DrawCall;
use super::{Device, Submission, note_all, sampler_heap, states};
use crate::bytes;
use crate::record::{
    self, Scope, VDM_BARRIER, VDM_INDICES, VDM_LINK, VDM_PPP, VDM_STATE, VDM_TERMINATE, cf_binding,
    cf_header, cull, depth_bias, draw_barrier, draw_link, fragment_control, fragment_shader, index_list,
    ppp_state, render_command, scissor, scissor_index, vertex_control, vertex_shader_0, vertex_shader_1,
    vertex_state,
};
use crate::statistics::Work;
use crate::stream::{StreamError, Walk, Words, unbound};

/// Maximum number of tiles in all layers.
const MOST_TILES: u64 = 1 << 20;
/// Vertices drawn at a time; divisible by the vertices of every primitive.
const CHUNK: usize = 3 * 2 * 4096;

/// A render pass in progress.
pub(super) struct Pass<'c> {
    pub(super) command: &'c [u8],
    pub(super) shape: PassShape,
    pub(super) raster: Arc<Raster>,
    vertex: VertexState,
    rules: DrawRules,
    occlusion: u64,
    pub(super) heap: Option<(u64, u32)>,
    draws: u32,
    /// The draws whose primitives are in the parameter buffer.
    pub(super) parameters: Parameters,
}

/// A program of a pass with its inputs.
pub(super) struct Loaded {
    pub(super) words: Words,
    program: Arc<Program>,
    preamble: Option<Arc<Program>>,
}

impl Loaded {
    /// Its words and its preamble.
    fn parts(&self) -> (&Words, Option<&Program>) {
        (&self.words, self.preamble.as_deref())
    }

    pub(super) fn stage(&self, heap: Option<(u64, u32)>) -> Stage<'_> {
        Stage {
            program: &self.program,
            preamble: self.preamble.as_deref(),
            uniforms: &self.words.uniforms,
            states: states(&self.words, heap),
            scratch_bytes: scratch_bytes(&self.words),
        }
    }
}

impl Device {
    pub(super) fn render(
        &mut self,
        submission: &mut Submission<'_>,
        command: &[u8],
    ) -> Result<(), StreamError> {
        use render_command::*;
        check_command(self, command);
        self.statistics.read(|sums| &mut sums.passes, 1);
        let mut pass = Pass {
            command,
            shape: shape(command)?,
            raster: Arc::default(),
            vertex: VertexState::default(),
            rules: DrawRules::default(),
            occlusion: 0,
            heap: sampler_heap(SAMPLER_HEAP.get(command), SAMPLER_COUNT.get(command)),
            draws: 0,
            parameters: Parameters::default(),
        };
        let outcome = self.draws(submission, &mut pass);
        self.visit_tiles(submission, &mut pass, End::Pass)?;
        outcome
    }

    /// The words and programs of a shader.
    pub(super) fn loaded(
        &mut self,
        submission: &Submission<'_>,
        address: u64,
        extended: bool,
        scope: &Scope<'_>,
    ) -> Result<Loaded, StreamError> {
        let base = submission.shader_base;
        let words = read_words(self, submission, bytes::address(base, address), extended)?;
        self.check_words(&words, scope);
        let program = self.program(submission, words.code)?;
        let preamble = match words.preamble {
            Some(address) => Some(self.program(submission, address)?),
            None => None,
        };
        Ok(Loaded { words, program, preamble })
    }

    /// Walks the draw control stream.
    fn draws(&mut self, submission: &mut Submission<'_>, pass: &mut Pass<'_>) -> Result<(), StreamError> {
        let mut walk = Walk::new(render_command::STREAM.get(pass.command));
        loop {
            let reached = walk.reach(submission.memory)?;
            self.place.record = Some(reached.address);
            if self.settings.strict {
                let found = pass.rules.reach(submission.memory, reached.address);
                note_all(self, found);
            }
            match reached.kind {
                VDM_PPP => update(self, submission.memory, &mut walk, pass)?,
                VDM_BARRIER => {
                    let bytes = walk.take(submission.memory, &draw_barrier::RECORD)?;
                    self.check(&draw_barrier::RECORD, &bytes);
                    self.statistics.read(|sums| &mut sums.barriers, 1);
                    let space = (submission.vm, &mut *submission.memory);
                    let stale = self.caches.drop(space, Drops::of_draws(&bytes));
                    note_all(self, stale);
                    if draw_barrier::RETURNS.is_set(&bytes) {
                        walk.back()?;
                    }
                }
                VDM_STATE => self.vertex_state(submission.memory, &mut walk, pass)?,
                VDM_INDICES => {
                    let call = DrawCall::read(submission.memory, &mut walk)?;
                    check_draw(self, submission.memory, pass, &call);
                    if self.settings.interrupts(pass.draws) {
                        self.visit_tiles(submission, pass, End::Part)?;
                    }
                    self.place.launch = Some(pass.draws);
                    pass.draws = pass.draws.saturating_add(1);
                    self.draw(submission, pass, &call)?;
                }
                VDM_LINK => {
                    let bytes = walk.take(submission.memory, &draw_link::RECORD)?;
                    let target = draw_link::TARGET_HIGH.get(&bytes) << 32 | draw_link::TARGET_LOW.get(&bytes);
                    note_all(self, rules::guard(submission.memory, walk.at));
                    walk.link(target, draw_link::WITH_RETURN.is_set(&bytes))?;
                }
                VDM_TERMINATE => {
                    self.statistics.read(|sums| &mut sums.stream_bytes, walk.taken);
                    note_all(self, rules::guard(submission.memory, bytes::address(walk.at, 4)));
                    return Ok(());
                }
                kind => return Err(StreamError::Kind { address: reached.address, kind }),
            }
        }
    }

    fn vertex_state(
        &mut self,
        memory: &Memory,
        walk: &mut Walk,
        pass: &mut Pass<'_>,
    ) -> Result<(), StreamError> {
        let state = &mut pass.vertex;
        for (record, bytes) in vertex_words(memory, walk)? {
            self.check(record, &bytes);
            pass.rules.vertex(record, &bytes);
            match record.name {
                name if name == record::restart_index::RECORD.name => {
                    state.restart = record::restart_index::VALUE.get(&bytes) as u32;
                }
                name if name == vertex_shader_0::RECORD.name => state.shader_0 = bytes,
                name if name == vertex_shader_1::RECORD.name => {
                    state.pipeline = vertex_shader_1::PIPELINE.get(&bytes);
                }
                name if name == vertex_control::RECORD.name => {
                    state.provoking = vertex_control::PROVOKING.get(&bytes);
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn draw(
        &mut self,
        submission: &mut Submission<'_>,
        pass: &mut Pass<'_>,
        call: &DrawCall,
    ) -> Result<(), StreamError> {
        self.statistics.count(|sums| &mut sums.draws);
        let Some((topology, corners)) =
            call.corners(submission.memory, pass.vertex.restart, pass.vertex.provoking)
        else {
            return Err(StreamError::Shape { address: call.address, what: "draws an unknown primitive" });
        };
        let vertex_extended = has_borders(vertex_shader_0::SAMPLERS.raw(&pass.vertex.shader_0) << 9);
        let scope = Scope { command: pass.command, ..Scope::NONE };
        let vertex = self.loaded(submission, pass.vertex.pipeline, vertex_extended, &scope)?;
        // A draw that only tests has no fragment program, and the record of one may be unset.
        let tests_only = pass.raster.tests_only();
        let fragment = if tests_only { None } else { Some(self.fragment(submission, pass)?) };
        let bindings = if tests_only { Vec::new() } else { self.bindings(submission, pass)? };
        let groups = (corners.len() as u64).div_ceil(32).saturating_mul(call.instances.into());
        scratch::check(self, submission, pass.command, User::Vertex, vertex.parts(), groups)?;
        if let Some(fragment) = &fragment {
            scratch::check(self, submission, pass.command, User::Fragment, fragment.parts(), 1)?;
        }
        let culled = pass.raster.cull(topology).filter(|_| !cull::DISCARD.is_set(&pass.raster.cull));
        let rasterised = match culled {
            Some(culled) => {
                let viewports = self.viewports(submission, pass)?;
                Some(Rasterised { culled, viewports, bias: bias(submission.memory, pass)? })
            }
            None => None,
        };
        let state = DrawState {
            raster: pass.raster.clone(),
            topology,
            bindings,
            vertex,
            fragment,
            rasterised,
            heap: pass.heap,
            launch: self.place.launch,
            counter: self.counter(pass),
        };
        pass.parameters.begin(state);
        let primitives = match topology {
            Topology::Points => CHUNK,
            Topology::Lines => CHUNK / 2,
            Topology::Triangles => CHUNK / 3,
        };
        for instance in 0..call.instances {
            for (chunk, first) in corners.chunks(CHUNK).zip((0_usize..).step_by(primitives)) {
                self.vertex_stage(submission, pass, chunk, [instance, first as u32]);
                if pass.parameters.bytes() > self.settings.parameter_bytes {
                    self.visit_tiles(submission, pass, End::Part)?;
                }
            }
        }
        pass.parameters.end();
        Ok(())
    }

    /// Runs the vertex stage of the latest draw for some vertices of an instance.
    fn vertex_stage(
        &mut self,
        submission: &mut Submission<'_>,
        pass: &mut Pass<'_>,
        vertices: &[u32],
        [first_instance, first_primitive]: [u32; 2],
    ) {
        let Some((state, primitives)) = pass.parameters.latest() else { return };
        let draw = state.draw(self.options());
        let more = More { first_instance, first_primitive, ..draw.more };
        let draw = Draw { vertices, more, ..draw };
        let layers = if state.rasterised.is_some() { pass.shape.layers } else { 0 };
        let outcome = geometry(submission.memory, &draw, (pass.shape.size, layers), primitives);
        let program = state.vertex.words.code;
        self.conclude(program, Work::Draw, outcome);
    }

    /// The fragment program of a draw.
    fn fragment(&mut self, submission: &Submission<'_>, pass: &Pass<'_>) -> Result<Loaded, StreamError> {
        let shader = &pass.raster.shader;
        let extended = has_borders(fragment_shader::SAMPLERS.raw(shader) << 9);
        let scope = Scope { kind: ProgramKind::Fragment, command: pass.command };
        self.loaded(submission, fragment_shader::PIPELINE.get(shader), extended, &scope)
    }

    /// Viewports with their scissors and ranges of depth.
    fn viewports(&mut self, submission: &Submission<'_>, pass: &Pass<'_>) -> Result<Viewports, StreamError> {
        let scissors = self.scissors(submission.memory, pass)?;
        let viewports = pass.raster.viewports.iter().zip(scissors);
        let found: Viewports =
            viewports.map(|(bytes, (scissor, range))| (viewport(bytes), scissor, range)).collect();
        let without =
            StreamError::Shape { address: submission.shader_base, what: "draws without a viewport" };
        if found.is_empty() { Err(without) } else { Ok(found) }
    }

    /// Contents of the coefficient registers.
    fn bindings(
        &mut self,
        submission: &Submission<'_>,
        pass: &Pass<'_>,
    ) -> Result<Vec<Binding>, StreamError> {
        let shader = &pass.raster.shader;
        let address = bytes::address(submission.shader_base, fragment_shader::COEFFICIENTS.get(shader));
        let count = fragment_shader::BINDINGS.get(shader) as usize;
        let read = |address: u64, len: usize| {
            bytes::read(submission.memory, address, len).map_err(unbound("coefficient bindings", address))
        };
        if count == 0 {
            return Ok(Vec::new());
        }
        let header = read(address, cf_header::RECORD.bytes)?;
        let registers = cf_header::REGISTERS.get(&header) as usize;
        let mut bindings = vec![Binding::OneOverW; registers];
        let slots = pass.raster.slots();
        let first = bytes::address(address, cf_header::RECORD.bytes as u64);
        let list = read(first, cf_binding::RECORD.bytes.saturating_mul(count))?;
        for record in list.chunks_exact(cf_binding::RECORD.bytes) {
            self.check(&cf_binding::RECORD, record);
            match coefficients(record, &slots) {
                Ok(found) => {
                    for (register, binding) in found {
                        match bindings.get_mut(register) {
                            Some(place) => *place = binding,
                            None => self.note(
                                format!("coefficient binding: register {register} of {registers}"),
                                false,
                            ),
                        }
                    }
                }
                Err(what) => self.note(format!("{what} is not modelled"), true),
            }
        }
        Ok(bindings)
    }

    /// The scissor of each viewport, and its range of depth.
    fn scissors(
        &mut self,
        memory: &Memory,
        pass: &Pass<'_>,
    ) -> Result<Vec<([u32; 4], [f32; 2])>, StreamError> {
        let [width, height] =
            [render_command::WIDTH, render_command::HEIGHT].map(|field| field.get(pass.command) as u32);
        let whole = [0, 0, width, height];
        let raster = &pass.raster;
        let count = raster.viewports.len().max(1);
        let first = scissor_index::SCISSOR.get(&raster.scissor);
        let base = render_command::SCISSORS.get(pass.command);
        let enabled = fragment_control::SCISSOR.is_set(&raster.control);
        let clamps = cull::DEPTH_CLAMP.is_set(&raster.cull);
        let mut scissors = Vec::new();
        for index in (first..).take(count) {
            let address = bytes::element(base, index, &scissor::RECORD);
            if base == 0 {
                scissors.push((whole, [0.0, 1.0]));
                continue;
            }
            let bytes =
                bytes::record(memory, address, &scissor::RECORD).map_err(unbound("a scissor", address))?;
            let edges = [scissor::MIN_X, scissor::MIN_Y, scissor::MAX_X, scissor::MAX_Y];
            let edges = edges.map(|field| field.get(&bytes) as u32);
            let range = [scissor::MIN_Z, scissor::MAX_Z].map(|field| field.float(&bytes));
            scissors.push((if enabled { edges } else { whole }, if clamps { range } else { [0.0, 1.0] }));
        }
        Ok(scissors)
    }

    /// The occlusion counter of a draw, and whether it counts.
    fn counter(&self, pass: &Pass<'_>) -> Option<Counter> {
        let mode = fragment_control::VISIBILITY.get(&pass.raster.control);
        let base = render_command::OCCLUSION.get(pass.command);
        let address = bytes::address(base, pass.occlusion.saturating_mul(8));
        (mode >= 2 && base != 0).then_some(Counter { address, counts: mode == 2 })
    }
}

/// Applies an update of the rasteriser's state.
fn update(
    device: &mut Device,
    memory: &Memory,
    walk: &mut Walk,
    pass: &mut Pass<'_>,
) -> Result<(), StreamError> {
    let pointer = walk.take(memory, &ppp_state::RECORD)?;
    let (address, words) = update_place(&pointer);
    let update = read_update(memory, &pointer)?;
    device.statistics.read_once(|sums| &mut sums.update_bytes, address, words.saturating_mul(4));
    for (_, record, bytes) in &update {
        device.check(record, bytes);
    }
    pass.rules.update(&update);
    if let Some(index) = Arc::make_mut(&mut pass.raster).apply(&update) {
        pass.occlusion = index.0;
    }
    Ok(())
}

/// The framebuffer of a command.
///
/// # Errors
/// It is not one that the hardware has.
fn shape(command: &[u8]) -> Result<PassShape, StreamError> {
    use render_command::*;
    let wrong = |what| StreamError::Shape { address: STREAM.get(command), what };
    let [width, height, across, down] =
        [WIDTH, HEIGHT, TILE_WIDTH, TILE_HEIGHT].map(|field| field.get(command) as u32);
    let [layers, samples] = [LAYERS, SAMPLES].map(|field| field.get(command).max(1) as u32);
    if !TILE_SIZES.contains(&[across, down]) {
        return Err(wrong("renders with tiles of an unknown size"));
    }
    if ![1, 2, 4].contains(&samples) {
        return Err(wrong("renders with an unknown number of samples"));
    }
    let [unorm16, clear] = [DepthBuffer::depth(command).is_unorm16().into(), CLEAR_DEPTH.get(command)];
    let depth = match unorm16 {
        0 => f32::from_bits(clear as u32),
        _ => (f64::from(clear as u32 & 0xffff) / 65535.0) as f32,
    };
    let shape = PassShape {
        size: [width, height],
        layers,
        tile: [across, down],
        samples,
        sample_bytes: SAMPLE_BYTES.get(command) as u32,
        sample_positions: sample_positions(command, samples),
        depth_unorm16: unorm16 != 0,
        clear: (depth, CLEAR_STENCIL.get(command) as u8),
    };
    match shape.count() > MOST_TILES {
        true => Err(wrong("renders to more tiles than are modelled")),
        false => Ok(shape),
    }
}

/// Positions of the samples in a pixel.
fn sample_positions(command: &[u8], samples: u32) -> [[f64; 2]; 4] {
    use record::multisample_control::{X0, X1, X2, X3, Y0, Y1, Y2, Y3};
    if samples == 1 {
        return [[0.5; 2]; 4];
    }
    let places = render_command::MULTISAMPLE.get(command).to_le_bytes();
    let fields = [[X0, Y0], [X1, Y1], [X2, Y2], [X3, Y3]];
    fields.map(|place| place.map(|field| field.get(&places) as f64 / 16.0))
}

/// Viewports with their scissors and ranges of depth.
pub(super) type Viewports = Vec<(Viewport, [u32; 4], [f32; 2])>;

/// Checks a render command and the registers in it.
fn check_command(device: &mut Device, command: &[u8]) {
    use record::{multisample_control, ppp_control, zls_control, zls_pixels};
    use render_command::*;
    let scope = Scope { command, ..Scope::NONE };
    device.check_in(&RECORD, command, &scope);
    let registers: [(&record::Record, record::Field); 4] = [
        (&zls_control::RECORD, ZLS_CONTROL),
        (&zls_pixels::RECORD, ZLS_PIXELS),
        (&ppp_control::RECORD, PPP_CONTROL),
        (&multisample_control::RECORD, MULTISAMPLE),
    ];
    for (record, field) in registers {
        let bytes = field.get(command).to_le_bytes();
        device.check_in(record, bytes.get(..record.bytes).unwrap_or(&bytes), &scope);
    }
}

/// Checks a draw by the rules between records.
fn check_draw(device: &mut Device, memory: &Memory, pass: &Pass<'_>, call: &DrawCall) {
    device.check(&index_list::RECORD, &call.head);
    if device.settings.strict {
        note_all(device, pass.rules.draw(memory, pass, call));
    }
}

/// Whether the resources of a program have border colours after the samplers.
pub(crate) fn has_borders(resources: u64) -> bool {
    (6..=7).contains(&(resources >> 9 & 7))
}

fn bias(memory: &Memory, pass: &Pass<'_>) -> Result<Option<Bias>, StreamError> {
    let raster = &pass.raster;
    if !fragment_control::DEPTH_BIAS.is_set(&raster.control) {
        return Ok(None);
    }
    let index = scissor_index::DEPTH_BIAS.get(&raster.scissor);
    let address = bytes::element(render_command::DEPTH_BIASES.get(pass.command), index, &depth_bias::RECORD);
    let bytes =
        bytes::record(memory, address, &depth_bias::RECORD).map_err(unbound("a depth bias", address))?;
    Ok(Some(Bias {
        constant: depth_bias::CONSTANT.float(&bytes),
        slope: depth_bias::SLOPE.float(&bytes),
        clamp: depth_bias::CLAMP.float(&bytes),
        integer: render_command::INTEGER_BIAS.is_set(pass.command),
    }))
}

/// The words after a vertex state record, with their kinds.
pub(crate) fn vertex_words(
    memory: &Memory,
    walk: &mut Walk,
) -> Result<Vec<(&'static record::Record, Vec<u8>)>, StreamError> {
    use vertex_state::*;
    let start = walk.at;
    let head = walk.take(memory, &RECORD)?;
    let order: [(record::Field, &'static record::Record); 7] = [
        (RESTART_INDEX, &record::restart_index::RECORD),
        (SHADER_WORD_0, &vertex_shader_0::RECORD),
        (SHADER_WORD_1, &vertex_shader_1::RECORD),
        (OUTPUTS, &record::vertex_outputs::RECORD),
        (TESSELLATION, &record::tessellation::RECORD),
        (CONTROL, &vertex_control::RECORD),
        (TESSELLATION_SCALE, &record::tessellation_scale::RECORD),
    ];
    let mut words: Vec<(&'static record::Record, Vec<u8>)> = Vec::new();
    for (flag, record) in order {
        if flag.is_set(&head) {
            words.push((record, walk.take(memory, record)?));
        }
    }
    // After this one, records start at multiples of eight bytes.
    if !TESSELLATION_SCALE.is_set(&head) {
        walk.align(start);
    }
    words.insert(0, (&RECORD, head));
    Ok(words)
}
