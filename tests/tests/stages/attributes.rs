//! Attributes: the maximum number, 30 in registers and two on the stack, and 64-bit ones.

use agx_abi::tile::ColourFormat;
use agx_abi::vertex_format::VertexFormat;
use agx_abi::{PartRole, Stage, Target};
use agx_compiler::link::{
    AttributeKey, EpilogKey, LinkError, LinkPart, LinkedProgram, PartKey, Parts, Target as RenderTarget,
    VertexPrologKey, link,
};
use agx_compiler::{CompileKey, CompiledShader, Compiler, Input, Scratch};
use agx_emulator::launch::{AttributeData, DrawLaunch};
use agx_emulator::{Framebuffer, Topology};
use agx_tests::driver::{compile, validate_program};

use super::{SIDE, compiled, module, program, spirv, stage};

const ATTRIBUTES: u32 = 32;
const VERTICES: u32 = 32;
const WORDS: u32 = 4;

/// A component of an attribute of a vertex.
fn element(attribute: u32, vertex: u32, component: u32) -> u32 {
    (attribute + 1) * 1_000_000 + vertex * 1000 + component
}

/// The output of each vertex.
fn draw(vertex: &str, spill_everything: bool) -> Vec<[u32; 4]> {
    let mut key = CompileKey::default();
    (key.validate, key.stage, key.spill_everything) = (true, Some(Stage::Vertex), spill_everything);
    let name = format!("{vertex}.vert");
    let vertex = compiled(&name, &key);
    assert!(vertex.info.frame_from_prolog() && vertex.info.scratch_bytes >= 32);
    let format = VertexFormat::from_name("R32G32B32A32_UINT").expect("a format");
    let source = |location| Some(AttributeKey { alignment: 16, ..AttributeKey::new(location, format, 16) });
    let prolog = VertexPrologKey::new(&vertex.info, source);
    let words = |attribute| {
        let of = move |vertex| (0..WORDS).map(move |component| element(attribute, vertex, component));
        (0..VERTICES).flat_map(of).flat_map(u32::to_le_bytes).collect()
    };
    let data: Vec<Vec<u8>> = (0..ATTRIBUTES).map(words).collect();
    let of = |bytes| AttributeData { bytes, offset: 0, stride: 16, element_bytes: 16 };
    let attributes: Vec<AttributeData<'_>> = data.iter().map(|bytes| of(bytes)).collect();
    let found = draw_points(&vertex, &prolog, &attributes);
    let bytes = spirv(&name);
    let whole = Compiler::new(Target::default())
        .whole_vertex(&mut Scratch::default(), Input::spirv(&bytes), &key, source)
        .expect("compiles");
    validate_program(&whole.program).unwrap_or_else(|outcome| panic!("{outcome:?}"));
    assert_eq!(draw_program(&whole.shader, &whole.program, &attributes), found, "{name} as a whole");
    found
}

/// Draws a point for each vertex; returns the output of each.
fn draw_points(
    vertex: &CompiledShader,
    key: &VertexPrologKey,
    attributes: &[AttributeData<'_>],
) -> Vec<[u32; 4]> {
    let prolog = Compiler::new(Target::default())
        .vertex_prolog(&mut Scratch::default(), key, &CompileKey::default())
        .expect("a prolog");
    let main = vertex.part(PartRole::Main).expect("a main part");
    let parts = Parts {
        main,
        info: &vertex.info,
        prolog: Some(&prolog),
        epilog: None,
        sample_loop: None,
        outputs: None,
    };
    let vertex_program = link(&parts).expect("links");
    validate_program(&vertex_program).unwrap_or_else(|outcome| panic!("{outcome:?}"));
    assert_eq!(vertex_program.gpr_halves, vertex.info.gpr_halves, "the prolog raises no registers");
    assert_eq!(vertex_program.scratch_bytes, prolog.scratch_bytes, "one frame");
    draw_program(vertex, &vertex_program, attributes)
}

/// The same for a program.
fn draw_program(
    vertex: &CompiledShader,
    vertex_program: &LinkedProgram,
    attributes: &[AttributeData<'_>],
) -> Vec<[u32; 4]> {
    let fragment = module("flat.frag", Stage::Fragment);
    let mut key = EpilogKey::new(&fragment.info.fragment);
    key.targets[0] = Some(RenderTarget::new(ColourFormat::Rgba32Uint));
    let (fragment_program, late_tests) = program(&fragment, Some(&key), 1);

    let vertices: Vec<u32> = (0..VERTICES).collect();
    let mut framebuffer = Framebuffer::new(SIDE, SIDE, 1, 16);
    let launch = DrawLaunch {
        attributes,
        topology: Topology::Points,
        vertices: &vertices,
        late_tests,
        ..DrawLaunch::new(
            stage(vertex, vertex_program, &[]),
            stage(&fragment, &fragment_program, &[]),
            [SIDE; 2],
        )
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
fn components_of_64_bits_take_two() {
    let vertex = module("attributes_double.vert", Stage::Vertex);
    let formats = [
        (0, "R64G64B64_SFLOAT", 0),
        (2, "R64G64B64A64_SFLOAT", 24),
        (4, "R64_SFLOAT", 56),
        (5, "R32_UINT", 64),
    ];
    let (stride, locations) = (68, vertex.info.attributes.iter().map(|attribute| attribute.location));
    let source = |location| {
        let (_, name, offset) = formats.iter().find(|(known, ..)| *known == location)?;
        let format = VertexFormat::from_name(name).expect("a format");
        Some((AttributeKey { alignment: 4, ..AttributeKey::new(location, format, stride) }, *offset))
    };
    let doubles = |vertex| [0, 1, 2, 3, 4, 5, 6, 7].map(|at: u32| f64::from(vertex) + f64::from(at) / 3.0);
    let data: Vec<u8> = (0..VERTICES)
        .flat_map(|vertex| {
            [doubles(vertex).map(f64::to_le_bytes).concat(), vertex.to_le_bytes().to_vec()].concat()
        })
        .collect();
    let attributes: Vec<AttributeData<'_>> = locations
        .map(|location| {
            let (key, offset) = source(location).or_else(|| source(location - 1)).expect("an attribute");
            let element_bytes = key.format.bytes.into();
            AttributeData { bytes: &data, offset, stride: stride as usize, element_bytes }
        })
        .collect();
    let key = VertexPrologKey::new(&vertex.info, |location| source(location).map(|(key, _)| key));
    for (vertex, found) in (0..).zip(draw_points(&vertex, &key, &attributes)) {
        let all = doubles(vertex);
        let sum = (all[0] + all[2]).to_bits();
        let wanted = [sum as u32, (sum >> 32) as u32, (all[4] * all[6]) as u32, all[7] as u32 + vertex];
        assert_eq!(found, wanted, "vertex {vertex}");
    }
}

#[test]
fn attributes_on_the_stack_need_a_prolog_that_opens_the_frame() {
    let vertex = module("attributes_summed.vert", Stage::Vertex);
    let mut prolog = LinkPart::new(
        PartKey::VertexProlog(VertexPrologKey::new(&vertex.info, |_| None)),
        vertex.info.target,
    );
    let linked = |prolog: &LinkPart| link(&Parts { prolog: Some(prolog), ..Parts::new(&vertex) });
    let main = vertex.info.scratch_bytes;
    prolog.scratch_bytes = main - 4;
    assert_eq!(linked(&prolog), Err(LinkError::Frame { main, prolog: main - 4 }));
    prolog.scratch_bytes = main;
    assert_eq!(linked(&prolog).map(|program| program.scratch_bytes), Ok(main));
}

#[test]
fn there_is_no_33rd_attribute() {
    let mut key = CompileKey::default();
    key.stage = Some(Stage::Vertex);
    let error = compile(Input::spirv(&spirv("attributes_33.vert")), &key).expect_err("one too many");
    assert!(format!("{error:?}").contains("33 vertex attributes; the limit is 32"), "{error:?}");
}
