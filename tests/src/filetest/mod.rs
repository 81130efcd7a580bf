//! File tests: functions in the textual IR with what passes make of them, and what they compute.
//!
//! docs/testing.md describes the form of a file. [`format`](mod@format) reads and rewrites it, [`literal`] reads the
//! numbers of `run:` lines, [`check`] runs a test.

pub mod check;
pub mod format;
pub mod literal;
