//! `agxc demo`: compiles, runs and checks the bundled shaders, and draws the bundled scenes.

use std::time::{Duration, Instant};

use agx_abi::Target;
use agx_compiler::{CompileKey, CompiledShader, Compiler, Input, Scratch};
use agx_emulator::launch::BufferBinding;
use agx_emulator::{Options, Report};
use clap::ArgMatches;

use super::{Arg, Takes, arg, has_effect};
use crate::context::Context;
use crate::demo::{Buffers, DEMOS, Demo, Source};
use crate::diagnostic::{Diagnostic, Failure};
use crate::machine::{self, Job};
use crate::scene::{self, BUNDLED, Bundled, Files};
use crate::{key, listing, output, picture, statistics};

/// Options.
pub const ARGS: &[Arg] = &[
    arg("only", Takes::Values("NAME"), "Run only this shader or scene"),
    arg("list", Takes::Nothing, "List the shaders and scenes"),
    arg("brief", Takes::Nothing, "Omit the assembly"),
    arg("pictures", Takes::Value("FOLDER"), "Folder for images [default: out]"),
];

/// Shows every bundled shader and scene; a difference from the expectation ends the run with exit code 1.
pub fn run(options: &ArgMatches, context: &mut Context) -> Result<(), Failure> {
    if options.get_flag("list") {
        for option in ["only", "brief", "pictures", "target"] {
            has_effect(options, option, false, "with --list")?;
        }
        let shaders = DEMOS.iter().map(|demo| (demo.name, demo.title));
        let scenes = BUNDLED.iter().map(|scene| (scene.name, scene.title));
        let lines: String =
            shaders.chain(scenes).map(|(name, title)| format!("{name:12}{title}\n")).collect();
        return output::stdout(lines.as_bytes());
    }
    let only: Vec<&str> =
        options.get_many::<String>("only").into_iter().flatten().map(String::as_str).collect();
    let known = |name: &str| {
        DEMOS.iter().any(|demo| demo.name == name) || BUNDLED.iter().any(|scene| scene.name == name)
    };
    if let Some(name) = only.iter().find(|name| !known(name)) {
        return Err(Failure::usage(format!("unknown shader or scene `{name}`; --list lists them")));
    }
    let wanted = |name: &str| only.is_empty() || only.contains(&name);
    let target = key::target(options.get_one::<String>("target").map(String::as_str))?;
    let folder = options.get_one::<String>("pictures").map_or("out", String::as_str);
    for demo in DEMOS.iter().filter(|demo| wanted(demo.name)) {
        show(demo, &Compiler::new(target), !options.get_flag("brief"), folder)?;
    }
    for scene in BUNDLED.iter().filter(|scene| wanted(scene.name)) {
        show_scene(scene, target, folder, context)?;
    }
    Ok(())
}

/// Shows a scene: headline, run, picture.
fn show_scene(
    bundled: &'static Bundled,
    target: Target,
    folder: &str,
    context: &mut Context,
) -> Result<(), Failure> {
    output::stdout(format!("== {} ==\n{}\n\n", bundled.name, bundled.title).as_bytes())?;
    let scene = scene::read(bundled.scene.as_bytes(), bundled.name)?;
    let begin = Instant::now();
    let drawn = scene::render(&scene, &Files::Bundled(bundled), target, context)?;
    let line = format!(
        "run: {} draw{} on the reference machine, {} instructions; compiled, linked and drawn in {:.2} s\n",
        scene.draws.len(),
        if scene.draws.len() == 1 { "" } else { "s" },
        drawn.instructions,
        begin.elapsed().as_secs_f64()
    );
    output::stdout(line.as_bytes())?;
    save(&drawn.rgba, drawn.size, bundled.name, folder)?;
    output::stdout(b"\n")
}

/// Shows a shader: headline, assembly, statistics, run, check, picture.
fn show(demo: &Demo, compiler: &Compiler, assembly: bool, folder: &str) -> Result<(), Failure> {
    output::stdout(format!("== {} ==\n{}\n\n", demo.name, demo.title).as_bytes())?;
    let begin = Instant::now();
    let shader = compile(demo, compiler)?;
    let compiling = begin.elapsed();
    if assembly {
        output::stdout(format!("{}\n", listing::shader(&shader)).as_bytes())?;
    }
    output::stdout(format!("statistics: {}\n", statistics::line(&shader.stats)).as_bytes())?;

    let begin = Instant::now();
    let mut buffers = (demo.buffers)();
    let report = launch(demo, &shader, &mut buffers)?;
    output::stdout(ran(demo, &report, compiling, begin.elapsed()).as_bytes())?;
    let agreement = (demo.check)(&buffers)
        .map_err(|difference| Failure::from(Diagnostic::new(402, difference).in_file(demo.name)))?;
    output::stdout(format!("check: {agreement}\n").as_bytes())?;
    save_picture(demo, &buffers, folder)?;
    output::stdout(b"\n")
}

fn compile(demo: &Demo, compiler: &Compiler) -> Result<CompiledShader, Failure> {
    let mut key = CompileKey::default();
    key.spec_constants = demo.spec_constants.to_vec();
    let input = match demo.source {
        Source::SpirV { bytes, .. } => Input::spirv(bytes),
        #[cfg(feature = "wgsl")]
        Source::Wgsl(text) => Input::wgsl(text),
        #[cfg(not(feature = "wgsl"))]
        Source::Wgsl(_) => {
            return Err(Diagnostic::new(102, "this build lacks the feature `wgsl`").into());
        }
    };
    let result = compiler.compile(&mut Scratch::default(), input, &key);
    result.map_err(|error| Diagnostic::from_compiler(error, demo.name).into())
}

/// Launches as often as the demo specifies, swapping its first two buffers in between. Returns the sum of the reports.
fn launch(demo: &Demo, shader: &CompiledShader, buffers: &mut Buffers) -> Result<Report, Failure> {
    let push_constants = (demo.push_constants)();
    let job = Job {
        name: demo.name,
        samplers: &[],
        push_constants: &push_constants,
        arguments: &[],
        results: 0,
        workgroups: demo.workgroups,
        options: Options::default(),
    };
    let mut total = Report::default();
    for _ in 0..demo.launches {
        let bound = std::mem::take(buffers).into_iter().enumerate();
        let mut bindings: Vec<BufferBinding> = bound
            .map(|(binding, bytes)| BufferBinding {
                set: 0,
                binding: binding as u32,
                element: 0,
                bytes,
                writable: true,
            })
            .collect();
        let outcome = machine::run(shader, &mut bindings, &mut [], &job);
        if let Some(failure) = outcome.failure {
            return Err(failure);
        }
        total.instructions += outcome.report.instructions;
        total.lane_instructions += outcome.report.lane_instructions;
        *buffers = bindings.into_iter().map(|binding| binding.bytes).collect();
        if demo.launches > 1 {
            buffers.swap(0, 1);
        }
    }
    Ok(total)
}

fn ran(demo: &Demo, report: &Report, compiling: Duration, running: Duration) -> String {
    format!(
        "run: {} launch{} on the reference machine, {} instructions, {} summed over lanes; compiled in {:.1} ms, ran in {:.2} s\n",
        demo.launches,
        if demo.launches == 1 { "" } else { "es" },
        report.instructions,
        report.lane_instructions,
        compiling.as_secs_f64() * 1e3,
        running.as_secs_f64(),
    )
}

fn save_picture(demo: &Demo, buffers: &Buffers, folder: &str) -> Result<(), Failure> {
    let Some(shown) = &demo.picture else { return Ok(()) };
    save(&buffers[shown.binding], [shown.width, shown.height], demo.name, folder)
}

/// Writes a picture to the folder and prints its path.
fn save(rgba: &[u8], [width, height]: [u32; 2], name: &str, folder: &str) -> Result<(), Failure> {
    std::fs::create_dir_all(folder).map_err(|error| Failure::file(folder, &error))?;
    let path = format!("{folder}/{name}.png");
    picture::save(&path, rgba, width, height)?;
    output::stdout(format!("picture: {path}, {width} × {height}\n").as_bytes())
}
