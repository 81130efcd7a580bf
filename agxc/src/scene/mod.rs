//! Scene files, which `agxc render` draws. `docs/scenes.md` describes their form.

#![cfg_attr(not(test), deny(clippy::indexing_slicing, clippy::string_slice, clippy::arithmetic_side_effects))]

mod bundled;
mod history;
mod model;
mod render;
mod state;
#[cfg(all(test, feature = "wgsl"))]
mod tests;

pub use bundled::{BUNDLED, Bundled, Files};
pub use history::{BACKGROUND, SCENE, TILE, state_text, text as history_text};
pub use model::{Blend as BlendFile, Scene};
pub use render::{Picture, Shown, Wishes, render, render_watched};
pub use state::{Names, blending, choose, write_mask};

use crate::context::Context;
use crate::diagnostic::Failure;
use crate::{input, json};

/// The scene called `name`, bundled or in a file, and where its files are.
pub fn open_scene<'n>(name: &'n str, context: &mut Context) -> Result<(Scene, Files<'n>), Failure> {
    let (text, files) = match BUNDLED.iter().find(|bundled| bundled.name == name) {
        Some(bundled) => (bundled.scene.as_bytes().to_vec(), Files::Bundled(bundled)),
        None => (input::read_bytes(name)?, Files::Beside(name)),
    };
    context.remember(name, &text);
    Ok((read(&text, name)?, files))
}

/// The scene file called `name`.
pub fn read(text: &[u8], name: &str) -> Result<Scene, Failure> {
    json::read(text, name)
}
