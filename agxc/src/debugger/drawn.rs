//! Debugging a vertex or a fragment of a scene.

use agx_abi::Target;
use agx_emulator::Capture;
use clap::ArgMatches;

use super::{Run, Subject};
use crate::commands;
use crate::context::Context;
use crate::diagnostic::{Diagnostic, Failure};
use crate::key;
use crate::scene::{BUNDLED, Files, Scene, Shown, Wishes, open_scene, render_watched};

/// Whether a file is a scene: a bundled one, or JSON.
pub fn is_scene(name: &str) -> bool {
    name.ends_with(".json") || BUNDLED.iter().any(|bundled| bundled.name == name)
}

/// Draws the scene up to the SIMD-group that the options name.
pub fn open(name: &str, options: &ArgMatches, context: &mut Context) -> Result<Subject, Failure> {
    let number = |name: &str| commands::number(options, name);
    let draw = number("draw")?.map(|draw| draw as usize);
    let pixel = options.get_one::<String>("pixel").map(|text| commands::pixel(text)).transpose()?;
    let capture = match (pixel, number("vertex")?) {
        (Some(pixel), None) => {
            Capture::Fragment { pixel, number: number("fragment")?.map(|number| number as u32) }
        }
        (None, Some(vertex)) => {
            Capture::Vertex { vertex: vertex as u32, instance: number("instance")?.unwrap_or(0) as u32 }
        }
        _ => return Err(Failure::usage("debug of a scene needs either --pixel X,Y or --vertex NUMBER")),
    };
    commands::has_effect(options, "fragment", pixel.is_some(), "without --pixel")?;
    commands::has_effect(options, "instance", pixel.is_none(), "without --vertex")?;
    for option in commands::compute_options() {
        commands::has_effect(options, option, false, "on a scene")?;
    }
    let (scene, files) = open_scene(name, context)?;
    let target = key::target(options.get_one::<String>("target").map(String::as_str))?;
    let disabled_passes = options.get_many::<String>("disable-pass").into_iter().flatten().cloned().collect();
    of_scene(&scene, &files, target, Selection { draw, capture }, disabled_passes, context)
}

/// A SIMD-group of a scene.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Selection {
    /// The draw; without it, the first with the vertex, or the last with the pixel.
    pub draw: Option<usize>,
    /// The vertex or the fragment.
    pub capture: Capture,
}

/// Draws a scene up to a SIMD-group.
///
/// # Errors
/// The scene is wrong, or does not draw the vertex or the pixel.
pub fn of_scene(
    scene: &Scene,
    files: &Files<'_>,
    target: Target,
    Selection { draw, capture }: Selection,
    disabled_passes: Vec<String>,
    context: &mut Context,
) -> Result<Subject, Failure> {
    let wishes = Wishes { capture: Some((draw, capture)), disabled_passes, ..Wishes::default() };
    let drawn = render_watched(scene, files, target, &wishes, context)?.draws;
    let mut kept = drawn.into_iter().filter_map(|drawn| Some((drawn.report.captured?, drawn.shaders)));
    let is_fragment = matches!(capture, Capture::Fragment { .. });
    let found = if is_fragment { kept.last() } else { kept.next() };
    let missing = || {
        let what = if is_fragment { "no fragment of the pixel is shaded" } else { "the vertex is not drawn" };
        Failure::from(Diagnostic::new(404, what).in_file(files.scene()))
    };
    let (captured, [vertex, fragment]) = found.ok_or_else(missing)?;
    let Shown { name, text, symbols } = if is_fragment { fragment } else { vertex };
    let sources = text.into_iter().map(|text| (name.clone(), text)).collect();
    Ok(Subject { run: Run::Alone(captured), symbols, sources })
}
