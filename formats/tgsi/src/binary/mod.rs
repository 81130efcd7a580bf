//! The binary form: 32-bit tokens.
//!
//! The layout is public in Mesa's `p_shader_tokens.h`, which changed over the years. Two editions are
//! supported: that of Mesa 7.10 (2011), the last with predicates and the removed opcodes, and that of Mesa 17
//! and later. A stream does not indicate its edition. The numbers of image formats differ between releases,
//! so they are kept as numbers: `PIPE_FORMAT_NUMBER_42`.
//!
//! A stream is a header word (header size, body size), the processor, and then declarations, immediates,
//! properties and instructions; the first word of each has its kind and its length.

#![deny(clippy::indexing_slicing, clippy::string_slice, clippy::arithmetic_side_effects)]

mod decode;
mod encode;
mod layout;

pub use decode::decode;
pub use encode::encode;

/// The edition of a stream.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Edition {
    /// Mesa 7.10.
    Early,
    /// Mesa 17 and later.
    Late,
}
