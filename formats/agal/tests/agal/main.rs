//! Tests of the crate through its public interface.

mod hostile;
#[cfg(feature = "interpret")]
mod interpret;
mod programs;
mod rules;
mod support;
mod syntax;
