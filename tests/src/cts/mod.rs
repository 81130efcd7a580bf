//! Khronos' Vulkan conformance suite: a `deqp-vk` program that its user built, on a sample of its cases.

pub mod list;
pub mod open;
pub mod process;
