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

use crate::Error;
use crate::cache::Known;
use crate::command::Recorder;
use crate::draw_state::VertexInput;
use crate::kernels::Kernel;
use crate::render::assembly::{Draw, Shape};
use crate::render::draw::{DrawNumbers, Drawn, IndexBuffer, UNSHADED, strides};
use crate::render::results::Memory;
use crate::tessellation::{ControlStage, EvaluationStage, Modes};
use crate::transfer::run_indirect;
use crate::words::{Direct, Numbers, State};

/// What a program of one thread leaves for tessellation shaders.
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
/// First byte of what tessellation shaders get ([`patch_record`]).
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
/// Maximum size of points and indices in memory of their own; larger draws use the shared memory.
const MOST_OWN: u64 = 1 << 22;
/// Threads that add up descriptions.
const SUMMING: u32 = 32;

/// Patches in memory.
struct Patches {
    /// Address of the launches, which have the number of patches and the places of their records.
    launches: u64,
    /// The memory of the records and descriptions.
    memory: Memory,
    /// Maximum number of patches, if it does not depend on memory.
    most: Option<u64>,
    /// Bytes of a record.
    record_bytes: u32,
}

/// Runs the vertex and the tessellation control shader of a draw and subdivides its patches; returns the draw of the
/// domain points, whose vertex shader is the evaluation shader.
pub(super) fn tessellate(
    recorder: &mut Recorder,
    mut drawn: Drawn,
    (control, evaluation): (&ControlStage, &EvaluationStage),
    number: u32,
) -> Result<Drawn, Error> {
    let draw = recorder.assemble(&drawn)?;
    let stage = evaluation.stage(&recorder.device, control.info().record, Known::default())?;
    let modes = Modes::of(control.info(), stage.patch_info());
    let patches = store_patches(recorder, &drawn, &draw, control, number)?;
    let is_reversed = modes.clockwise == drawn.graphics.dynamic.patch.points_up;
    let indices = subdivide(recorder, &patches, modes, is_reversed)?;
    (drawn.numbers, drawn.indexed) = (DrawNumbers::Indirect(patches.launches + DRAW), true);
    let graphics = &mut drawn.graphics;
    graphics.indices = Some(indices);
    graphics.dynamic.topology = match modes.corners() {
        1 => T::POINT_LIST,
        2 => T::LINE_LIST,
        _ => T::TRIANGLE_LIST,
    };
    graphics.dynamic.restart = false;
    graphics.dynamic.input = Arc::new(VertexInput::default());
    graphics.state.launch.patches = patches.launches + PATCH;
    graphics.shaders.vertex = Some(stage);
    Ok(drawn)
}

/// Runs the vertex and the control shader, which store the record of each patch.
fn store_patches(
    recorder: &mut Recorder,
    drawn: &Drawn,
    draw: &Draw,
    control: &ControlStage,
    number: u32,
) -> Result<Patches, Error> {
    let graphics = &drawn.graphics;
    let vertex = graphics.shaders.vertex.clone().ok_or(UNSHADED)?;
    let (input, strides) = (&graphics.dynamic.input, strides(graphics));
    let (assembly, rows) = (draw.assembly(), Some(control.info().inputs));
    let stored = vertex.stored(&recorder.device, input, &strides, assembly, rows, Known::default())?;
    let patches = prepare_patches(recorder, draw, control)?;
    let zeros = recorder.device.zeros.address;
    let mut state = State {
        base: Numbers::Memory(draw.base()),
        draw: number,
        attributes: input.places(&stored, &graphics.buffers, &strides, zeros),
        ..graphics.state.clone()
    };
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
    Ok(Patches { launches, memory, most: draw.most, record_bytes: sizes[1] })
}

/// Writes the points and indices of patches, and the parameters of their draw, to memory of their own or to the shared
/// memory.
fn subdivide(
    recorder: &mut Recorder,
    patches: &Patches,
    modes: Modes,
    is_reversed: bool,
) -> Result<IndexBuffer, Error> {
    let largest = 12 * MOST_POINTS + 4 * u64::from(modes.corners()) * MOST_PRIMITIVES;
    let needed = patches.most.map(|most| most.saturating_mul(largest));
    let room = recorder.memory(needed.filter(|needed| *needed <= MOST_OWN))?;
    subdivide_into(recorder, room, patches, modes, is_reversed)?;
    Ok(IndexBuffer { address: room.address, bytes: room.bytes.into(), kind: vk::IndexType::UINT32 })
}

fn subdivide_into(
    recorder: &mut Recorder,
    room: Memory,
    patches: &Patches,
    modes: Modes,
    is_reversed: bool,
) -> Result<(), Error> {
    let [low, high, bytes, _] = room.words();
    let (domain, spacing) = (domain_number(modes.domain), spacing_number(modes.spacing));
    let parameters = [
        [domain, spacing, modes.corners(), is_reversed.into()],
        [patches.record_bytes / 4, bytes, low, high],
    ];
    let descriptors = [
        Direct::Buffer(patches.launches, LAUNCHES_BYTES as u64),
        Direct::Buffer(patches.memory.address, patches.memory.bytes.into()),
        Direct::Buffer(room.address, room.bytes.into()),
        Direct::Buffer(room.used, 4),
    ];
    let parameters = parameters.as_flattened();
    let launches = patches.launches;
    run_indirect(recorder, Kernel::Patches, parameters, &descriptors, launches + DESCRIBE)?;
    recorder.run_kernel(Kernel::PatchSums, parameters, &descriptors, [SUMMING, 1, 1])?;
    run_indirect(recorder, Kernel::DomainPoints, parameters, &descriptors, launches + POINTS)?;
    if modes.points {
        return Ok(());
    }
    run_indirect(recorder, Kernel::DomainPrimitives, parameters, &descriptors, launches + PRIMITIVES)
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
