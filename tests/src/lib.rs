//! Tests of the compiler as a whole: conformance tests with known results, instruction vectors, a corpus of real
//! shaders, file tests. The scoreboard (`src/bin/score.rs`) runs them all.
//!
//! Data models and checks of each kind of test are at the top level; [`suites`] runs them.

pub mod agal;
pub mod amber;
pub mod baseline;
pub mod bindings;
pub mod callgrind;
pub mod clients;
pub mod corpus;
pub mod corpus_request;
pub mod cts;
pub mod device;
pub mod driver;
pub mod execute;
pub mod filetest;
pub mod floors;
pub mod interpreted;
pub mod launched;
pub mod link_cost;
pub mod mutants;
pub mod outcome;
pub mod pass_cost;
pub mod pica;
pub mod questions;
pub mod report;
pub mod roles;
pub mod rounding;
pub mod runner;
pub mod shaderlib;
pub mod shapes;
pub mod shared;
pub mod spirv_scan;
pub mod stress;
pub mod suites;
pub mod tgsi;
pub mod tools;
pub mod varying_reader;
pub mod webgpu;
