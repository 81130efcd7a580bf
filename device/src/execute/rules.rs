//! Rules between records: what a conformant driver writes at the start of a stream, before a draw, after a launch.
//!
//! [`agx_abi::record::Rule`] has the rules of single fields. Those here span several records; their source is the same, the
//! submissions of Mesa's driver 26.1. A violation is a finding of the strict device.

use agx_abi::streams::READ_AHEAD_BYTES;
use agx_emulator::Memory;

use super::render::Pass;
use super::state::Update;
use super::vertices::DrawCall;
use crate::bytes;
use crate::record::{
    self, Field, Record, cull, cull_2, draw_barrier, fragment_control, fragment_face_2, index_list,
    ppp_header, region_clip, render_command, scissor, scissor_index, vertex_control, vertex_state, viewport,
};

/// The rasteriser state that must be set before the first draw of a stream: that of the stream before it is unknown.
const INITIAL: [Field; 23] = {
    use ppp_header::*;
    [
        CONTROL,
        CONTROL_2,
        FRONT_FACE,
        FRONT_FACE_2,
        FRONT_STENCIL,
        BACK_FACE,
        BACK_FACE_2,
        BACK_STENCIL,
        SCISSOR,
        REGION_CLIP,
        VIEWPORT,
        W_CLAMP,
        OUTPUT_SELECT,
        VARYINGS_32,
        VARYINGS_16,
        CULL,
        CULL_2,
        SHADER,
        OCCLUSION,
        OCCLUSION_2,
        OUTPUT_UNKNOWN,
        OUTPUT_SIZE,
        VARYING_2,
    ]
};

/// The vertex state that must be set before the first draw.
const INITIAL_VERTEX: [Field; 4] = {
    use vertex_state::*;
    [SHADER_WORD_0, SHADER_WORD_1, OUTPUTS, CONTROL]
};

/// The state of a draw stream that rules depend on.
#[derive(Clone, Debug, Default)]
pub(super) struct DrawRules {
    /// Whether the stream began with an invalidation.
    has_begun: bool,
    /// Flags of all headers and of all vertex states so far.
    set: [u64; 2],
    restart: Vec<u8>,
    vertex_control: Vec<u8>,
    front_2: Vec<u8>,
    cull_2: Vec<u8>,
    regions: Vec<Vec<u8>>,
}

impl DrawRules {
    /// A record of the stream; the violated rule about its start, if any.
    pub(super) fn reach(&mut self, memory: &Memory, address: u64) -> Option<String> {
        if std::mem::replace(&mut self.has_begun, true) {
            return None;
        }
        let bytes = bytes::record(memory, address, &draw_barrier::RECORD).unwrap_or_default();
        let is_barrier = draw_barrier::BLOCK.get(&bytes) == record::VDM_BARRIER;
        let begins = is_barrier && draw_barrier::INVALIDATE_SHADERS.is_set(&bytes);
        (!begins)
            .then(|| String::from("the draw stream does not begin with a barrier that invalidates shaders"))
    }

    /// An update of the rasteriser's state.
    pub(super) fn update(&mut self, update: &Update) {
        let Some((_, _, header)) = update.first() else { return };
        self.set[0] |= record::bits(header, 0, 32);
        if ppp_header::REGION_CLIP.is_set(header) {
            self.regions.clear();
        }
        for (_, record, bytes) in update {
            match record.name {
                name if name == fragment_face_2::RECORD.name => self.front_2.clone_from(bytes),
                name if name == cull_2::RECORD.name => self.cull_2.clone_from(bytes),
                name if name == region_clip::RECORD.name => self.regions.push(bytes.clone()),
                _ => {}
            }
        }
    }

    /// A word of vertex state.
    pub(super) fn vertex(&mut self, record: &Record, bytes: &[u8]) {
        match record.name {
            name if name == vertex_state::RECORD.name => self.set[1] |= record::bits(bytes, 0, 8),
            name if name == record::restart_index::RECORD.name => self.restart = bytes.to_vec(),
            name if name == vertex_control::RECORD.name => self.vertex_control = bytes.to_vec(),
            _ => {}
        }
    }

    /// The rules that a draw violates.
    pub(super) fn draw(&self, memory: &Memory, pass: &Pass<'_>, call: &DrawCall) -> Vec<String> {
        let mut found = self.missing(pass, call);
        found.extend(self.objects(pass, call));
        found.extend(self.numbers(call));
        found.extend(self.edges(memory, pass));
        found
    }

    /// State that the stream has not set.
    fn missing(&self, pass: &Pass<'_>, call: &DrawCall) -> Vec<String> {
        let is_set = |set: u64, field: &Field| record::bits(&set.to_le_bytes(), field.start, field.bits) != 0;
        let is_needed = |field: &Field| field.name != ppp_header::SHADER.name || !pass.raster.tests_only();
        let states = INITIAL.iter().filter(|field| is_needed(field) && !is_set(self.set[0], field));
        let restart = index_list::RESTART.is_set(&call.head).then_some(&vertex_state::RESTART_INDEX);
        let vertex = INITIAL_VERTEX.iter().chain(restart).filter(|field| !is_set(self.set[1], field));
        let sentence = |field: &Field| format!("a draw before the stream has set {}", field.name);
        states.chain(vertex).map(sentence).collect()
    }

    /// Rules of what the vertices make.
    fn objects(&self, pass: &Pass<'_>, call: &DrawCall) -> Vec<String> {
        let [is_point, is_line] = match index_list::PRIMITIVE.get(&call.head) {
            0 => [true, false],
            1..=5 => [false, true],
            _ => [false, false],
        };
        let object = fragment_face_2::OBJECT.get(&self.front_2);
        let fits = match object {
            0 => !is_point && !is_line,
            1 => is_line,
            _ => is_point,
        };
        let control = &pass.raster.control;
        let has_bias = fragment_control::DEPTH_BIAS.is_set(control);
        let merges = !fragment_control::NO_MERGING.is_set(control);
        let rules = [
            (fits, "the object of fragment face 2 is not what the draw makes"),
            (object == 0 || !has_bias, "a depth bias of points or lines"),
            (object == 0 || !merges, "points or lines are merged, which breaks derivatives"),
            (
                object == 1 || !cull::MULTISAMPLED.is_set(&pass.raster.cull),
                "MULTISAMPLED is set for other primitives than lines",
            ),
            (
                vertex_control::PRIMITIVE_ID.is_set(&self.vertex_control)
                    == cull_2::PRIMITIVE_ID.is_set(&self.cull_2),
                "primitives are numbered by vertex control or by cull 2 but not by both",
            ),
        ];
        rules.into_iter().filter(|(holds, _)| !holds).map(|(_, what)| String::from(what)).collect()
    }

    /// Rules of the numbers of a draw.
    fn numbers(&self, call: &DrawCall) -> Vec<String> {
        let mut found = Vec::new();
        let largest = match index_list::INDEX_SIZE.get(&call.head) {
            0 => 0xff,
            1 => 0xffff,
            _ => 0xffff_ffff,
        };
        let restart = record::restart_index::VALUE.get(&self.restart);
        if index_list::RESTART.is_set(&call.head) && restart != largest {
            found.push(format!("the restart index is {restart:#x}; the largest index is {largest:#x}"));
        }
        found
    }

    /// Rules of scissors: each is inside its viewport and the framebuffer, and its region is that of its tiles.
    fn edges(&self, memory: &Memory, pass: &Pass<'_>) -> Vec<String> {
        let first = scissor_index::SCISSOR.get(&pass.raster.scissor);
        let base = render_command::SCISSORS.get(pass.command);
        let size = [render_command::WIDTH, render_command::HEIGHT].map(|field| field.get(pass.command));
        let mut found = Vec::new();
        for ((at, view), region) in (first..).zip(&pass.raster.viewports).zip(&self.regions) {
            let address = bytes::element(base, at, &scissor::RECORD);
            let Ok(edges) = bytes::record(memory, address, &scissor::RECORD) else { continue };
            let scissor = Edges::of_scissor(&edges);
            if !scissor.is_empty() && !scissor.is_inside(&Edges::of_viewport(view, size)) {
                found.push(String::from("a scissor is not inside its viewport and the framebuffer"));
            }
            if Edges::of_region(region) != scissor.tiles() {
                found.push(String::from("a region clip is not that of the tiles of its scissor"));
            }
            if !is_depth_range(&edges, view) {
                found.push(String::from(
                    "the depths of a scissor are neither 0 and 1 nor those of its viewport",
                ));
            }
        }
        found
    }
}

/// A rectangle: first, and after the last, along x and y.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Edges([[u64; 2]; 2]);

impl Edges {
    fn of_scissor(bytes: &[u8]) -> Edges {
        use scissor::*;
        Edges([[MIN_X, MAX_X], [MIN_Y, MAX_Y]].map(|axis| axis.map(|field| field.get(bytes))))
    }

    fn of_region(bytes: &[u8]) -> Edges {
        use region_clip::*;
        Edges([[MIN_X, MAX_X], [MIN_Y, MAX_Y]].map(|axis| axis.map(|field| field.get(bytes))))
    }

    /// The pixels of a viewport that are in a framebuffer of a size.
    fn of_viewport(bytes: &[u8], [width, height]: [u64; 2]) -> Edges {
        use viewport::*;
        let axis = |translate: Field, scale: Field, size: u64| {
            let (centre, half) = (translate.float(bytes), scale.float(bytes).abs());
            // Conversions saturate.
            [((centre - half).floor() as u64).min(size), ((centre + half).ceil() as u64).min(size)]
        };
        Edges([axis(TRANSLATE_X, SCALE_X, width), axis(TRANSLATE_Y, SCALE_Y, height)])
    }

    fn is_empty(&self) -> bool {
        self.0.iter().any(|[first, end]| first >= end)
    }

    fn is_inside(&self, outer: &Edges) -> bool {
        self.0.iter().zip(&outer.0).all(|(own, outer)| own[0] >= outer[0] && own[1] <= outer[1])
    }

    /// The tiles of 32 by 32 pixels, at least one.
    fn tiles(&self) -> Edges {
        Edges(self.0.map(|[first, end]| [first / 32, end.max(1).div_ceil(32)]))
    }
}

/// Whether the depths of a scissor are 0 and 1, or those of a viewport.
fn is_depth_range(edges: &[u8], view: &[u8]) -> bool {
    let found = [scissor::MIN_Z, scissor::MAX_Z].map(|field| field.float(edges));
    let [first, length] = [viewport::TRANSLATE_Z, viewport::SCALE_Z].map(|field| field.float(view));
    let own = [first.min(first + length), first.max(first + length)];
    let is_near = |known: [f32; 2]| found.iter().zip(known).all(|(a, b)| (a - b).abs() <= 1e-6);
    is_near([0.0, 1.0]) || is_near(own)
}

/// The violated rule about the end of a part of a draw stream.
pub(super) fn guard(memory: &Memory, end: u64) -> Option<String> {
    memory.fetch(end, &mut [0; READ_AHEAD_BYTES]).is_err().then(|| {
        format!("a draw stream ends less than {READ_AHEAD_BYTES:#x} bytes before memory that is not mapped")
    })
}
