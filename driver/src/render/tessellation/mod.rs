//! Tessellation. The hardware has none: before the pass of a draw, the vertex shader and the tessellation control shader run
//! as compute shaders ([`agx_abi::tessellation`]), and programs of the driver subdivide the patches. The evaluation shader is
//! the vertex shader of the draw that follows, and the later steps of a draw treat it as one.
//!
//! Only the device has the levels of patches, and so the numbers of points and primitives. One thread for each patch describes
//! the patch (`kernels/patches.comp`); a workgroup adds up the descriptions (`kernels/patch_sums.comp`); then one thread for each
//! point and one for each primitive write the result, at places that depend on these sums only.

#[cfg(test)]
mod tests;

use std::sync::Arc;

use agx_abi::tessellation::{Domain, Spacing};
use ash::vk;
use ash::vk::PrimitiveTopology as T;
use ash::vk::QueryPipelineStatisticFlags as Flags;

use crate::Error;
use crate::cache::Known;
use crate::command::Recorder;
use crate::draw_state::{BindingInfo, VertexInput};
use crate::kernels::Kernel;
use crate::render::assembly::{Draw, Shape, most_primitives};
use crate::render::condition::before_draw;
use crate::render::draw::{DrawNumbers, Drawn, IndexBuffer, UNSHADED, draw_primitives};
use crate::render::encode::strides;
use crate::render::interrupt;
use crate::render::results::{Batch, Later, batches, claim};
use crate::render::statistics::ASSEMBLED;
use crate::results_memory::Memory;
use crate::stages::VertexStage;
use crate::tessellation::{ControlStage, EvaluationStage, Modes};
use crate::words::{Direct, Numbers, State};

/// Data that a program of one thread writes for tessellation shaders.
pub(crate) mod patch_record {
    /// First byte of the address of the records of patches.
    pub const RECORDS: u64 = 0;
    /// First byte of the address of the domain points.
    pub const POINTS: u64 = 8;
    /// First byte of the number of vertices of a patch.
    pub const VERTICES: u64 = 16;
}

/// Bytes of the launches of a draw in memory.
const LAUNCHES_BYTES: usize = 448;
/// First byte of the parameters of the launch of the control shader; those of the vertex shader are first.
const CONTROL: u64 = 128;
/// First byte of the data for tessellation shaders ([`patch_record`]).
const PATCH: u64 = 256;
/// First byte of the launch that describes patches, and of those that write points and primitives.
const DESCRIBE: u64 = 288;
const POINTS: u64 = 320;
const PRIMITIVES: u64 = 352;
/// First byte of the parameters of the draw.
const DRAW: u64 = 384;

/// Bytes of the description of a patch (`kernels/domain.comp`).
const DESCRIPTION_BYTES: u64 = 32;
/// Maximum number of points and of primitives of a patch: those of a square at level 64.
const MOST_POINTS: u64 = 65 * 65;
const MOST_PRIMITIVES: u64 = 2 * 64 * 64;
/// Threads that add up descriptions.
const SUMMING: u32 = 32;

/// Patches in memory.
#[derive(Clone, Copy)]
struct Patches {
    /// Address of the launches, which have the number of patches and the places of their records.
    launches: u64,
    /// The memory of the records and descriptions.
    memory: Memory,
    /// Bytes of a record.
    record_bytes: u32,
}

/// Draws patches: runs the vertex and the tessellation control shader, subdivides the patches, and draws the domain points
/// with the evaluation shader as vertex shader. If there is not enough memory for the results of all patches at the largest
/// levels, the pass is interrupted between batches of patches.
pub(super) fn tessellate(
    recorder: &mut Recorder,
    drawn: Drawn,
    (control, evaluation): (&ControlStage, &EvaluationStage),
    number: u32,
) -> Result<(), Error> {
    let stage = evaluation.stage(&recorder.device, control.info().record, Known::default())?;
    let modes = Modes::of(control.info(), stage.patch_info());
    let is_reversed = modes.clockwise == drawn.graphics.dynamic.patch.points_up;
    let geometry = if drawn.graphics.shaders.geometry.is_some() { Later::UNKNOWN } else { Later::NONE };
    let mut stored = None;
    for batch in batches(most_primitives(&drawn), most_bytes(modes), geometry) {
        if stored.is_some() {
            interrupt(recorder)?;
        }
        if batch.claimed > 0 {
            claim(recorder, batch.claimed)?;
        }
        let (patches, room) = before_draw(recorder, |recorder| {
            let patches = match stored {
                Some(patches) => patches,
                None => store_patches(recorder, &drawn, control, number)?,
            };
            let room = recorder.memory(batch.own)?;
            subdivide(recorder, room, &patches, &batch, modes, is_reversed)?;
            recorder
                .count_at(patches.launches + POINTS, Flags::TESSELLATION_EVALUATION_SHADER_INVOCATIONS)?;
            Ok((patches, room))
        })?;
        stored = Some(patches);
        let points = points_draw(drawn.clone(), &patches, room, modes, stage.clone());
        draw_primitives(recorder, points, number)?;
    }
    Ok(())
}

/// Maximum number of bytes of the points and indices of a patch.
fn most_bytes(modes: Modes) -> u64 {
    12 * MOST_POINTS + 4 * u64::from(modes.corners()) * MOST_PRIMITIVES
}

/// The draw of the domain points of subdivided patches.
fn points_draw(
    mut drawn: Drawn,
    patches: &Patches,
    room: Memory,
    modes: Modes,
    evaluation: Arc<VertexStage>,
) -> Drawn {
    (drawn.numbers, drawn.indexed) = (DrawNumbers::Indirect(patches.launches + DRAW), true);
    let graphics = &mut drawn.graphics;
    let (address, bytes) = (room.address, room.bytes.into());
    graphics.indices = Some(IndexBuffer { address, bytes, kind: vk::IndexType::UINT32 });
    graphics.dynamic.topology = match modes.corners() {
        1 => T::POINT_LIST,
        2 => T::LINE_LIST,
        _ => T::TRIANGLE_LIST,
    };
    graphics.dynamic.restart = false;
    graphics.dynamic.input = Arc::new(VertexInput::default());
    graphics.state.launch.patches = patches.launches + PATCH;
    Arc::make_mut(&mut graphics.shaders).vertex = Some(evaluation);
    drawn
}

/// Runs the vertex and the control shader, which store the record of each patch.
fn store_patches(
    recorder: &mut Recorder,
    drawn: &Drawn,
    control: &ControlStage,
    number: u32,
) -> Result<Patches, Error> {
    let draw = &recorder.assemble(drawn)?;
    let [vertices, primitives] = ASSEMBLED;
    let primitives = primitives | Flags::TESSELLATION_CONTROL_SHADER_PATCHES;
    recorder.count_draw(draw, [vertices, primitives], 1)?;
    let graphics = &drawn.graphics;
    let vertex = graphics.shaders.vertex.clone().ok_or(UNSHADED)?;
    let (input, strides) = (&graphics.dynamic.input, strides(graphics));
    let (assembly, rows) = (draw.assembly(), Some(control.info().inputs));
    let stored = vertex.stored(&recorder.device, input, &strides, assembly, rows, Known::default())?;
    let patches = prepare_patches(recorder, draw, control)?;
    let mut attributes = Vec::new();
    let (zeros, stride) = (recorder.device.zeros.address, |at, _: &BindingInfo| strides[at]);
    input.places(&stored, &graphics.buffers, stride, zeros, &mut attributes);
    let mut state =
        State { base: Numbers::Memory(draw.base()), draw: number, attributes, ..graphics.state.clone() };
    state.launch.patches = patches.launches + PATCH;
    recorder.launch_stage(&stored, &state, patches.launches)?;
    recorder.launch_stage(&control.program, &state, patches.launches + CONTROL)?;
    Ok(patches)
}

/// Memory for the records, and the launches up to the description of the patches.
fn prepare_patches(recorder: &mut Recorder, draw: &Draw, control: &ControlStage) -> Result<Patches, Error> {
    let info = control.info();
    let Shape { corners, .. } = draw.shape();
    let sizes = [corners * info.inputs.bytes(), info.record.bytes()];
    let total = sizes.map(u64::from).iter().sum::<u64>() + DESCRIPTION_BYTES;
    let memory = recorder.memory(draw.most.map(|most| most.saturating_mul(total)))?;
    let launches = recorder.upload.put(&[0; LAUNCHES_BYTES], 64)?;
    let workgroup = control.program.info.workgroup_size[0];
    let parameters = [
        draw.index_words(),
        memory.words(),
        [corners, info.record.vertices, workgroup, sizes[0]],
        [sizes[1], 0, 0, 0],
    ];
    let descriptors = [
        Direct::Buffer(draw.numbers, 20),
        Direct::Buffer(memory.used, 4),
        Direct::Buffer(launches, LAUNCHES_BYTES as u64),
    ];
    recorder.run_kernel(Kernel::Tessellation, parameters.as_flattened(), &descriptors, [1; 3])?;
    Ok(Patches { launches, memory, record_bytes: sizes[1] })
}

/// Writes the points and indices of a batch of patches, and the parameters of their draw.
fn subdivide(
    recorder: &mut Recorder,
    room: Memory,
    patches: &Patches,
    batch: &Batch,
    modes: Modes,
    is_reversed: bool,
) -> Result<(), Error> {
    let [low, high, bytes, _] = room.words();
    let (domain, spacing) = (domain_number(modes.domain), spacing_number(modes.spacing));
    let parameters = [
        [domain, spacing, modes.corners(), is_reversed.into()],
        [patches.record_bytes / 4, bytes, low, high],
        [batch.first, batch.most, 0, 0],
    ];
    let descriptors = [
        Direct::Buffer(patches.launches, LAUNCHES_BYTES as u64),
        Direct::Buffer(patches.memory.address, patches.memory.bytes.into()),
        Direct::Buffer(room.address, room.bytes.into()),
        Direct::Buffer(room.used, 4),
    ];
    let parameters = parameters.as_flattened();
    let launches = patches.launches;
    if batch.first == 0 {
        recorder.run_kernel_at(Kernel::Patches, parameters, &descriptors, launches + DESCRIBE)?;
    }
    recorder.run_kernel(Kernel::PatchSums, parameters, &descriptors, [SUMMING, 1, 1])?;
    recorder.run_kernel_at(Kernel::DomainPoints, parameters, &descriptors, launches + POINTS)?;
    if modes.points {
        return Ok(());
    }
    recorder.run_kernel_at(Kernel::DomainPrimitives, parameters, &descriptors, launches + PRIMITIVES)
}

/// The number of a domain in kernels.
fn domain_number(domain: Domain) -> u32 {
    match domain {
        Domain::Triangles => 0,
        Domain::Quads => 1,
        Domain::Isolines => 2,
    }
}

/// The number of a spacing in kernels.
fn spacing_number(spacing: Spacing) -> u32 {
    match spacing {
        Spacing::Equal => 0,
        Spacing::FractionalEven => 1,
        Spacing::FractionalOdd => 2,
    }
}
