//! The program as its users meet it: exit codes, streams, files.

#![expect(clippy::print_stderr, reason = "a test says what it skips")]
#![cfg(feature = "wgsl")]
#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

mod agal;
mod basics;
mod batches;
mod debugging;
mod device;
mod explorer;
mod harness;
mod histories;
mod inputs;
mod installs;
mod keys;
mod language_server;
mod many;
mod operator;
mod parts;
mod pica;
mod readme;
mod reports;
mod runs;
mod scenarios;
mod scripts;
mod texts;
mod tgsi;
mod tour;
mod translators;
mod warnings;
