//! Commands that depend on a condition (`VK_EXT_conditional_rendering`).
//!
//! A secondary command buffer is encoded where it is executed, so that it inherits the condition in any case.

use agx_driver::command::CommandBuffer;
use agx_driver::render::{begin_condition, end_condition};
use ash::vk;

use crate::handles::object;

pub(crate) fn cmd_begin_conditional_rendering_ext(
    buffer: &mut CommandBuffer,
    info: &vk::ConditionalRenderingBeginInfoEXT<'_>,
) {
    let Some(predicate) = object(info.buffer).map(|known| known.address() + info.offset) else { return };
    let inverted = info.flags.contains(vk::ConditionalRenderingFlagsEXT::INVERTED);
    buffer.record(move |recorder| begin_condition(recorder, predicate, inverted));
}

pub(crate) fn cmd_end_conditional_rendering_ext(buffer: &mut CommandBuffer) {
    buffer.record(|recorder| {
        end_condition(recorder);
        Ok(())
    });
}
