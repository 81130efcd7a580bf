//! A reference machine for AGX (Apple G13 and G14) machine code. It is deterministic, exact where the behaviour of the
//! hardware is known, and reports errors that the hardware ignores silently.
//!
//! [`dispatch()`] runs a compute grid on a [`Memory`]; [`step_one`] runs one instruction on a [`Simd`].
//! docs/emulator.md lists exact behaviour, assumptions and what is not modelled.

mod astc;
mod blocks;
mod captured;
pub mod compression;
mod core;
mod cube;
mod dispatch;
mod draw;
mod exec;
mod findings;
mod flight;
mod footprint;
mod formats;
mod fragments;
mod frame;
mod geometry;
mod group;
mod helper;
mod hidden;
mod history;
pub mod launch;
mod lines;
mod local;
mod machine;
mod machine_state;
mod memory;
mod mutant;
mod notebook;
mod order;
mod pass;
mod permutation;
mod pixels;
mod primitive;
mod profile;
mod program;
mod races;
mod raster;
mod registers;
mod rng;
mod sampling;
mod simd;
mod sparse;
mod special;
mod step;
mod stepper;
mod strict;
mod texels;
mod textures;
mod touched;
mod view;
mod window;
mod workers;

pub use crate::captured::{Capture, Captured};
pub use crate::dispatch::{Dispatch, Options, Stop, Tile, Watch, dispatch};
pub use crate::draw::{
    Bias, Binding, Cull, DepthLimits, Draw, Fill, More, Shade, Shading, Stage, Topology, Volume, draw, shade,
};
pub use crate::findings::{Finding, FindingKind, MaskChange};
pub use crate::frame::{Coefficient, Comparison, Framebuffer, Plane, Stencil, StencilOp, Tests};
pub use crate::geometry::{Geometry, geometry};
pub use crate::group::LANES;
pub use crate::helper::{Answer, HELPER_BLOCKS, HelperCall, Request, serve};
pub use crate::history::{SampleOutcome, SampleState, Touch};
pub use crate::lines::Lines;
pub use crate::memory::{Access, MapError, Memory, MemoryFault};
pub use crate::mutant::{Fault, Mutant};
pub use crate::order::MemoryOrder;
pub use crate::pass::{Binned, EndOfTile, PassShape, TileDepth, Visit, Visited, end_of_tile, render_tiles};
pub use crate::profile::{Cycles, Line, Profile, Report};
pub use crate::program::Program;
pub use crate::raster::Viewport;
pub use crate::simd::{Simd, step_one};
pub use crate::stepper::Stepper;
pub use crate::textures::States;
pub use crate::touched::{Conflict, Touched};
pub use crate::view::{GroupView, LaneState, PixelView};
pub use crate::window::{Window, Words};
