//! Commands that depend on a condition (`VK_EXT_conditional_rendering`): the line `condition`.

use ash::ext::conditional_rendering;
use ash::vk;

use crate::Error;
use crate::device::{Buffer, Device};
use crate::pipeline::Bound;
use crate::request::{Request, number};

/// The extension.
pub use conditional_rendering::NAME;

/// The first byte of the condition in its buffer.
const AT: u64 = 4;

/// Commands that belong to a scope.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// All of the primary command buffer, with its passes.
    Primary,
    /// All of the draws or dispatches.
    All,
    /// The draw or dispatch of this number.
    One(u32),
}

/// How the condition comes to its buffer.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Written {
    /// It is there.
    Before,
    /// It is filled with it.
    Filled(u32),
    /// It is copied from another buffer.
    Copied(vk::Buffer),
    /// It is the result of a query that counts nothing, or tells whether that is there.
    Queried(vk::QueryPool, bool),
}

/// The condition of a request.
pub struct Condition<'d> {
    device: &'d Device,
    functions: &'d conditional_rendering::Device,
    begin: vk::ConditionalRenderingBeginInfoEXT<'static>,
    written: Written,
    /// The scope; without number, each command has its own.
    scope: Scope,
    is_each: bool,
}

/// Adds to what a secondary command buffer inherits the condition of a request, if the request has it so.
pub fn inherited<R>(
    request: &Request,
    inheritance: vk::CommandBufferInheritanceInfo<'_>,
    with: impl FnOnce(&vk::CommandBufferInheritanceInfo<'_>) -> R,
) -> R {
    let mut conditional =
        vk::CommandBufferInheritanceConditionalRenderingInfoEXT::default().conditional_rendering_enable(true);
    match request.all("condition").flatten().any(|word| word == "inherited") {
        true => with(&inheritance.push_next(&mut conditional)),
        false => with(&inheritance),
    }
}

impl<'d> Condition<'d> {
    /// The condition of a request; `None` without one.
    ///
    /// # Errors
    /// Vulkan's error, unknown words, or a driver without conditions.
    pub fn new(device: &'d Device, request: &Request, bound: &Bound) -> Result<Option<Condition<'d>>, Error> {
        let Some([value, words @ ..]) = request.words("condition") else { return Ok(None) };
        let functions = device.conditions.as_ref().ok_or("the driver does not offer conditions")?;
        let has = |name: &str| words.iter().any(|word| word == name);
        let flags = match has("inverted") {
            true => vk::ConditionalRenderingFlagsEXT::INVERTED,
            false => vk::ConditionalRenderingFlagsEXT::empty(),
        };
        let begin = vk::ConditionalRenderingBeginInfoEXT::default().flags(flags);
        let (written, scope, is_each) = (Written::Before, Scope::All, false);
        let mut condition = Condition { device, functions, begin, written, scope, is_each };
        if has("outside") || has("inherited") {
            condition.scope = Scope::Primary;
        }
        for word in words {
            match word.split(':').collect::<Vec<&str>>().as_slice() {
                ["one", at] => condition.scope = Scope::One(number(at)?),
                ["bound", buffer, word] => {
                    let buffer = bound.buffers.get(number(buffer)? as usize).ok_or("an unknown buffer")?;
                    let offset = 4 * u64::from(number(word)?);
                    condition.begin = begin.buffer(buffer.buffer).offset(offset);
                    condition.is_each = true;
                }
                _ => {}
            }
        }
        if !condition.is_each {
            let value = number(value)?;
            condition.provide(value, has)?;
        }
        Ok(Some(condition))
    }

    /// Provides the buffer of the condition. Before commands write it, all its words would have the opposite effect.
    fn provide(&mut self, value: u32, has: impl Fn(&str) -> bool) -> Result<(), Error> {
        let opposite = u32::from(value == 0);
        let words = |words: [u32; 4]| -> Result<Buffer, Error> {
            self.device.buffer(words.map(u32::to_le_bytes).as_flattened())
        };
        let is_written = ["filled", "copied", "queried"].into_iter().any(&has);
        let known = if is_written { opposite } else { value };
        let buffer = words([opposite, known, opposite, opposite])?;
        self.begin = self.begin.buffer(buffer.buffer).offset(AT);
        if has("filled") {
            self.written = Written::Filled(value);
        } else if has("copied") {
            self.written = Written::Copied(words([opposite, value, opposite, opposite])?.buffer);
        } else if has("queried") {
            let create =
                vk::QueryPoolCreateInfo::default().query_type(vk::QueryType::OCCLUSION).query_count(1);
            // SAFETY: the structure lives through the call.
            let pool = unsafe { self.device.functions.create_query_pool(&create, None)? };
            self.written = Written::Queried(pool, value != 0);
        }
        Ok(())
    }

    /// Has the condition written, and waits for that. No scope and no pass has begun.
    fn write(&self, commands: vk::CommandBuffer) {
        let functions = &self.device.functions;
        let buffer = self.begin.buffer;
        // SAFETY: the command buffer is being recorded; handles are this device's.
        unsafe {
            match self.written {
                Written::Before => return,
                Written::Filled(value) => functions.cmd_fill_buffer(commands, buffer, AT, 4, value),
                Written::Copied(from) => {
                    let copy = vk::BufferCopy::default().src_offset(AT).dst_offset(AT).size(4);
                    functions.cmd_copy_buffer(commands, from, buffer, &[copy]);
                }
                Written::Queried(pool, is_there) => {
                    functions.cmd_reset_query_pool(commands, pool, 0, 1);
                    functions.cmd_begin_query(commands, pool, 0, vk::QueryControlFlags::empty());
                    functions.cmd_end_query(commands, pool, 0);
                    // The result, and after it whether there is one.
                    let (at, more) = match is_there {
                        true => (AT - 4, vk::QueryResultFlags::WITH_AVAILABILITY),
                        false => (AT, vk::QueryResultFlags::empty()),
                    };
                    let flags = vk::QueryResultFlags::WAIT | more;
                    functions.cmd_copy_query_pool_results(commands, pool, 0, 1, buffer, at, 8, flags);
                }
            }
            let barrier = [vk::MemoryBarrier::default()
                .src_access_mask(vk::AccessFlags::TRANSFER_WRITE)
                .dst_access_mask(vk::AccessFlags::CONDITIONAL_RENDERING_READ_EXT)];
            let stages =
                [vk::PipelineStageFlags::TRANSFER, vk::PipelineStageFlags::CONDITIONAL_RENDERING_EXT];
            let none = vk::DependencyFlags::empty();
            functions.cmd_pipeline_barrier(commands, stages[0], stages[1], none, &barrier, &[], &[]);
        }
    }
}

/// Records commands of a primary command buffer, which has the condition written first.
///
/// # Errors
/// Those of the commands.
pub fn primary(
    condition: Option<&Condition<'_>>,
    commands: vk::CommandBuffer,
    record: impl FnOnce() -> Result<(), Error>,
) -> Result<(), Error> {
    if let Some(condition) = condition {
        condition.write(commands);
    }
    within(condition, Scope::Primary, commands, record)
}

/// Records commands, in a scope if the request has it for them.
///
/// # Errors
/// Those of the commands.
pub fn within(
    condition: Option<&Condition<'_>>,
    scope: Scope,
    commands: vk::CommandBuffer,
    record: impl FnOnce() -> Result<(), Error>,
) -> Result<(), Error> {
    let is_here = |known: &&Condition<'_>| match scope {
        Scope::One(_) if known.is_each => true,
        _ => known.scope == scope && !known.is_each,
    };
    let Some(condition) = condition.filter(is_here) else { return record() };
    // SAFETY: the command buffer is being recorded, without a scope.
    unsafe { (condition.functions.fp().cmd_begin_conditional_rendering_ext)(commands, &condition.begin) };
    record()?;
    // SAFETY: the scope has begun above.
    unsafe { (condition.functions.fp().cmd_end_conditional_rendering_ext)(commands) };
    Ok(())
}
