//! Scene files: what `agxc render` draws. Their form is described in `docs/scenes.md`.

mod bundled;
mod model;
mod render;
#[cfg(all(test, feature = "wgsl"))]
mod tests;

pub use bundled::{BUNDLED, Files};
pub use model::Scene;
pub use render::render;
