//! `agxc render`: draws a scene file on the reference machine.

use agx_emulator::Profile;
use clap::ArgMatches;

use super::{Arg, Takes, arg, is_profiled};
use crate::context::Context;
use crate::diagnostic::Failure;
use crate::report::{executed, html};
use crate::scene::{self, Picture, Shown, Wishes, open_scene, render_watched};
use crate::{key, output, picture};

/// Options of this command.
pub const ARGS: &[Arg] = &[
    arg("size", Takes::Value("WIDTHxHEIGHT"), "Image size, overriding the scene's"),
    arg("report", Takes::Nothing, "Print the number of instructions"),
    arg("pixel", Takes::Value("X,Y"), "Print every fragment that touched this pixel, and what became of it"),
    super::PROFILE_LINES,
    super::FOLDED,
    super::FLAME,
    super::EXECUTED,
];

/// Draws the scene and writes a PNG.
pub fn run(options: &ArgMatches, context: &mut Context) -> Result<(), Failure> {
    let name = options.get_one::<String>("FILE").map_or("-", String::as_str);
    let target = key::target(options.get_one::<String>("target").map(String::as_str))?;
    let (mut scene, files) = open_scene(name, context)?;
    if let Some(size) = options.get_one::<String>("size") {
        scene.size = parse_size(size)
            .ok_or_else(|| Failure::usage(format!("--size: expected WIDTHxHEIGHT, found `{size}`")))?;
    }
    let history = options.get_one::<String>("pixel").map(|text| pixel(text)).transpose()?;
    let profile = is_profiled(options);
    let path = options.get_one::<String>("output");
    if path.is_none() && history.is_none() && !profile {
        return Err(Failure::usage("render needs --output FILE, --pixel X,Y or --profile-lines"));
    }
    if let Some([x, y]) = history.filter(|at| at.iter().zip(scene.size).any(|(at, side)| *at >= side)) {
        let [width, height] = scene.size;
        return Err(Failure::usage(format!("--pixel {x},{y}: the image has {width} × {height} pixels")));
    }
    let wishes = Wishes { history, profile, ..Wishes::default() };
    let drawn = render_watched(&scene, &files, target, &wishes, context)?;
    if let Some(path) = path {
        picture::save(path, &drawn.rgba, drawn.size[0], drawn.size[1])?;
    }
    if let Some([x, y]) = history {
        output::stdout(pixel_text([x, y], &drawn).as_bytes())?;
    }
    write_profiles(options, name, &drawn)?;
    if options.get_flag("report") {
        let [width, height] = drawn.size;
        let line = format!("{width} × {height} pixels, {} instructions\n", drawn.instructions);
        output::stdout(line.as_bytes())?;
    }
    Ok(())
}

/// `X,Y`, a pixel.
pub fn pixel(text: &str) -> Result<[u32; 2], Failure> {
    let numbers = text.split_once(',').and_then(|(x, y)| Some([x.parse().ok()?, y.parse().ok()?]));
    numbers.ok_or_else(|| Failure::usage(format!("--pixel: expected X,Y, found `{text}`")))
}

/// The history of a pixel.
fn pixel_text([x, y]: [u32; 2], drawn: &Picture) -> String {
    let mut text = format!("pixel {x},{y}: cleared to {}\n", scene::state_text(&drawn.cleared));
    for (number, draw) in drawn.draws.iter().enumerate() {
        text.push_str(&scene::history_text(&format!("draw {number}"), &draw.report.history, scene::SCENE));
    }
    text
}

/// Prints and writes the profiles in the forms that the options name.
fn write_profiles(options: &ArgMatches, title: &str, drawn: &Picture) -> Result<(), Failure> {
    let file = |name: &str| options.get_one::<String>(name);
    if options.get_flag("profile-lines") {
        output::stdout(profiles(drawn, line_text).as_bytes())?;
    }
    if let Some(path) = file("folded") {
        output::text(Some(path), &profiles(drawn, folded_text))?;
    }
    if let Some(path) = file("flame") {
        let programs = drawn.profiles().map(|(title, profile, shown)| (title, profile, &shown.symbols));
        output::text(Some(path), &html::flame_file(programs))?;
    }
    if let Some(path) = file("executed") {
        let section = |(title, profile, shown): (String, &Profile, &Shown)| {
            html::executed(&title, profile, &shown.symbols, |name, line| shown.line(name, line))
        };
        let sections: Vec<String> = drawn.profiles().map(section).collect();
        output::text(Some(path), &html::executed_page(title, &sections))?;
    }
    Ok(())
}

/// The profiles of all shaders, each as `show` prints it.
fn profiles(drawn: &Picture, show: impl Fn(&str, &Profile, &Shown) -> String) -> String {
    drawn.profiles().map(|(title, profile, shown)| show(&title, profile, shown)).collect()
}

/// A profile by source line.
fn line_text(title: &str, profile: &Profile, shown: &Shown) -> String {
    let source = |file: &str, line: u32| shown.line(file, line).map(str::to_owned);
    executed::text(title, profile, &shown.symbols, source)
}

fn folded_text(title: &str, profile: &Profile, shown: &Shown) -> String {
    executed::folded(title, profile, &shown.symbols)
}

fn parse_size(text: &str) -> Option<[u32; 2]> {
    let (width, height) = text.split_once('x')?;
    Some([width.parse().ok()?, height.parse().ok()?])
}
