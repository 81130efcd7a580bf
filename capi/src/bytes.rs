//! Texts and byte arrays with explicit lengths.

use std::ffi::c_char;

/// UTF-8 text, without a terminating zero byte.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct AgxText {
    /// The first byte; ignored if `length` is 0.
    pub data: *const c_char,
    /// Length in bytes.
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
    /// The first byte; ignored if `length` is 0.
    pub data: *const u8,
    /// Number of bytes.
    pub length: usize,
}

impl From<&[u8]> for AgxBytes {
    fn from(bytes: &[u8]) -> AgxBytes {
        AgxBytes { data: bytes.as_ptr(), length: bytes.len() }
    }
}

/// Bytes owned by the caller.
pub struct AgxBuffer(pub(crate) Vec<u8>);
