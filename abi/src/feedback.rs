//! Transform feedback: vertex shader outputs captured in buffers.
//!
//! The hardware has no transform feedback. A driver runs the vertex shader a second time as a compute shader,
//! with one invocation per vertex of each primitive, in order; compiled this way, it stores the captured
//! outputs and nothing else.

use crate::vertex::Output;

/// Maximum number of capture buffers.
pub const MAX_BUFFERS: usize = 4;

/// A captured output.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct CapturedOutput {
    /// The buffer.
    pub buffer: u8,
    /// Byte offset in the vertex's part of the buffer.
    pub offset: u32,
    /// Size in bits: 8, 16 or 32; 64-bit outputs are captured as words.
    pub bits: u8,
    /// The output: for the layer, the low half of [`Output::LayerAndViewport`], stored as a word.
    pub output: Output,
}

/// The captured outputs of a vertex shader.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Feedback {
    /// Size of a vertex in each buffer in bytes; 0 for unused buffers.
    pub strides: [u32; MAX_BUFFERS],
    /// The stream of a geometry shader whose vertices each buffer captures.
    pub streams: [u8; MAX_BUFFERS],
    /// The captured outputs, in order of buffers and bytes.
    pub outputs: Vec<CapturedOutput>,
}

impl Feedback {
    /// The buffers in use.
    pub fn buffers(&self) -> impl Iterator<Item = u32> + '_ {
        (0..).zip(&self.strides).filter(|(_, stride)| **stride != 0).map(|(buffer, _)| buffer)
    }
}
