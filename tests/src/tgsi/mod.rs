//! TGSI programs through compiler and machine, compared with the interpreter of `agx_tgsi` or expectations from files.
//!
//! A [`Scene`] has the resources of a program; [`compute`], [`vertex`] and [`fragment`] run a program on both sides.
//! [`judge`] generates a scene from random numbers, by the directives in the program's comments; [`Case`] has one from
//! a file.

mod case;
pub mod compute;
mod directives;
pub mod fragment;
mod judge;
mod left;
mod lookup;
mod scene;
pub mod table;
pub mod vertex;
mod world;

use agx_compiler::{CompileKey, CompiledShader, Compiler, Input, Language, Scratch};

pub use case::Case;
pub use directives::{Directives, Kind};
pub use judge::{Judged, judge, programs};
pub use scene::{Scene, Texture};

use crate::outcome::Outcome;

/// A register.
pub type Vector = [u32; 4];

/// The language.
fn language() -> &'static Language {
    Language::find("tgsi").expect("invariant: the compiler has the language")
}

/// A program as input of the compiler.
pub fn input(text: &str) -> Input<'_> {
    Input::new(language(), text.as_bytes())
}

/// Compiles a program as a separate part.
///
/// # Errors
/// The outcome that is not a pass.
pub fn compile(text: &str, key: &CompileKey) -> Result<CompiledShader, Outcome> {
    Ok(Compiler::default().compile(&mut Scratch::default(), input(text), key)?)
}

/// Whether two words are equal: by their bits, as NaNs, or as floats within a relative tolerance.
pub fn is_close(found: u32, wanted: u32, tolerance: f32) -> bool {
    let [a, b] = [found, wanted].map(f32::from_bits);
    let is_number = |value: f32| value == 0.0 || value.is_normal();
    found == wanted
        || (a.is_nan() && b.is_nan())
        || (is_number(a) && is_number(b) && (a - b).abs() <= tolerance * a.abs().max(b.abs()))
}
