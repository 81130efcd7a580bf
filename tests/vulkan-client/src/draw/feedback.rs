//! Transform feedback: buffers for captured vertices, and draws of them.

use ash::ext::transform_feedback;
use ash::vk;

use crate::Error;
use crate::device::{Buffer, Device};
use crate::request::Request;

/// Bytes of the counters.
const COUNTER_BYTES: usize = 16;

/// Buffers of `feedback BYTES`, in order, and their counters.
pub struct Feedback {
    buffers: Vec<Buffer>,
    counters: Buffer,
}

impl Feedback {
    /// The buffers of a request; `None` if the device does not support transform feedback.
    ///
    /// # Errors
    /// Vulkan's error, or words that are not numbers.
    pub fn new(device: &Device, request: &Request) -> Result<Option<Feedback>, Error> {
        let sizes: Vec<usize> = request
            .all("feedback")
            .map(|words| {
                let word = words.first().ok_or("`feedback` wants a number of bytes")?;
                Ok::<_, Error>(crate::request::number(word)? as usize)
            })
            .collect::<Result<_, _>>()?;
        if sizes.is_empty() {
            return Ok(None);
        }
        let buffers = sizes.into_iter().map(|bytes| device.buffer(&vec![0; bytes]));
        let buffers = buffers.collect::<Result<_, Error>>()?;
        Ok(Some(Feedback { buffers, counters: device.buffer(&[0; COUNTER_BYTES])? }))
    }

    fn counters(&self) -> (Vec<vk::Buffer>, Vec<u64>) {
        let offsets = (0..self.buffers.len() as u64).map(|number| 4 * number);
        (vec![self.counters.buffer; self.buffers.len()], offsets.collect())
    }

    /// Begins to capture, or continues at the positions in the counters.
    pub fn begin(&self, functions: &transform_feedback::Device, commands: vk::CommandBuffer, resumes: bool) {
        let buffers: Vec<vk::Buffer> = self.buffers.iter().map(|buffer| buffer.buffer).collect();
        let (zeros, whole) = (vec![0; buffers.len()], vec![vk::WHOLE_SIZE; buffers.len()]);
        let (counters, offsets) = self.counters();
        let count = if resumes { counters.len() as u32 } else { 0 };
        // SAFETY: a pass has begun in the command buffer; the lists have the stated length.
        unsafe {
            (functions.fp().cmd_bind_transform_feedback_buffers_ext)(
                commands,
                0,
                buffers.len() as u32,
                buffers.as_ptr(),
                zeros.as_ptr(),
                whole.as_ptr(),
            );
            (functions.fp().cmd_begin_transform_feedback_ext)(
                commands,
                0,
                count,
                counters.as_ptr(),
                offsets.as_ptr(),
            );
        }
    }

    /// Ends capturing and stores the positions in the counters.
    pub fn end(&self, functions: &transform_feedback::Device, commands: vk::CommandBuffer) {
        let (counters, offsets) = self.counters();
        // SAFETY: as in `begin`.
        unsafe {
            (functions.fp().cmd_end_transform_feedback_ext)(
                commands,
                0,
                counters.len() as u32,
                counters.as_ptr(),
                offsets.as_ptr(),
            );
        }
    }

    /// Draws the captured vertices in the first buffer, as vertices of `stride` bytes at binding 0.
    pub fn draw(&self, device: &Device, commands: vk::CommandBuffer, stride: u32) {
        let (Some(functions), Some(buffer)) = (&device.feedback, self.buffers.first()) else { return };
        // SAFETY: a pass has begun in the command buffer; handles are this device's.
        unsafe {
            device.functions.cmd_bind_vertex_buffers(commands, 0, &[buffer.buffer], &[0]);
            (functions.fp().cmd_draw_indirect_byte_count_ext)(
                commands,
                1,
                0,
                self.counters.buffer,
                0,
                0,
                stride,
            );
        }
    }

    /// The captured vertices, then the counters.
    pub fn read(&self) -> Vec<u8> {
        self.buffers.iter().chain([&self.counters]).flat_map(Buffer::read).collect()
    }
}
