//! Scene files, which `agxc render` draws. `docs/scenes.md` describes their form.

#![cfg_attr(not(test), deny(clippy::indexing_slicing, clippy::string_slice, clippy::arithmetic_side_effects))]

mod bundled;
mod model;
mod render;
mod state;
#[cfg(all(test, feature = "wgsl"))]
mod tests;

pub use bundled::{BUNDLED, Bundled, Files};
pub use model::{Blend as BlendFile, Scene};
pub use render::{Picture, render};
pub use state::{Names, blending, choose, write_mask};

use crate::diagnostic::Failure;
use crate::json;

/// The scene file called `name`.
pub fn read(text: &[u8], name: &str) -> Result<Scene, Failure> {
    json::read(text, name)
}
