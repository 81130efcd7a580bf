//! Vertex and fragment shaders, drawn by the strict machine: a triangle over a screen of 8 × 8 pixels, with expected
//! values of each sample computed here from the definitions of the APIs.
//!
//! `BLESS=1 cargo test -p agx-tests --test stages` regenerates the modules with glslangValidator.

mod as_compute;
mod attributes;
mod barycentrics;
mod cases;
mod culled;
mod derivatives;
mod discards;
mod feedback;
mod fetch;
mod geometry;
mod mesh;
mod tessellation;
mod views;
mod workgroup;

use std::path::{Path, PathBuf};
use std::process::Command;

use agx_abi::tile::ColourFormat;
use agx_abi::{PartRole, Stage, Target};
use agx_compiler::link::{
    AttributeKey, EpilogKey, FragmentState, LinkedProgram, Parts, Target as RenderTarget, link,
};
use agx_compiler::{CompileKey, CompiledShader, Compiler, Input, Scratch};
use agx_emulator::launch::{BufferBinding, DrawLaunch};
use agx_emulator::{Framebuffer, Tests};
use agx_tests::driver::{compile, instructions, stage, storage_buffer, validate_program};

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

    /// Draws; returns the framebuffer and the resulting words of the buffer. Checks that whole shaders give the same
    /// results as linked parts, with no more instructions.
    fn draw(&self) -> (Framebuffer, Vec<u32>) {
        let vertices = vertex_programs(self.vertex, |_| None);
        let module = spirv(&format!("{}.frag", self.fragment));
        let mut key = CompileKey::default();
        (key.validate, key.stage) = (true, Some(Stage::Fragment));
        let fragments = fragment_programs(Input::spirv(&module), &key, &self.state());
        for ([(_, part), (_, whole)], name) in [(&vertices, self.vertex), (&fragments, self.fragment)] {
            let [parts, whole] = [part, whole].map(|program| instructions(&program.code));
            assert!(whole <= parts, "{name}: {parts} instructions of parts, {whole} of the whole");
        }
        let found = self.draw_programs(&vertices[0], &fragments[0]);
        let whole = self.draw_programs(&vertices[1], &fragments[1]);
        assert!(whole == found, "{}: the whole draws something else", self.fragment);
        found
    }

    fn state(&self) -> FragmentState {
        let mut state = FragmentState::new([None; 8], self.samples as u8);
        state.targets[0] = Some(RenderTarget::new(ColourFormat::Rgba32Sfloat));
        state
    }

    fn draw_programs(
        &self,
        (vertex, first): &Linked,
        (fragment, second): &Linked,
    ) -> (Framebuffer, Vec<u32>) {
        let sample_bytes = self.state().layout().sample_bytes.into();
        let mut framebuffer = Framebuffer::new(SIDE, SIDE, self.samples, sample_bytes);
        let mut buffers: Vec<BufferBinding> = (self.words > 0)
            .then(|| storage_buffer(0, 0, vec![0; 4 * self.words], true))
            .into_iter()
            .collect();
        let vertices: Vec<u32> = (0..3 * self.triangles).collect();
        let stages = [stage(vertex, first, &[]), stage(fragment, second, &self.push_constants)];
        let launch = DrawLaunch {
            buffers: &mut buffers,
            vertices: &vertices,
            scissor: Some(self.scissor),
            front_counter_clockwise: false,
            tests: self.tests,
            late_tests: second.late_tests,
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

/// A shader and its program.
type Linked = (CompiledShader, LinkedProgram);

/// A vertex shader with its attribute fetch: linked from parts, and as a whole.
fn vertex_programs(name: &str, source: impl Fn(u32) -> Option<AttributeKey> + Copy) -> [Linked; 2] {
    let mut key = CompileKey::default();
    (key.validate, key.stage) = (true, Some(Stage::Vertex));
    let (bytes, compiler) = (spirv(&format!("{name}.vert")), Compiler::new(Target::default()));
    let mut scratch = Scratch::default();
    let shader = compiled(&format!("{name}.vert"), &key);
    let program = compiler.vertex_program(&mut scratch, &shader, source, &key).expect("links");
    let whole = compiler.whole_vertex(&mut scratch, Input::spirv(&bytes), &key, source).expect("compiles");
    checked([(shader, program), (whole.shader, whole.program)])
}

/// A fragment shader for a state: linked from parts, and as a whole.
fn fragment_programs(input: Input<'_>, key: &CompileKey, state: &FragmentState) -> [Linked; 2] {
    let (compiler, mut scratch) = (Compiler::new(Target::default()), Scratch::default());
    let mut shader = compile(input, key).unwrap_or_else(|outcome| panic!("{outcome:?}"));
    let program = compiler.fragment_program(&mut scratch, &shader, state, key).expect("links");
    shader.info = program.info(&shader.info);
    let whole = compiler.whole_fragment(&mut scratch, input, key, state).expect("compiles");
    checked([(shader, program), (whole.shader, whole.program)])
}

/// Validates programs.
fn checked(programs: [Linked; 2]) -> [Linked; 2] {
    for (_, program) in &programs {
        validate_program(program).unwrap_or_else(|outcome| panic!("{outcome:?}"));
    }
    programs
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
    compile(Input::spirv(&bytes), key).unwrap_or_else(|outcome| panic!("{name}: {outcome:?}"))
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
    let parts =
        Parts { main, info: &shader.info, prolog: None, epilog: epilog.as_ref(), sample_loop, outputs: None };
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

/// Checks that every sample has the colour `expected` for x, y and sample, within 1e-5.
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
