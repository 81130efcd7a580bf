//! Outputs of vertex shaders in the slots that a fragment shader needs.

use agx_abi::fragment::CoefficientSource;
use agx_abi::tile::ColourFormat;
use agx_abi::varyings::{CoefficientBindings, OutputGroup, OutputLayout, VaryingCounts};
use agx_abi::vertex::Output;
use agx_abi::{PartRole, Stage, Target};
use agx_compiler::link::{
    FragmentState, LinkError, LinkedProgram, Parts, Target as RenderTarget, link, place_outputs,
};
use agx_compiler::{CompileKey, CompiledShader, Compiler, Input, Scratch};
use agx_emulator::Framebuffer;
use agx_emulator::launch::DrawLaunch;
use agx_isa::disasm::{Piece, disassemble};
use agx_isa::table::Opcode;
use agx_tests::driver::{stage, validate_program};

/// Varyings of three kinds, not in the order of the hardware.
const SHADERS: &str = "
struct Passed {
    @builtin(position) at: vec4f,
    @location(0) @interpolate(linear) linear: vec2f,
    @location(1) smooth_one: f32,
    @location(2) @interpolate(flat, first) number: u32,
    @location(5) smooth_two: vec3f,
}
@vertex fn vertex(@builtin(vertex_index) i: u32) -> Passed {
    var p: Passed;
    let x = f32(i % 2u) * 4.0 - 1.0;
    let y = f32(i / 2u) * 4.0 - 1.0;
    let w = 1.0 + 0.5 * f32(i);
    p.at = vec4f(x * w, y * w, 0.25 * w, w);
    p.linear = vec2f(x, y);
    p.smooth_one = x + 2.0 * y;
    p.number = 40u + i;
    p.smooth_two = vec3f(x, 7.0, y);
    return p;
}
@fragment fn fragment(p: Passed) -> @location(0) vec4f {
    return vec4f(p.linear.x + 10.0 * p.linear.y, p.smooth_one + p.at.z, f32(p.number), p.smooth_two.x + p.smooth_two.z);
}";

fn compile(stage: Stage) -> CompiledShader {
    compile_for(stage, None)
}

/// Compiles a vertex shader for a fragment shader that reads `inputs`.
fn compile_for(stage: Stage, inputs: Option<Vec<CoefficientSource>>) -> CompiledShader {
    let mut key = CompileKey::default();
    (key.validate, key.stage, key.fragment_inputs) = (true, Some(stage), inputs);
    let compiler = Compiler::new(Target::default());
    compiler.compile(&mut Scratch::default(), Input::wgsl(SHADERS), &key).expect("compiles")
}

/// The slots that a program stores, in the order of its code.
fn stored(code: &[u8]) -> Vec<u16> {
    disassemble(code)
        .into_iter()
        .filter_map(|line| match line.piece {
            Piece::Inst(inst) if inst.op == Opcode::StVar => {
                inst.operand("index").map(|slot| slot.value as u16)
            }
            _ => None,
        })
        .collect()
}

fn fragment_program(shader: &CompiledShader) -> (LinkedProgram, u32) {
    let mut state = FragmentState::default();
    state.targets[0] = Some(RenderTarget::new(ColourFormat::Rgba32Sfloat));
    let compiler = Compiler::new(Target::default());
    let program = compiler.fragment_program(&mut Scratch::default(), shader, &state, &CompileKey::default());
    (program.expect("links"), state.layout().sample_bytes.into())
}

/// The image of a triangle over the whole screen.
fn draw(vertex: (&CompiledShader, &LinkedProgram), fragment: &CompiledShader) -> Framebuffer {
    let (program, sample_bytes) = fragment_program(fragment);
    let mut framebuffer = Framebuffer::new(8, 8, 1, sample_bytes);
    let launch = DrawLaunch {
        vertices: &[0, 1, 2],
        ..DrawLaunch::new(stage(vertex.0, vertex.1, &[]), stage(fragment, &program, &[]), [8; 2])
    };
    assert_eq!(launch.run(&mut framebuffer).expect("runs").findings, []);
    framebuffer
}

#[test]
fn the_linker_gives_outputs_the_slots_that_a_fragment_shader_asks_for() {
    let (vertex, fragment) = (compile(Stage::Vertex), compile(Stage::Fragment));
    let layout = vertex.info.output_layout(&fragment.info.fragment.coefficients);
    assert_eq!(layout.counts, VaryingCounts { smooth: 4, flat: 1, linear: 2 });
    let user = |location, component| layout.slot(Output::User { location, component });
    let found = [user(1, 0), user(5, 0), user(5, 2), user(2, 0), user(0, 0), user(0, 1)];
    assert_eq!(found, [4, 5, 7, 8, 9, 10].map(Some));
    let own = link(&Parts::new(&vertex)).expect("links");
    let linked = link(&Parts { outputs: Some(&layout), ..Parts::new(&vertex) }).expect("links");
    for program in [&own, &linked] {
        validate_program(program).unwrap_or_else(|outcome| panic!("{outcome:?}"));
    }
    // Without a fragment shader locations are in order.
    let before: Vec<u16> = vertex.info.varyings.iter().map(|varying| varying.slot).collect();
    let mut stores = stored(&own.code);
    stores.sort_unstable();
    assert_eq!(stores, before);
    let renumbered: Vec<Option<u16>> = stored(&own.code)
        .into_iter()
        .map(|slot| vertex.info.varyings.iter().find(|varying| varying.slot == slot))
        .map(|varying| layout.slot(varying.expect("known").output))
        .collect();
    assert_eq!(stored(&linked.code).into_iter().map(Some).collect::<Vec<_>>(), renumbered);
    // Both programs draw the same image, each with its own slots.
    let mut second = vertex.clone();
    second.info.varyings.clone_from(&layout.varyings);
    let pictures = [draw((&vertex, &own), &fragment), draw((&second, &linked), &fragment)];
    assert_eq!(pictures[0], pictures[1]);
    let wrong = draw((&vertex, &linked), &fragment);
    assert_ne!(pictures[0], wrong, "the slots matter");
}

#[test]
fn vertex_shaders_store_what_is_read_in_the_slots_it_is_read_from() {
    let (vertex, fragment) = (compile(Stage::Vertex), compile(Stage::Fragment));
    let inputs = fragment.info.fragment.coefficients.clone();
    let known = compile_for(Stage::Vertex, Some(inputs.clone()));
    // The slots are those of the layout, so that the linker has nothing to change.
    assert_eq!(known.info.varyings, known.info.output_layout(&inputs).varyings);
    assert_ne!(known.info.varyings, vertex.info.varyings);
    let [own, linked] = [&vertex, &known].map(|shader| link(&Parts::new(shader)).expect("links"));
    assert_eq!(draw((&vertex, &own), &fragment), draw((&known, &linked), &fragment));
    // A location without a reader is removed, with its computation.
    let of_location = |output: Option<Output>| matches!(output, Some(Output::User { location: 1, .. }));
    let fewer = inputs.iter().copied().filter(|input| !of_location(input.output()));
    let less = compile_for(Stage::Vertex, Some(fewer.collect()));
    let stores = |shader: &CompiledShader| {
        shader.info.varyings.iter().any(|varying| of_location(Some(varying.output)))
    };
    assert!(stores(&known) && !stores(&less));
    assert!(less.stats.instructions < known.stats.instructions);
}

#[test]
fn programs_are_given_other_slots_after_they_are_linked() {
    let (vertex, fragment) = (compile(Stage::Vertex), compile(Stage::Fragment));
    let layout = vertex.info.output_layout(&fragment.info.fragment.coefficients);
    let expected = link(&Parts { outputs: Some(&layout), ..Parts::new(&vertex) }).expect("links");
    let mut program = link(&Parts::new(&vertex)).expect("links");
    let info = program.info(&vertex.info);
    place_outputs(&mut program.code, &info, &layout).expect("its stores");
    assert_eq!(program.code, expected.code);
}

#[test]
fn coefficients_are_bound_to_the_slots_of_the_outputs() {
    let (vertex, fragment) = (compile(Stage::Vertex), compile(Stage::Fragment));
    let sources = &fragment.info.fragment.coefficients;
    let layout = vertex.info.output_layout(sources);
    let bindings = CoefficientBindings::new(sources, &layout);
    assert_eq!((bindings.slots, bindings.reads_depth), (2 + 7, true));
    assert_eq!(usize::from(bindings.registers), sources.len());
    let bound: u32 = bindings.bindings.iter().map(|binding| u32::from(binding.count)).sum();
    assert_eq!(bound as usize, sources.len(), "every register");
    let first = layout.groups[OutputGroup::Varyings as usize];
    for binding in &bindings.bindings {
        for at in 0..u16::from(binding.count) {
            let source = sources[usize::from(binding.register + at)];
            if let Some(output) = source.output() {
                assert_eq!(layout.slot(output), Some(binding.slot + at - 2 + first), "{output:?}");
            }
        }
    }
}

#[test]
fn layouts_of_other_shaders_are_refused() {
    let vertex = compile(Stage::Vertex);
    let other = OutputLayout::new(&[Output::User { location: 0, component: 0 }], &[]);
    let error = link(&Parts { outputs: Some(&other), ..Parts::new(&vertex) }).expect_err("refused");
    assert!(matches!(error, LinkError::Output { output: Output::User { .. } }), "{error}");
    let mut broken = vertex.clone();
    broken.info.output_stores[0].offset = 2;
    let layout = vertex.info.output_layout(&[]);
    broken.info.varyings.iter_mut().for_each(|varying| varying.slot ^= 1);
    assert!(matches!(
        link(&Parts { outputs: Some(&layout), ..Parts::new(&broken) }),
        Err(LinkError::Store { offset: 2 })
    ));
    assert!(vertex.part(PartRole::Main).is_some());
}

#[test]
fn programs_say_what_the_rasteriser_must_know() {
    let fragment = compile(Stage::Fragment);
    let (program, _) = fragment_program(&fragment);
    let control = program.fragment_control();
    assert_eq!(
        (control.pass(), control.tag_write_disable, control.disable_tri_merging),
        ("opaque", false, false)
    );
    let nothing = Compiler::new(Target::default())
        .fragment_program(
            &mut Scratch::default(),
            &fragment,
            &FragmentState::default(),
            &CompileKey::default(),
        )
        .expect("links");
    assert!(nothing.fragment_control().tag_write_disable, "there is no target");
    let mut state = FragmentState::default();
    state.sample_mask = 1;
    let blend = agx_compiler::link::Equation {
        source: agx_compiler::link::Factor::One,
        destination: agx_compiler::link::Factor::One,
        op: agx_compiler::link::BlendOp::Add,
    };
    let blend = agx_compiler::link::Blend { colour: blend, alpha: blend };
    state.targets[3] = Some(RenderTarget::new(ColourFormat::R32Sfloat));
    let kept = Compiler::new(Target::default())
        .fragment_program(&mut Scratch::default(), &fragment, &state, &CompileKey::default())
        .expect("links");
    assert!(
        kept.fragment_control().tag_write_disable || kept.reads_targets == 1 << 3,
        "the shader does not write it"
    );
    state.targets[0] =
        Some(RenderTarget { blend: Some(blend.into()), ..RenderTarget::new(ColourFormat::Rgba8Unorm) });
    let blended = Compiler::new(Target::default())
        .fragment_program(&mut Scratch::default(), &fragment, &state, &CompileKey::default())
        .expect("links");
    assert_eq!(
        (blended.reads_targets, blended.fragment_control().pass()),
        (0b1001, "translucent-punch-through")
    );
    let some = |write_mask, format| {
        let mut state = FragmentState::default();
        state.targets[0] = Some(RenderTarget { write_mask, ..RenderTarget::new(format) });
        let program = Compiler::new(Target::default())
            .fragment_program(&mut Scratch::default(), &fragment, &state, &CompileKey::default())
            .expect("links");
        program.fragment_control().pass()
    };
    // What earlier fragments wrote to the other components must still be seen.
    assert_eq!(some(0b0101, ColourFormat::Rgba8Unorm), "translucent");
    assert_eq!(some(0b0111, ColourFormat::Rgba8Unorm), "translucent");
    assert_eq!(some(0b1111, ColourFormat::Rgba8Unorm), "opaque");
    assert_eq!(some(0b0011, ColourFormat::Rg8Unorm), "opaque", "the format has no other components");
    let vertex = compile(Stage::Vertex);
    assert!(!vertex.info.reads.base && !vertex.info.reads.draw);
}
