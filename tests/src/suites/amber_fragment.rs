//! Suite `amber-fragment`: Amber tests that shade rectangles of a framebuffer.
//!
//! The fragment shader is compiled, linked with an epilog for the framebuffer's formats, and run by the machine for
//! each pixel. The vertex shader of these tests only passes positions through.

use std::collections::BTreeMap;

use agx_abi::tile::ColourFormat;
use agx_abi::{Stage, Target};
use agx_compiler::link::{FragmentState, Target as RenderTarget};
use agx_compiler::{CompiledShader, Compiler, Scratch};

use super::{Context, amber::run_kind};
use crate::amber::check::check;
use crate::amber::image::Image;
use crate::amber::model::{Buffer, Command, Expect, Pipeline, Test};
use crate::amber::pipeline::{Bound, Buffers, compile_stage, malformed};
use crate::driver::{shade, validate_program};
use crate::outcome::{Outcome, SuiteReport};
use crate::shared::DataError;

/// Runs the suite.
///
/// # Errors
/// [`DataError`] if the suite's file is invalid.
pub fn run(context: &Context<'_>) -> Result<SuiteReport, DataError> {
    run_kind(context, "fragment", run_test)
}

/// The state of a running test.
#[derive(Default)]
struct State<'t> {
    buffers: Buffers<'t>,
    images: BTreeMap<&'t str, Image>,
    /// Clear colour, by pipeline.
    clear: BTreeMap<&'t str, [f64; 4]>,
}

/// Runs the commands of a test; `Err` is the outcome that is not a pass.
fn run_test(context: &Context<'_>, test: &Test) -> Result<(), Outcome> {
    let mut state = State::default();
    for (name, buffer) in &test.buffers {
        match buffer {
            Buffer::Data { .. } => {
                let bytes = buffer.bytes().ok_or_else(|| malformed("contents that are no hexadecimal"))?;
                state.buffers.insert(name, bytes);
            }
            Buffer::Image { format } => {
                let size = image_size(test, name)?;
                state.images.insert(name, Image::new(format, size).map_err(Outcome::Unsupported)?);
            }
        }
    }
    let mut checks = 0;
    for command in &test.commands {
        match command {
            Command::ClearColor { pipeline, rgba } => {
                state.clear.insert(pipeline, *rgba);
            }
            Command::Clear { pipeline } => {
                let colour = state.clear.get(pipeline.as_str()).copied().unwrap_or_default();
                for (_, name) in targets(find(test, pipeline)?) {
                    state.images.get_mut(name).ok_or_else(|| malformed("no such image"))?.clear(colour);
                }
            }
            Command::DrawRect { pipeline, rect } => {
                let pipeline = find(test, pipeline)?;
                let mut shader = compile_stage(context, test, pipeline, Stage::Fragment)?;
                draw(context, pipeline, &mut shader, *rect, &mut state)?;
            }
            Command::Expect(expect) => {
                state.check(expect)?;
                checks += 1;
            }
            Command::Run { .. } => return Err(malformed("a dispatch among draws")),
        }
    }
    if checks == 0 { Err(malformed("nothing is expected")) } else { Ok(()) }
}

fn find<'t>(test: &'t Test, pipeline: &str) -> Result<&'t Pipeline, Outcome> {
    test.pipelines.get(pipeline).ok_or_else(|| malformed("no pipeline of that name"))
}

/// Colour attachments: location and name.
fn targets(pipeline: &Pipeline) -> impl Iterator<Item = (u32, &str)> {
    let colours = pipeline.bind.iter().filter(|binding| binding.role == "color");
    colours.map(|binding| (binding.location, binding.buffer.as_str()))
}

/// The size of the framebuffer to which the image belongs.
fn image_size(test: &Test, name: &str) -> Result<[u32; 2], Outcome> {
    let mut users =
        test.pipelines.values().filter(|pipeline| targets(pipeline).any(|(_, found)| found == name));
    users.next().map(|pipeline| pipeline.fb).ok_or_else(|| malformed("an image of no frame buffer"))
}

impl State<'_> {
    fn check(&self, expect: &Expect) -> Result<(), Outcome> {
        let name = expect.buffer.as_str();
        if let Some(image) = self.images.get(name) {
            return image.check(expect, self.images.get(expect.other.as_str())).map_err(Outcome::Fail);
        }
        let got = self.buffers.get(name).ok_or_else(|| malformed("no buffer of that name"))?;
        let other = self.buffers.get(expect.other.as_str()).map(Vec::as_slice);
        check(expect, got, other).map_err(Outcome::Fail)
    }
}

/// Shades a rectangle of the pipeline's attachments.
fn draw<'t>(
    context: &Context<'_>,
    pipeline: &'t Pipeline,
    shader: &mut CompiledShader,
    rect: [f64; 4],
    state: &mut State<'t>,
) -> Result<(), Outcome> {
    let mut key = FragmentState::default();
    let mut images: [Option<&'t str>; 8] = [None; 8];
    for (location, name) in targets(pipeline) {
        let format: ColourFormat =
            state.images.get(name).map(|image| image.format).ok_or_else(|| malformed("no such image"))?;
        let slot = key.targets.get_mut(location as usize).ok_or_else(|| malformed("a ninth target"))?;
        *slot = Some(RenderTarget::new(format));
        images[location as usize] = Some(name);
    }
    let program = Compiler::new(Target::default())
        .fragment_program(&mut Scratch::default(), shader, &key, context.key)
        .map_err(Outcome::from)?;
    shader.info = program.info(&shader.info);
    validate_program(&program)?;
    let layout = key.layout();
    let [width, height] = pipeline.fb;
    let mut framebuffer = agx_emulator::Framebuffer::new(width, height, 1, layout.sample_bytes.into());
    let pixels = || (0..height).flat_map(|y| (0..width).map(move |x| (x, y)));
    for (name, offset) in images.iter().zip(layout.offsets).filter_map(|(name, at)| name.zip(at)) {
        let image = &state.images[name];
        for ((x, y), bytes) in pixels().zip(image.bytes.chunks_exact(image.pixel_bytes())) {
            if let Some(sample) = framebuffer.colour_mut(x, y, 0) {
                sample[offset.into()..usize::from(offset) + bytes.len()].copy_from_slice(bytes);
            }
        }
    }
    let [x, y, w, h] = rect;
    let mut bound = Bound::new(pipeline, &state.buffers)?;
    let rectangle = [x, y, x + w, y + h].map(|at| at as u32);
    shade(
        shader,
        &program,
        &mut bound,
        [rectangle[0], rectangle[1], rectangle[2].min(width), rectangle[3].min(height)],
        &mut framebuffer,
        context.seed,
    )?;
    bound.finish(&mut state.buffers);
    for (name, offset) in images.iter().zip(layout.offsets).filter_map(|(name, at)| name.zip(at)) {
        let Some(image) = state.images.get_mut(name) else { continue };
        let len = image.pixel_bytes();
        for ((x, y), bytes) in pixels().zip(image.bytes.chunks_exact_mut(len)) {
            if let Some(sample) = framebuffer.colour(x, y, 0) {
                bytes.copy_from_slice(&sample[offset.into()..usize::from(offset) + len]);
            }
        }
    }
    Ok(())
}
