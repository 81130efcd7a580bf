//! Programs for a Vulkan driver, run through Mesa's driver on the device and through lavapipe, and compared.

pub mod cases;
pub mod compare;
pub mod conformance;
pub mod environment;
