//! PICA200 programs on the strict machine: cases from files, and runs of compiled programs as a driver makes them.

pub mod case;
pub mod run;

pub use case::{Case, Word};
pub use run::{GeometryRun, VertexRun};
