//! Khronos' conformance suites: a program that its user built, on a sample of its cases.

pub mod list;
pub mod open;
pub mod process;
pub mod program;
