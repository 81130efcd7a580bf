//! Fuzz targets as plain functions: each takes arbitrary bytes and panics when a promise of the project is broken.
//!
//! `fuzz_targets/` binds them to libFuzzer (feature `libfuzzer`); the tests of this crate run each for about a second on
//! bytes from a small generator with fixed seeds.

#![forbid(unsafe_code)]

mod agal;
mod compile;
mod entropy;
mod ir_text;
mod kernel;
mod packer;
mod pica200;
mod semantics;
mod spirv;
mod text;
mod tgsi;
mod validator;

pub use agal::agal;
pub use entropy::{Entropy, Generator};
pub use ir_text::ir_text;
pub use packer::packer;
pub use pica200::pica200;
pub use semantics::semantics;
pub use spirv::spirv;
pub use tgsi::tgsi;
pub use validator::validator;

/// A target: its name and its function.
pub type Target = (&'static str, fn(&[u8]));

/// Every target, for runners.
pub const TARGETS: &[Target] = &[
    ("packer", packer),
    ("validator", validator),
    ("spirv", spirv),
    ("ir_text", ir_text),
    ("semantics", semantics),
    ("pica200", pica200),
    ("agal", agal),
    ("tgsi", tgsi),
];
