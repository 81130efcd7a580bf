//! A kit that asks the hardware what the reference machine assumes.
//!
//! An experiment is a row of a table ([`experiments`]). It is run twice, each time in a process of its own: on the hardware, and on the
//! machine that is linked. Both runs give named outputs, which are compared byte for byte ([`outputs`]). The results become
//! a report in Markdown ([`report`]), which `agxc kit-import` reads.
//!
//! *Architecture invariant*: the process that writes the report submits nothing. It looks after every experiment whether the
//! kernel still answers, and stops if it does not.

pub mod command;
mod entry;
pub mod experiments;
pub mod lab;
pub mod outputs;
mod process;
pub mod report;
pub mod session;
pub mod words;

/// Why an experiment could not be carried out.
pub type Problem = Box<dyn std::error::Error>;
