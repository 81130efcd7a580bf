//! Transform feedback: outputs of a vertex shader that are captured in buffers.
//!
//! The hardware has none. A driver runs the vertex shader a second time as a compute shader, with an invocation for each vertex of each
//! primitive, in order; compiled so, it stores what it captures and nothing else.

use crate::vertex::Output;

/// Buffers that outputs are captured in.
pub const MAX_BUFFERS: usize = 4;

/// An output that is captured.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct CapturedOutput {
    /// The buffer.
    pub buffer: u8,
    /// First byte in the vertex's part of the buffer.
    pub offset: u32,
    /// Size in bits: 8, 16 or 32, which words of 64-bit outputs have each.
    pub bits: u8,
    /// What it is: the layer is the low half of [`Output::LayerAndViewport`], stored as a word.
    pub output: Output,
}

/// What a vertex shader captures.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Feedback {
    /// Bytes of a vertex in each buffer, 0 of one that nothing is captured in.
    pub strides: [u32; MAX_BUFFERS],
    /// What is captured, in the order of buffers and bytes.
    pub outputs: Vec<CapturedOutput>,
}

impl Feedback {
    /// The buffers that something is captured in.
    pub fn buffers(&self) -> impl Iterator<Item = u32> + '_ {
        (0..).zip(&self.strides).filter(|(_, stride)| **stride != 0).map(|(buffer, _)| buffer)
    }
}
