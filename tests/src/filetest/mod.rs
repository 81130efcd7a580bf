//! File tests: functions in textual IR with the expected output of passes, and the expected results of executions.
//!
//! docs/testing.md describes the form of a file. [`format`](mod@format) reads and rewrites it, [`literal`] reads the
//! numbers of `run:` lines, [`check`] runs a test.

pub mod check;
pub mod format;
pub mod literal;
