//! As many attributes as there can be: 30 in registers, two on the stack.

use agx_abi::tile::ColourFormat;
use agx_abi::vertex_format::VertexFormat;
use agx_abi::{PartRole, Stage, Target};
use agx_compiler::link::{
    AttributeKey, EpilogKey, LinkError, Parts, Target as RenderTarget, VertexPrologKey, link,
};
use agx_compiler::{CompileKey, Compiler, Input, Scratch};
use agx_emulator::launch::{AttributeData, DrawLaunch};
use agx_emulator::{Cull, Framebuffer, Options, Tests, Topology};
use agx_tests::driver::{compile, validate_program};

use super::{SIDE, VIEWPORT, compiled, module, program, spirv, stage};

const ATTRIBUTES: u32 = 32;
const VERTICES: u32 = 32;
const WORDS: u32 = 4;

/// A component of an attribute of a vertex.
fn element(attribute: u32, vertex: u32, component: u32) -> u32 {
    (attribute + 1) * 1_000_000 + vertex * 1000 + component
}

/// What each vertex hands on.
fn draw(vertex: &str, spill_everything: bool) -> Vec<[u32; 4]> {
    let mut key = CompileKey::default();
    (key.validate, key.stage, key.spill_everything) = (true, Some(Stage::Vertex), spill_everything);
    let vertex = compiled(&format!("{vertex}.vert"), &key);
    assert!(vertex.info.frame_from_prolog() && vertex.info.scratch_bytes >= 32);
    let format = VertexFormat::from_name("R32G32B32A32_UINT").expect("a format");
    let source = AttributeKey { format, stride: 16, divisor: None, alignment: 16 };
    let prolog = VertexPrologKey::new(&vertex.info, |_| Some(source));
    let prolog = Compiler::new(Target::default())
        .vertex_prolog(&mut Scratch::default(), &prolog, &CompileKey::default())
        .expect("a prolog");
    let main = vertex.part(PartRole::Main).expect("a main part");
    let parts = Parts { main, info: &vertex.info, prolog: Some(&prolog), epilog: None, sample_loop: None };
    let vertex_program = link(&parts).expect("links");
    validate_program(&vertex_program).unwrap_or_else(|outcome| panic!("{outcome:?}"));
    assert_eq!(vertex_program.gpr_halves, vertex.info.gpr_halves, "the prolog raises no registers");
    assert_eq!(vertex_program.scratch_bytes, prolog.scratch_bytes, "one frame");

    let fragment = module("flat.frag", Stage::Fragment);
    let mut key = EpilogKey::new(&fragment.info.fragment);
    key.targets[0] = Some(RenderTarget::new(ColourFormat::Rgba32Uint));
    let (fragment_program, late_tests) = program(&fragment, Some(&key), 1);

    let words = |attribute| {
        let of = move |vertex| (0..WORDS).map(move |component| element(attribute, vertex, component));
        (0..VERTICES).flat_map(of).flat_map(u32::to_le_bytes).collect()
    };
    let data: Vec<Vec<u8>> = (0..ATTRIBUTES).map(words).collect();
    let of = |bytes| AttributeData { bytes, offset: 0, stride: 16, element_bytes: 16 };
    let attributes: Vec<AttributeData<'_>> = data.iter().map(|bytes| of(bytes)).collect();
    let vertices: Vec<u32> = (0..VERTICES).collect();
    let mut framebuffer = Framebuffer::new(SIDE, SIDE, 1, 16);
    let launch = DrawLaunch {
        vertex: stage(&vertex, &vertex_program, &[]),
        fragment: stage(&fragment, &fragment_program, &[]),
        buffers: &mut [],
        textures: &mut [],
        samplers: &[],
        attributes: &attributes,
        blend_constant: [0.0; 4],
        stipple: None,
        base: [0; 2],
        topology: Topology::Points,
        vertices: &vertices,
        instances: 1,
        viewport: VIEWPORT,
        scissor: None,
        front_counter_clockwise: false,
        cull: Cull::None,
        tests: Tests::default(),
        late_tests,
        options: Options { strict: true, ..Options::default() },
    };
    assert_eq!(launch.run(&mut framebuffer).expect("runs").findings, []);
    let words = |vertex| {
        let bytes = framebuffer.colour(vertex % SIDE, vertex / SIDE, 0).expect("inside");
        [0, 4, 8, 12].map(|at| u32::from_le_bytes(bytes[at..at + 4].try_into().expect("four")))
    };
    (0..VERTICES).map(words).collect()
}

#[test]
fn for_32_attributes_the_stack_is_used() {
    for spill_everything in [false, true] {
        for (vertex, found) in (0..).zip(draw("attributes_indexed", spill_everything)) {
            assert_eq!(found, [0, 1, 2, 3].map(|at| element(vertex, vertex, at)), "vertex {vertex}");
        }
        for (vertex, found) in (0..).zip(draw("attributes_summed", spill_everything)) {
            let sum = |at| {
                (0..ATTRIBUTES).fold(0_u32, |sum, attribute| {
                    sum.wrapping_add((attribute + 1).wrapping_mul(element(attribute, vertex, at)))
                })
            };
            assert_eq!(found, [0, 1, 2, 3].map(sum), "vertex {vertex}");
        }
    }
}

#[test]
fn attributes_on_the_stack_need_a_prolog_that_opens_the_frame() {
    let vertex = module("attributes_summed.vert", Stage::Vertex);
    let main = vertex.part(PartRole::Main).expect("a main part");
    let parts = Parts { main, info: &vertex.info, prolog: None, epilog: None, sample_loop: None };
    let wanted = LinkError::Frame { main: vertex.info.scratch_bytes, prolog: 0 };
    assert_eq!(link(&parts), Err(wanted));
}

#[test]
fn there_is_no_33rd_attribute() {
    let mut key = CompileKey::default();
    key.stage = Some(Stage::Vertex);
    let error = compile(Input::SpirV(&spirv("attributes_33.vert")), &key).expect_err("one too many");
    assert!(format!("{error:?}").contains("more than 32 vertex attributes"), "{error:?}");
}
