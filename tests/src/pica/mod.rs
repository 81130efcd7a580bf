//! PICA200 programs on the strict machine: cases from files, and running compiled programs as a driver does.

pub mod case;
pub mod run;

pub use case::{Case, Word};
pub use run::{GeometryRun, VertexRun};
