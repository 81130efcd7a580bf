//! What each command does: structures are read, and `agx-driver` is called.

mod command;
mod descriptor;
mod device;
mod draw;
mod features;
mod feedback;
mod graphics;
mod instance;
mod library;
mod memory;
mod pass;
mod pipeline;
mod query;
mod resource;
mod surface;
mod swapchain;
mod sync;
mod transfer;

pub(crate) use command::*;
pub(crate) use descriptor::*;
pub(crate) use device::*;
pub(crate) use draw::*;
pub(crate) use feedback::*;
pub(crate) use graphics::*;
pub(crate) use instance::*;
pub(crate) use memory::*;
pub(crate) use pass::*;
pub(crate) use pipeline::*;
pub(crate) use query::*;
pub(crate) use resource::*;
pub(crate) use surface::*;
pub(crate) use swapchain::*;
pub(crate) use sync::*;
pub(crate) use transfer::*;
