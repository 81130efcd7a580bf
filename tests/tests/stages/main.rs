//! Vertex and fragment shaders, drawn by the strict machine: a triangle over a screen of 8 × 8 pixels, and what must be
//! in each sample, computed here from the definitions of the APIs.
//!
//! `BLESS=1 cargo test -p agx-tests --test stages` makes the modules anew with glslangValidator.

mod as_compute;
mod attributes;
mod cases;
mod culled;
mod derivatives;
mod fetch;

use std::path::{Path, PathBuf};
use std::process::Command;

use agx_abi::tile::ColourFormat;
use agx_abi::{PartRole, Stage, Target};
use agx_compiler::link::{EpilogKey, LinkedProgram, Parts, Target as RenderTarget, link};
use agx_compiler::{CompileKey, CompiledShader, Compiler, Input, Scratch};
use agx_emulator::launch::{BufferBinding, DrawLaunch};
use agx_emulator::{Framebuffer, Tests};
use agx_tests::driver::{compile, stage, storage_buffer, validate_program};

/// Pixels along each side of the screen.
const SIDE: u32 = 8;

/// A draw.
struct Scene {
    vertex: &'static str,
    fragment: &'static str,
    samples: u32,
    /// Left, top, right, bottom.
    scissor: [u32; 4],
    triangles: u32,
    tests: Tests,
    push_constants: Vec<u8>,
    /// Words of the buffer at (0, 0).
    words: usize,
}

impl Scene {
    fn new(fragment: &'static str) -> Scene {
        Scene {
            vertex: "screen",
            fragment,
            samples: 1,
            scissor: [0, 0, SIDE, SIDE],
            triangles: 1,
            tests: Tests::default(),
            push_constants: Vec::new(),
            words: 0,
        }
    }

    /// Draws; the framebuffer and the words of the buffer afterwards.
    fn draw(&self) -> (Framebuffer, Vec<u32>) {
        let vertex = module(&format!("{}.vert", self.vertex), Stage::Vertex);
        let fragment = module(&format!("{}.frag", self.fragment), Stage::Fragment);
        let (vertex_program, _) = program(&vertex, None, self.samples);
        let mut key = EpilogKey::new(&fragment.info.fragment);
        key.targets[0] = Some(RenderTarget::new(ColourFormat::Rgba32Sfloat));
        key.samples = self.samples as u8;
        let (fragment_program, late_tests) = program(&fragment, Some(&key), self.samples);
        let mut framebuffer = Framebuffer::new(SIDE, SIDE, self.samples, key.layout().sample_bytes.into());
        let mut buffers: Vec<BufferBinding> = (self.words > 0)
            .then(|| storage_buffer(0, 0, vec![0; 4 * self.words], true))
            .into_iter()
            .collect();
        let vertices: Vec<u32> = (0..3 * self.triangles).collect();
        let stages =
            [stage(&vertex, &vertex_program, &[]), stage(&fragment, &fragment_program, &self.push_constants)];
        let launch = DrawLaunch {
            buffers: &mut buffers,
            vertices: &vertices,
            scissor: Some(self.scissor),
            front_counter_clockwise: false,
            tests: self.tests,
            late_tests,
            ..DrawLaunch::new(stages[0], stages[1], [SIDE; 2])
        };
        let report =
            launch.run(&mut framebuffer).unwrap_or_else(|error| panic!("{}: {error}", self.fragment));
        assert_eq!(report.findings, [], "{}", self.fragment);
        let bytes = buffers.first().map_or(&[][..], |buffer| &buffer.bytes);
        let words = bytes.chunks(4).map(|word| u32::from_le_bytes(word.try_into().expect("four bytes")));
        (framebuffer, words.collect())
    }
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/stages/shaders")
}

/// The shader of a file, compiled for a stage.
fn module(name: &str, stage: Stage) -> CompiledShader {
    let mut key = CompileKey::default();
    (key.validate, key.stage) = (true, Some(stage));
    compiled(name, &key)
}

/// The shader of a file, compiled.
fn compiled(name: &str, key: &CompileKey) -> CompiledShader {
    let bytes = spirv(name);
    compile(Input::SpirV(&bytes), key).unwrap_or_else(|outcome| panic!("{name}: {outcome:?}"))
}

/// The module of a file.
fn spirv(name: &str) -> Vec<u8> {
    let source = folder().join(name);
    let path = folder().join(format!("{name}.spv"));
    if std::env::var_os("BLESS").is_some() {
        let arguments = ["-V", "--quiet", "--target-env", "vulkan1.2", "-o"];
        let made = Command::new("glslangValidator").args(arguments).arg(&path).arg(&source).status();
        assert!(
            made.expect("glslangValidator is installed (Debian package glslang-tools)").success(),
            "{name}"
        );
    }
    std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The linked program of a shader, and whether it runs the tests.
fn program(shader: &CompiledShader, key: Option<&EpilogKey>, samples: u32) -> (LinkedProgram, bool) {
    let compiler = Compiler::new(Target::default());
    let epilog = key.map(|key| {
        compiler.fragment_epilog(&mut Scratch::default(), key, &CompileKey::default()).expect("an epilog")
    });
    let main = shader.part(PartRole::Main).expect("a main part");
    let sample_loop = shader.info.fragment.sample_shading.then_some(samples as u8);
    let parts = Parts { main, info: &shader.info, prolog: None, epilog: epilog.as_ref(), sample_loop };
    let program = link(&parts).expect("links");
    validate_program(&program).unwrap_or_else(|outcome| panic!("{outcome:?}"));
    let late_tests = program.late_tests;
    (program, late_tests)
}

/// The colour of a sample.
fn colour(framebuffer: &Framebuffer, x: u32, y: u32, sample: u32) -> [f32; 4] {
    let bytes = framebuffer.colour(x, y, sample).expect("inside");
    [0, 4, 8, 12].map(|at| f32::from_le_bytes(bytes[at..at + 4].try_into().expect("four bytes")))
}

/// Every sample must have the colour that `expected` says of x, y and sample, within 1e-5.
#[track_caller]
fn check(scene: &Scene, expected: impl Fn(u32, u32, u32) -> [f32; 4]) {
    let (framebuffer, _) = scene.draw();
    for (x, y) in (0..SIDE).flat_map(|y| (0..SIDE).map(move |x| (x, y))) {
        for sample in 0..scene.samples {
            let (got, wanted) = (colour(&framebuffer, x, y, sample), expected(x, y, sample));
            let close = got.iter().zip(wanted).all(|(got, wanted)| (got - wanted).abs() <= 1e-5);
            assert!(close, "{} at {x}, {y}, sample {sample}: {got:?}, not {wanted:?}", scene.fragment);
        }
    }
}
