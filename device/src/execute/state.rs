//! State of a draw control stream, as set by its records so far.

use agx_emulator::{
    Binding, Comparison, Cull, Fill, Memory, Shading, Stencil, StencilOp, Tests, Topology, Viewport, Volume,
};

use crate::bytes;
use crate::record::{
    self, Field, Record, UPDATE, cf_binding, cull, depth_bias, fragment_control, fragment_face,
    fragment_face_2, fragment_stencil, occlusion, output_select, ppp_header, ppp_state, render_command,
    scissor, scissor_index, varying_counts,
};
use crate::stream::{StreamError, unbound};

/// The records of the rasteriser's state, each as its bytes.
#[derive(Clone, Debug, Default)]
pub(crate) struct Raster {
    control_1: Vec<u8>,
    control_2: Vec<u8>,
    /// Both words of fragment control: drivers set some bits in each.
    pub(crate) control: Vec<u8>,
    pub(crate) front: Vec<u8>,
    pub(crate) front_2: Vec<u8>,
    pub(crate) front_stencil: Vec<u8>,
    pub(crate) back: Vec<u8>,
    pub(crate) back_stencil: Vec<u8>,
    pub(crate) scissor: Vec<u8>,
    pub(crate) viewports: Vec<Vec<u8>>,
    pub(crate) outputs: Vec<u8>,
    pub(crate) varyings: Vec<u8>,
    pub(crate) cull: Vec<u8>,
    w_clamp: Vec<u8>,
    pub(crate) shader: Vec<u8>,
}

/// Vertex state.
#[derive(Clone, Debug, Default)]
pub(crate) struct VertexState {
    pub(crate) restart: u32,
    pub(crate) shader_0: Vec<u8>,
    pub(crate) pipeline: u64,
    pub(crate) provoking: u64,
}

/// The occlusion index, separate from the state that a draw needs.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Occlusion(pub(crate) u64);

/// An update of the rasteriser's state: its records with their addresses, for checks and listings.
pub(crate) type Update = Vec<(u64, &'static Record, Vec<u8>)>;

/// The arrays of a pass whose elements a draw selects: the field of the command with the address, that with the index, and the record.
pub(crate) const ARRAYS: [(Field, Field, &Record); 2] = [
    (render_command::SCISSORS, scissor_index::SCISSOR, &scissor::RECORD),
    (render_command::DEPTH_BIASES, scissor_index::DEPTH_BIAS, &depth_bias::RECORD),
];

/// Address and number of words of the update that a record of a stream names.
pub(crate) fn update_place(pointer: &[u8]) -> (u64, u64) {
    let address = ppp_state::ADDRESS_HIGH.get(pointer) << 32 | ppp_state::ADDRESS_LOW.get(pointer);
    (address, ppp_state::WORDS.get(pointer))
}

/// Reads the update that a record of a stream names.
pub(crate) fn read_update(memory: &Memory, pointer: &[u8]) -> Result<Update, StreamError> {
    let (address, words) = update_place(pointer);
    let bytes = bytes::read(memory, address, (words as usize).saturating_mul(4))
        .map_err(unbound("an update of the rasteriser's state", address))?;
    let mismatch =
        || StreamError::Shape { address, what: "has an update whose length does not match its header" };
    let (mut at, mut rest) = (address, bytes.as_slice());
    let mut take = |record: &'static Record| {
        let (piece, after) = rest.split_at_checked(record.bytes).ok_or_else(mismatch)?;
        let found = (at, record, piece.to_vec());
        (at, rest) = (bytes::address(at, record.bytes as u64), after);
        Ok(found)
    };
    let header = take(&ppp_header::RECORD)?;
    let viewports = ppp_header::VIEWPORTS.get(&header.2);
    let present: Vec<_> = UPDATE.iter().filter(|(flag, ..)| flag.is_set(&header.2)).collect();
    let mut update = vec![header];
    for (_, record, each) in present {
        for _ in 0..if *each { viewports } else { 1 } {
            update.push(take(record)?);
        }
    }
    if rest.is_empty() { Ok(update) } else { Err(mismatch()) }
}

impl Raster {
    /// Applies an update; returns the occlusion index if it has one.
    pub(crate) fn apply(&mut self, update: &Update) -> Option<Occlusion> {
        let mut found = None;
        let mut records = update.iter();
        let (_, _, header) = records.next()?;
        let viewports = ppp_header::VIEWPORTS.get(header);
        if ppp_header::VIEWPORT.is_set(header) {
            self.viewports.clear();
        }
        for (flag, _, each) in UPDATE.iter().filter(|(flag, ..)| flag.is_set(header)) {
            for _ in 0..if *each { viewports } else { 1 } {
                let Some((_, record, bytes)) = records.next() else { break };
                if record.name == record::viewport::RECORD.name {
                    self.viewports.push(bytes.clone());
                } else if record.name == occlusion::RECORD.name {
                    found = Some(Occlusion(occlusion::INDEX.get(bytes)));
                } else if flag.name == ppp_header::CONTROL_2.name {
                    self.control_2.clone_from(bytes);
                } else if let Some(place) = self.place(flag.name) {
                    place.clone_from(bytes);
                }
            }
        }
        self.control = either(&self.control_1, &self.control_2);
        found
    }

    /// The storage of the record for a flag of the header.
    fn place(&mut self, flag: &str) -> Option<&mut Vec<u8>> {
        Some(match flag {
            "CONTROL" => &mut self.control_1,
            "FRONT_FACE" => &mut self.front,
            "FRONT_FACE_2" => &mut self.front_2,
            "FRONT_STENCIL" => &mut self.front_stencil,
            "BACK_FACE" => &mut self.back,
            "BACK_STENCIL" => &mut self.back_stencil,
            "SCISSOR" => &mut self.scissor,
            "OUTPUT_SELECT" => &mut self.outputs,
            "VARYINGS_32" => &mut self.varyings,
            "CULL" => &mut self.cull,
            "W_CLAMP" => &mut self.w_clamp,
            "SHADER" => &mut self.shader,
            _ => return None,
        })
    }

    /// Depth and stencil tests.
    pub(crate) fn tests(&self) -> Tests {
        let enabled = fragment_control::STENCIL.is_set(&self.control);
        let face = |face: &[u8], stencil: &[u8]| match enabled {
            true => stencil_of(face, stencil),
            false => Stencil::default(),
        };
        let front = face(&self.front, &self.front_stencil);
        let two_sided = fragment_control::TWO_SIDED_STENCIL.is_set(&self.control);
        let back = if two_sided { face(&self.back, &self.back_stencil) } else { front };
        let first = comparison(fragment_face::DEPTH_COMPARE.get(&self.front));
        let second = comparison(fragment_face_2::DEPTH_COMPARE.get(&self.front_2));
        let kept = fragment_face::NO_DEPTH_WRITE.is_set(&self.front)
            && fragment_face_2::NO_DEPTH_WRITE.is_set(&self.front_2);
        Tests {
            // Both tests must pass; drivers set one of them to `always`.
            depth: if first == Comparison::Always { second } else { first },
            depth_write: !kept,
            front,
            back,
        }
    }

    /// Whether the program kills or tests samples, so that the tests run when it triggers them.
    pub(crate) fn late_tests(&self) -> bool {
        fragment_control::PASS.get(&self.control) >= 2
    }

    /// Whether fragment programs do not run: draws only count samples and change depth and stencil.
    pub(crate) fn tests_only(&self) -> bool {
        fragment_control::NO_TAG_WRITE.is_set(&self.control)
    }

    /// When fragment programs run.
    pub(crate) fn shading(&self) -> Shading {
        match fragment_control::PASS.get(&self.control) {
            _ if self.tests_only() => Shading::Tests,
            0 => Shading::Opaque,
            _ => Shading::Each,
        }
    }

    /// The culled faces; `None` if all are culled. Points and lines have no faces.
    pub(crate) fn cull(&self, topology: Topology) -> Option<Cull> {
        if topology != Topology::Triangles {
            return Some(Cull::None);
        }
        match (cull::FRONT.is_set(&self.cull), cull::BACK.is_set(&self.cull)) {
            (false, false) => Some(Cull::None),
            (true, false) => Some(Cull::Front),
            (false, true) => Some(Cull::Back),
            (true, true) => None,
        }
    }

    /// The part of triangles that is drawn.
    pub(crate) fn fill(&self) -> Fill {
        match fragment_face::POLYGON_MODE.get(&self.front) {
            1 => Fill::Edges,
            2 => Fill::Corners,
            _ => Fill::Whole,
        }
    }

    /// The volume to which primitives are clipped.
    pub(crate) fn volume(&self) -> Volume {
        // A stream that does not set it would otherwise divide by zero.
        let least_w = record::w_clamp::W.float(&self.w_clamp).max(f32::MIN_POSITIVE);
        Volume { depth: cull::DEPTH_CLIP.is_set(&self.cull), least_w }
    }

    pub(crate) fn line_width(&self) -> f32 {
        fragment_face::LINE_WIDTH.get(&self.front) as f32 / 16.0
    }

    /// Slots of vertex outputs in the order of the hardware: position, user varyings, point size, layer and viewport,
    /// clip distances.
    pub(crate) fn slots(&self) -> Slots {
        let varyings: u64 = [varying_counts::SMOOTH, varying_counts::FLAT, varying_counts::LINEAR]
            .iter()
            .map(|count| count.get(&self.varyings))
            .sum();
        let has = |field: Field| field.is_set(&self.outputs);
        let point_size = (varyings as u32).saturating_add(4);
        let layer = point_size.saturating_add(has(output_select::POINT_SIZE).into());
        let targeted = has(output_select::VIEWPORT_TARGET) || has(output_select::RENDER_TARGET);
        Slots {
            point_size: has(output_select::POINT_SIZE).then_some(point_size),
            layer: targeted.then_some(layer),
            clip: layer.saturating_add(targeted.into()),
            clip_count: output_select::CLIP_PLANES.get(&self.outputs).count_ones(),
            user_base: if has(output_select::FRAG_COORD_Z) { 2 } else { 1 },
        }
    }
}

/// The bits that are set in either of two records.
fn either(a: &[u8], b: &[u8]) -> Vec<u8> {
    let at = |bytes: &[u8], at: usize| bytes.get(at).copied().unwrap_or(0);
    (0..a.len().max(b.len())).map(|place| at(a, place) | at(b, place)).collect()
}

/// Slots of vertex outputs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Slots {
    pub(crate) point_size: Option<u32>,
    pub(crate) layer: Option<u32>,
    pub(crate) clip: u32,
    pub(crate) clip_count: u32,
    /// Words before the first user varying: w, and depth if it is selected.
    pub(crate) user_base: u32,
}

fn stencil_of(face: &[u8], stencil: &[u8]) -> Stencil {
    Stencil {
        compare: comparison(fragment_stencil::COMPARE.get(stencil)),
        reference: fragment_face::STENCIL_REFERENCE.get(face) as u8,
        read_mask: fragment_stencil::READ_MASK.get(stencil) as u8,
        write_mask: fragment_stencil::WRITE_MASK.get(stencil) as u8,
        fail: operation(fragment_stencil::FAIL.get(stencil)),
        depth_fail: operation(fragment_stencil::DEPTH_FAIL.get(stencil)),
        pass: operation(fragment_stencil::PASS.get(stencil)),
    }
}

/// The row of a code of three bits.
#[expect(clippy::indexing_slicing, reason = "three bits select one of eight rows")]
fn row<T: Copy>(table: [T; 8], code: u64) -> T {
    table[code as usize & 7]
}

fn comparison(code: u64) -> Comparison {
    use Comparison::*;
    row([Never, Less, Equal, LessEqual, Greater, NotEqual, GreaterEqual, Always], code)
}

fn operation(code: u64) -> StencilOp {
    use StencilOp::*;
    row([Keep, Zero, Replace, IncrementClamp, DecrementClamp, Invert, IncrementWrap, DecrementWrap], code)
}

/// A viewport record.
pub(crate) fn viewport(bytes: &[u8]) -> Viewport {
    use record::viewport::*;
    let [x, y, z] = [TRANSLATE_X, TRANSLATE_Y, TRANSLATE_Z].map(|field| field.float(bytes));
    let [w, h, d] = [SCALE_X, SCALE_Y, SCALE_Z].map(|field| field.float(bytes));
    Viewport { x: x - w, y: y - h, width: 2.0 * w, height: 2.0 * h, min_depth: z, max_depth: z + d }
}

/// Shading code of values that are divided by w.
const PERSPECTIVE: u64 = 7;

/// The contents of coefficient registers for a binding: register and meaning of each; the error is a source that is not
/// modelled.
pub(crate) fn coefficients(bytes: &[u8], slots: &Slots) -> Result<Vec<(usize, Binding)>, &'static str> {
    let first = cf_binding::REGISTER.get(bytes) as usize;
    let shade = cf_binding::SHADE.get(bytes);
    let count = cf_binding::COMPONENTS.get(bytes) as u32;
    let slots_from = cf_binding::SLOT.get(bytes) as u32..;
    let places = (first..).zip(slots_from).zip(0..count);
    places
        .map(|((register, slot), at)| {
            let binding = match cf_binding::SOURCE.get(bytes) {
                0 if slot == 0 => Binding::OneOverW,
                0 => varying(slot.saturating_sub(slots.user_base).saturating_add(4), shade),
                1 => Binding::Depth,
                2 => Binding::Point { axis: at.min(1) as usize, over_w: shade == PERSPECTIVE },
                3 => Binding::PrimitiveId,
                _ => return Err("a coefficient of this source"),
            };
            Ok((register, binding))
        })
        .collect()
}

fn varying(slot: u32, shade: u64) -> Binding {
    match shade {
        3 => Binding::Linear(slot),
        PERSPECTIVE => Binding::Perspective(slot),
        6 => Binding::FlatCorner(slot, 1),
        2 => Binding::FlatCorner(slot, 2),
        _ => Binding::FlatCorner(slot, 0),
    }
}
