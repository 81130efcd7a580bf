//! Transform feedback: captured outputs of vertex shaders.
//!
//! A front end declares the captured words before the vertex shader ends. A capturing shader that runs as a
//! compute shader stores them, instance by instance, with the vertices of each in order. A vertex that does
//! not fit into the buffers stores nothing.

use agx_abi::UniformSource;
use agx_abi::feedback::{CapturedOutput, Feedback, MAX_BUFFERS};
use agx_abi::geometry::MAX_STREAMS;

use super::{Kit, compute};
use crate::CompileKey;
use crate::error::{CompileError, KitError};
use crate::ir::build::alu::IntCond;
use crate::ir::{Arithmetic, Build, IrOp, Src};

/// The captured outputs.
#[derive(Default)]
pub struct FeedbackStage {
    /// The information for the driver.
    pub info: Feedback,
    /// Whether they are stored.
    pub(super) is_stored: bool,
    values: Vec<(CapturedOutput, Src)>,
}

impl FeedbackStage {
    /// Without captured outputs.
    pub(super) fn new(key: &CompileKey) -> Self {
        FeedbackStage { is_stored: key.captures_outputs, ..FeedbackStage::default() }
    }
}

/// The vertices that a buffer captures.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Vertices {
    /// Bytes of each.
    pub stride: u32,
    /// Their stream.
    pub stream: u32,
}

/// Declares that a buffer captures an output of these vertices, which have their size there even if nothing is captured.
///
/// # Errors
/// A buffer number out of range, an offset that is not a multiple of the value's size, a value that ends past
/// the stride, or different strides for one buffer; a stream that does not exist, or different ones for one buffer.
pub fn declare(
    kit: &mut Kit<'_, '_>,
    CapturedOutput { buffer, offset, bits, .. }: CapturedOutput,
    Vertices { stride, stream }: Vertices,
) -> Result<(), CompileError> {
    let info = &mut kit.vertex.feedback.info;
    let bytes = u32::from(bits / 8);
    let error = KitError::Capture { bytes, offset, buffer: buffer.into(), stride, most: MAX_BUFFERS as u32 };
    let Some(known) = info.strides.get_mut(usize::from(buffer)) else { return Err(error.into()) };
    let fits = offset.checked_add(bytes).is_some_and(|end| end <= stride);
    if !fits || !offset.is_multiple_of(bytes) || (*known != 0 && *known != stride) {
        return Err(error.into());
    }
    let is_new = std::mem::replace(known, stride) == 0;
    let number = u8::try_from(stream).ok().filter(|number| u32::from(*number) < MAX_STREAMS);
    let known = info.streams.get_mut(usize::from(buffer));
    let wrong = KitError::CapturedStream { stream, buffer: buffer.into() };
    let (Some(known), Some(number)) = (known, number) else { return Err(wrong.into()) };
    if !is_new && *known != number {
        return Err(wrong.into());
    }
    *known = number;
    Ok(())
}

/// Captures a value of 8, 16 or 32 bits of these vertices.
///
/// # Errors
/// As [`declare`].
pub fn capture(
    kit: &mut Kit<'_, '_>,
    output: CapturedOutput,
    vertices: Vertices,
    value: Src,
) -> Result<(), CompileError> {
    declare(kit, output, vertices)?;
    let feedback = &mut kit.vertex.feedback;
    let place = feedback.values.partition_point(|(known, _)| *known < output);
    feedback.info.outputs.insert(place, output);
    feedback.values.insert(place, (output, value));
    Ok(())
}

/// Stores the captured outputs if there is room for the vertex.
pub(super) fn store(kit: &mut Kit<'_, '_>) {
    let values = std::mem::take(&mut kit.vertex.feedback.values);
    if values.is_empty() {
        return;
    }
    let number = compute::vertex(kit);
    let count = kit.uniforms.get(UniformSource::FeedbackCount, 0, 32);
    let has_room = kit.b.icmp(IntCond::ULT, number, count);
    kit.b.begin_if(has_room);
    for (CapturedOutput { buffer, offset, bits, .. }, value) in values {
        let stride = kit.vertex.feedback.info.strides.get(usize::from(buffer)).copied().unwrap_or(0);
        let base = kit.uniforms.get(UniformSource::FeedbackBuffer { buffer: buffer.into() }, 0, 64);
        let first = kit.b.imul(number, Src::imm32(stride));
        let place = kit.b.iadd(first, Src::imm32(offset));
        kit.b.effect(IrOp::StoreGlobal, &[value, base, place], &[0, u32::from(bits / 8)]);
    }
    kit.b.begin_else();
    kit.b.end_if();
    kit.memory.writes_memory = true;
}
