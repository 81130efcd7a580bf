//! An AGX GPU with the interface of its kernel driver, in process: `agx-emulator` executes the submissions of a driver.
//!
//! [`kernel::Kernel`] answers the calls of `asahi_drm.h`: buffers, address spaces, queues, sync objects, submissions.
//! [`agx_abi::record`] describes control streams and descriptors as data. `execute` walks the streams and runs the
//! programs. An error of the driver becomes a [`Finding`], which never changes a result. docs/device.md is the
//! overview.

#![cfg_attr(not(test), deny(clippy::indexing_slicing, clippy::string_slice, clippy::arithmetic_side_effects))]

mod bytes;
mod changes;
mod compare;
mod execute;
mod findings;
pub mod kernel;
mod node;
mod observer;
mod primitives;
mod programs;
mod recording;
mod settings;
mod statistics;
mod stream;
mod trace;
mod waits;

pub use agx_abi::record;

/// Memory that a driver and the device share.
pub mod words {
    pub use agx_emulator::{Window, Words};
}

pub use crate::changes::{Change, ChangeError};
pub use crate::compare::Difference;
pub use crate::findings::{Finding, PixelHistory, Place};
pub use crate::kernel::Kernel;
pub use crate::node::Node;
pub use crate::observer::Observer;
pub use crate::recording::{Recording, Replay, ReplayError};
pub use crate::settings::{Deviation, Settings, UnknownValue, host_threads};
pub use crate::statistics::{ProgramStatistics, Statistics, Work};
