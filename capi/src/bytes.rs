//! Texts and bytes with explicit lengths.

use std::ffi::c_char;

/// A text in UTF-8, without a zero byte at its end.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct AgxText {
    /// The first byte; anything when `length` is 0.
    pub data: *const c_char,
    /// Bytes.
    pub length: usize,
}

impl From<&str> for AgxText {
    fn from(text: &str) -> AgxText {
        AgxText { data: text.as_ptr().cast(), length: text.len() }
    }
}

/// Bytes.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct AgxBytes {
    /// The first byte; anything when `length` is 0.
    pub data: *const u8,
    /// How many there are.
    pub length: usize,
}

impl From<&[u8]> for AgxBytes {
    fn from(bytes: &[u8]) -> AgxBytes {
        AgxBytes { data: bytes.as_ptr(), length: bytes.len() }
    }
}

/// Bytes that belong to the caller.
pub struct AgxBuffer(pub(crate) Vec<u8>);
