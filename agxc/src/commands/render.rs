//! `agxc render`: draws a scene file on the reference machine.

use clap::ArgMatches;

use super::{Arg, Takes, arg};
use crate::context::Context;
use crate::diagnostic::Failure;
use crate::scene::{BUNDLED, Files, read, render};
use crate::{input, key, output, picture};

/// Options of this command.
pub const ARGS: &[Arg] = &[
    arg("size", Takes::Value("WIDTHxHEIGHT"), "Image size, overriding the scene's"),
    arg("report", Takes::Nothing, "Print the number of instructions"),
];

/// Draws the scene and writes a PNG.
pub fn run(options: &ArgMatches, context: &mut Context) -> Result<(), Failure> {
    let name = options.get_one::<String>("FILE").map_or("-", String::as_str);
    let target = key::target(options.get_one::<String>("target").map(String::as_str))?;
    let (text, files) = match BUNDLED.iter().find(|bundled| bundled.name == name) {
        Some(bundled) => (bundled.scene.as_bytes().to_vec(), Files::Bundled(bundled)),
        None => (input::read_bytes(name)?, Files::Beside(name)),
    };
    context.remember(name, &text);
    let mut scene = read(&text, name)?;
    if let Some(size) = options.get_one::<String>("size") {
        scene.size = parse_size(size)
            .ok_or_else(|| Failure::usage(format!("--size: expected WIDTHxHEIGHT, found `{size}`")))?;
    }
    let path =
        options.get_one::<String>("output").ok_or_else(|| Failure::usage("render needs --output FILE"))?;
    let drawn = render(&scene, &files, target, context)?;
    picture::save(path, &drawn.rgba, drawn.size[0], drawn.size[1])?;
    if options.get_flag("report") {
        let [width, height] = drawn.size;
        let line = format!("{width} × {height} pixels, {} instructions\n", drawn.instructions);
        output::stdout(line.as_bytes())?;
    }
    Ok(())
}

fn parse_size(text: &str) -> Option<[u32; 2]> {
    let (width, height) = text.split_once('x')?;
    Some([width.parse().ok()?, height.parse().ok()?])
}
