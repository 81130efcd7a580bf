//! Fuzz targets as plain functions: each takes arbitrary bytes and panics if a guarantee of the project is
//! broken.
//!
//! `fuzz_targets/` binds them to libFuzzer (feature `libfuzzer`); the tests of this crate run each for about
//! a second on pseudo-random bytes with fixed seeds.

#![forbid(unsafe_code)]

mod agal;
mod assembly;
mod cache;
mod compile;
mod device;
mod fragments;
mod ir_text;
mod packer;
mod pica200;
mod records;
mod semantics;
mod spirv;
mod structured;
mod text;
mod tgsi;
mod validator;
mod wgsl;

pub use agal::agal;
pub use assembly::assembly;
pub use cache::cache;
pub use device::device;
pub use fragments::fragments;
pub use ir_text::ir_text;
pub use packer::packer;
pub use pica200::pica200;
pub use records::records;
pub use semantics::semantics;
pub use spirv::spirv;
pub use structured::structured;
pub use tgsi::tgsi;
pub use validator::validator;
pub use wgsl::wgsl;

/// A target: its name and its function.
pub type Target = (&'static str, fn(&[u8]));

/// Every target, for runners.
pub const TARGETS: &[Target] = &[
    ("packer", packer),
    ("validator", validator),
    ("spirv", spirv),
    ("ir_text", ir_text),
    ("semantics", semantics),
    ("structured", structured),
    ("fragments", fragments),
    ("pica200", pica200),
    ("agal", agal),
    ("tgsi", tgsi),
    ("wgsl", wgsl),
    ("assembly", assembly),
    ("records", records),
    ("device", device),
    ("cache", cache),
];
