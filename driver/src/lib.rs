//! A Vulkan driver for AGX.
//!
//! It links `agx-compiler` and uses only the kernel interface ([`gpu::Gpu`]). It writes control streams, words of
//! shaders and descriptors, encoded by the tables of `agx_abi::record`, to buffers that it binds at addresses.
//! `driver/icd` has the entry points for the Vulkan loader; this crate is safe code with the types of `ash`.
//!
//! | module | contents |
//! |---|---|
//! | [`gpu`] | the kernel interface |
//! | [`memory`], [`ranges`], [`reserved`], [`upload`] | addresses and memory |
//! | [`format`](mod@format), [`modifier`], [`image`], [`sparse`], [`view`], [`sampler`], [`buffer`] | resources and their descriptors |
//! | [`descriptor`], [`words`] | descriptor sets, and the words of a shader that point to their contents |
//! | [`program`], [`pipeline`], [`graphics`], [`draw_state`], [`stages`], [`tessellation`], [`geometry`], [`shader_object`], [`cache`], [`scratch`] | compiled shaders, and memory for their stacks |
//! | [`command`], [`render`], [`transfer`], [`sequences`], [`kernels`] | commands as control streams |
//! | [`queue`], [`sync`], [`query`] | submissions, synchronisation and queries |
//! | [`surface`], [`swapchain`] | presentation |

#![forbid(unsafe_code)]

pub mod acceleration;
pub mod border;
pub mod buffer;
pub mod cache;
pub mod command;
pub mod descriptor;
pub mod device;
pub mod dirty;
pub mod draw_state;
mod error;
pub mod format;
pub mod geometry;
pub mod gpu;
pub mod graphics;
pub mod host_copy;
pub mod image;
pub mod kernels;
pub mod memory;
pub mod mesh;
pub mod modifier;
pub mod physical;
pub mod pipeline;
pub mod pipeline_binary;
mod poll;
mod primitives;
pub mod program;
pub mod query;
pub mod queue;
pub mod ranges;
pub mod render;
pub mod reserved;
mod results_memory;
pub mod sampler;
pub mod sampler_heap;
pub mod scratch;
pub mod sequences;
pub mod setting;
pub mod shader_object;
pub mod sparse;
pub mod stages;
pub mod surface;
pub mod swapchain;
pub mod sync;
pub mod tessellation;
pub mod transfer;
pub mod upload;
pub mod view;
pub mod words;
pub mod ycbcr;

pub use agx_compiler::{Bounds, FIGURES, Robustness, Statistics};
pub use error::Error;
