//! Parts that do not fit: each combination is refused with its own code, and the right one links.

use agx_abi::fragment::CoefficientSource;
use agx_abi::layout::{InterfaceUniform, UniformSource};
use agx_abi::tile::ColourFormat;
use agx_abi::vertex_format::VertexFormat;
use agx_abi::{PartRole, Stage, Target as Chip};
use agx_compiler::link::{
    AttributeKey, BackgroundKey, BackgroundOp, Blend, BlendOp, EpilogKey, Equation, Factor,
    FragmentPrologKey, FragmentState, LinkError, LinkPart, Parts, PassTargets, Target, VertexPrologKey, link,
};
use agx_compiler::{CompileKey, CompiledShader, Compiler, ErrorKind, Input, Scratch};

const SHADERS: &str = "
@vertex fn none(@builtin(vertex_index) v: u32) -> @builtin(position) vec4f { return vec4f(f32(v)); }
@vertex fn wide(@location(0) a: vec4f, @location(1) b: vec2f) -> @builtin(position) vec4f { return a + b.xyxy; }
@vertex fn narrow(@location(0) a: vec2f, @location(1) b: vec2f) -> @builtin(position) vec4f { return (a + b).xyxy; }
@vertex fn apart(@location(0) a: vec4f, @location(2) b: vec2f) -> @builtin(position) vec4f { return a + b.xyxy; }
@vertex fn one(@location(0) a: vec4f) -> @builtin(position) vec4f { return a; }

@fragment fn colour(@location(0) a: vec4f) -> @location(0) vec4f { return a; }
@fragment fn opaque(@location(0) a: vec4f) -> @location(0) vec4f { return vec4f(a.xyz, 1.0); }
@fragment fn second(@location(0) a: vec4f) -> @location(1) vec4f { return a; }
@fragment fn depth(@location(0) a: vec4f) -> @builtin(frag_depth) f32 { return a.x; }
@fragment fn discards(@location(0) a: vec4f) -> @location(0) vec4f { if a.x < 0.0 { discard; } return a; }
@fragment fn sampled(@builtin(sample_index) s: u32) -> @location(0) vec4f { return vec4f(f32(s)); }

@compute @workgroup_size(1) fn compute() { }
";

fn with(entry: &str, change: impl FnOnce(&mut CompileKey)) -> CompiledShader {
    let mut key = CompileKey::default();
    key.entry_point = Some(entry.to_owned());
    change(&mut key);
    Compiler::default().compile(&mut Scratch::default(), Input::wgsl(SHADERS), &key).expect("compiles")
}

fn shader(entry: &str) -> CompiledShader {
    with(entry, |_| {})
}

fn source(location: u32) -> Option<AttributeKey> {
    Some(AttributeKey::new(location, VertexFormat::from_name("R32G32B32A32_SFLOAT")?, 16))
}

fn vertex_prolog(of: &CompiledShader) -> LinkPart {
    let key = VertexPrologKey::new(&of.info, source);
    Compiler::default()
        .vertex_prolog(&mut Scratch::default(), &key, &CompileKey::default())
        .expect("a prolog")
}

fn prolog(key: &FragmentPrologKey) -> LinkPart {
    Compiler::default()
        .fragment_prolog(&mut Scratch::default(), key, &CompileKey::default())
        .expect("a prolog")
}

fn epilog_key(of: &CompiledShader, samples: u8) -> EpilogKey {
    let mut key = EpilogKey::new(&of.info.fragment);
    (key.targets[0], key.samples) = (Some(Target::new(ColourFormat::Rgba8Unorm)), samples);
    key
}

fn epilog(key: &EpilogKey) -> LinkPart {
    Compiler::default()
        .fragment_epilog(&mut Scratch::default(), key, &CompileKey::default())
        .expect("an epilog")
}

/// The error of a combination of parts.
fn refused(parts: &Parts<'_>) -> LinkError {
    let error = link(parts).expect_err("the parts do not fit");
    let text = error.to_string();
    assert!(!text.contains("Some(") && !text.contains("Epilog") && !text.contains("Prolog"), "{text}");
    error
}

#[test]
fn a_vertex_shader_links_with_its_own_prolog_only() {
    let (wide, narrow) = (shader("wide"), shader("narrow"));
    let with = |main: &CompiledShader, other: &CompiledShader| {
        let prolog = vertex_prolog(other);
        link(&Parts { prolog: Some(&prolog), ..Parts::new(main) }).map(|program| program.main_start > 0)
    };
    assert_eq!(with(&wide, &wide), Ok(true));
    // One that fetches more components fits too.
    assert_eq!(with(&narrow, &wide), Ok(true));
    let components = LinkError::AttributeComponents { location: 0, main: 0b1111, prolog: 0b11 };
    assert_eq!(with(&wide, &narrow), Err(components.clone()));
    assert_eq!(components.code(), 3033);
    let location = LinkError::AttributeLocation { attribute: 1, main: 1, prolog: 2 };
    assert_eq!(with(&wide, &shader("apart")), Err(location.clone()));
    assert_eq!(location.code(), 3032);
    let count = LinkError::AttributeCount { main: 2, prolog: 1 };
    assert_eq!(with(&wide, &shader("one")), Err(count.clone()));
    assert_eq!(with(&shader("one"), &wide), Err(LinkError::AttributeCount { main: 1, prolog: 2 }));
    assert_eq!(count.code(), 3031);
}

#[test]
fn a_part_is_not_missing() {
    let missing = |main: &CompiledShader| match refused(&Parts::new(main)) {
        error @ LinkError::Missing { stage, role, .. } => (error.code(), stage, role),
        other => panic!("{other}"),
    };
    assert_eq!(missing(&shader("wide")), (3028, Stage::Vertex, PartRole::Prolog));
    let stored = with("none", |key| key.vertex_as_compute = true);
    assert_eq!(missing(&stored), (3028, Stage::Vertex, PartRole::Prolog), "it has no vertex number");
    for entry in ["colour", "second", "depth", "discards"] {
        assert_eq!(missing(&shader(entry)), (3028, Stage::Fragment, PartRole::Epilog), "{entry}");
    }
    assert!(link(&Parts::new(&shader("none"))).is_ok() && link(&Parts::new(&shader("compute"))).is_ok());
}

#[test]
fn parts_of_other_stages_chips_and_programs_are_refused() {
    let (vertex, fragment) = (shader("wide"), shader("colour"));
    let (own, other) = (vertex_prolog(&vertex), prolog(&FragmentPrologKey::default()));
    let stages = [
        (&fragment, &own, Stage::Fragment, Stage::Vertex),
        (&vertex, &other, Stage::Vertex, Stage::Fragment),
    ];
    for (main, prolog, stage, found) in stages {
        let error = refused(&Parts { prolog: Some(prolog), ..Parts::new(main) });
        assert_eq!(error, LinkError::OtherStage { stage, role: PartRole::Prolog, found });
        assert_eq!(error.code(), 3027);
    }
    let after = epilog(&epilog_key(&fragment, 1));
    let error = refused(&Parts { epilog: Some(&after), ..Parts::new(&vertex) });
    assert_eq!(
        (error.code(), error),
        (3021, LinkError::Stage { stage: Stage::Vertex, role: PartRole::Epilog })
    );
    let compute = shader("compute");
    let error = refused(&Parts { prolog: Some(&own), ..Parts::new(&compute) });
    assert_eq!(error, LinkError::Stage { stage: Stage::Compute, role: PartRole::Prolog });

    let chip = Compiler::new(Chip::G13X);
    let foreign = chip
        .fragment_epilog(&mut Scratch::default(), &epilog_key(&fragment, 1), &CompileKey::default())
        .expect("an epilog");
    let error = refused(&Parts { epilog: Some(&foreign), ..Parts::new(&fragment) });
    let wanted = LinkError::Target { main: Chip::G13G, role: PartRole::Epilog, part: Chip::G13X };
    assert_eq!((error.code(), error), (3030, wanted));

    let as_compute = with("wide", |key| key.vertex_as_compute = true);
    let error = refused(&Parts { prolog: Some(&own), ..Parts::new(&as_compute) });
    assert_eq!(
        (error.code(), error),
        (3034, LinkError::RunsAs { main: Stage::Compute, prolog: Stage::Vertex })
    );
}

#[test]
fn whole_shaders_and_programs_of_the_tile_have_no_parts() {
    let (compiler, mut scratch, options) = (Compiler::default(), Scratch::default(), CompileKey::default());
    let fragment = shader("colour");
    let after = epilog(&epilog_key(&fragment, 1));
    let mut targets = PassTargets { formats: [None; 8], samples: 1, layered: false };
    targets.formats[0] = Some(ColourFormat::Rgba8Unorm);
    let mut operations = [None; 8];
    operations[0] = Some(BackgroundOp::Clear);
    let tile = compiler
        .background_program(&mut scratch, &BackgroundKey { targets, operations }, &options)
        .expect("a program");
    let mut key = CompileKey::default();
    key.entry_point = Some("colour".to_owned());
    let state = FragmentState::new([None; 8], 1);
    let whole =
        compiler.whole_fragment(&mut scratch, Input::wgsl(SHADERS), &key, &state).expect("a whole shader");
    for main in [&tile.shader, &whole.shader] {
        let error = refused(&Parts { epilog: Some(&after), ..Parts::new(main) });
        assert_eq!((error.code(), error), (3029, LinkError::Whole { role: PartRole::Epilog }));
        let before = prolog(&FragmentPrologKey::default());
        let error = refused(&Parts { prolog: Some(&before), ..Parts::new(main) });
        assert_eq!(error, LinkError::Whole { role: PartRole::Prolog });
    }
}

#[test]
fn whole_shaders_list_the_uniforms_that_they_read() {
    let constant = Equation { source: Factor::Constant, destination: Factor::Zero, op: BlendOp::Add };
    let uniforms = |colour: Factor| {
        let blend = Blend { colour: Equation { source: colour, ..constant }, alpha: constant };
        let blend = (colour == Factor::Constant).then(|| blend.into());
        let mut state = FragmentState::new([None; 8], 1);
        state.targets[0] = Some(Target { blend, ..Target::new(ColourFormat::Rgba8Unorm) });
        let mut key = CompileKey::default();
        key.entry_point = Some("colour".to_owned());
        let (compiler, mut scratch) = (Compiler::default(), Scratch::default());
        let whole = compiler.whole_fragment(&mut scratch, Input::wgsl(SHADERS), &key, &state);
        let info = whole.expect("a whole shader").shader.info;
        info.uniforms.iter().map(|range| range.source).collect::<Vec<_>>()
    };
    assert_eq!(uniforms(Factor::One), []);
    assert_eq!(uniforms(Factor::Constant), [UniformSource::Interface(InterfaceUniform::BlendConstant)]);
    // Parts have those of the other parts too.
    assert_eq!(shader("colour").info.uniforms.len(), 3);
}

#[test]
fn an_epilog_reads_what_the_main_part_passes() {
    let expected = |main: &str, other: &str| {
        let (main, other) = (shader(main), shader(other));
        let after = epilog(&epilog_key(&other, 1));
        match refused(&Parts { epilog: Some(&after), ..Parts::new(&main) }) {
            error @ LinkError::Expects { role: PartRole::Epilog, expected, found, .. } => {
                (error.code(), expected, found)
            }
            other => panic!("{other}"),
        }
    };
    // The components of colour 0; those of colour 0 of a shader that writes colour 1; the depth.
    assert_eq!(expected("colour", "opaque"), (3035, 0b111, 0b1111));
    assert_eq!(expected("second", "colour"), (3035, 0b1111, 0));
    assert_eq!(expected("depth", "second"), (3035, 0b1111, 0));
    let depth = shader("depth");
    let mut key = epilog_key(&depth, 1);
    key.depth = false;
    let after = epilog(&key);
    let error = refused(&Parts { epilog: Some(&after), ..Parts::new(&depth) });
    assert!(matches!(error, LinkError::Expects { expected: 0, found: 1, .. }), "{error}");
}

#[test]
fn tests_follow_the_last_part_that_kills() {
    let (colour, discards) = (shader("colour"), shader("discards"));
    let (mut tested, mut late) = (epilog_key(&discards, 1), epilog_key(&discards, 1));
    (tested.tested, late.tested) = (true, false);
    let [tested, late] = [tested, late].map(|key| epilog(&key));
    let error = refused(&Parts { epilog: Some(&tested), ..Parts::new(&discards) });
    assert_eq!((error.code(), error), (3039, LinkError::Untested { role: PartRole::Main }));
    let masked = prolog(&FragmentPrologKey { sample_mask: 1, ..FragmentPrologKey::default() });
    let parts = Parts { prolog: Some(&masked), epilog: Some(&tested), ..Parts::new(&colour) };
    assert_eq!(refused(&parts), LinkError::Untested { role: PartRole::Prolog });
    for main in [&colour, &discards] {
        let parts = Parts { prolog: Some(&masked), epilog: Some(&late), ..Parts::new(main) };
        assert!(link(&parts).is_ok_and(|program| program.late_tests));
    }
    let early =
        prolog(&FragmentPrologKey { early_tests: true, sample_mask: 1, ..FragmentPrologKey::default() });
    let error = refused(&Parts { prolog: Some(&early), epilog: Some(&late), ..Parts::new(&colour) });
    assert!(
        matches!(error, LinkError::Expects { role: PartRole::Prolog, expected: 1, found: 0, .. }),
        "{error}"
    );
}

#[test]
fn flags_of_cull_distances_are_in_the_registers_that_the_prolog_reads() {
    let colour = shader("colour");
    let count = colour.info.fragment.coefficients.len() as u8;
    assert!(count >= 2);
    let mut key = epilog_key(&colour, 1);
    key.tested = false;
    let after = epilog(&key);
    let culling = |culled: Vec<u8>| {
        let before = prolog(&FragmentPrologKey { culled, ..FragmentPrologKey::default() });
        link(&Parts { prolog: Some(&before), epilog: Some(&after), ..Parts::new(&colour) }).map(|_| ())
    };
    let flag = |register| LinkError::Flag { register };
    assert_eq!(culling(vec![1]), Err(flag(1)), "an input of the shader");
    assert_eq!(culling(vec![count + 1]), Err(flag(count + 1)), "that of a shader with more inputs");
    assert_eq!(culling(vec![count, count + 1]), Ok(()));
    assert_eq!(flag(1).code(), 3040);
    let mut coefficients = colour.info.fragment.coefficients.clone();
    let key =
        FragmentPrologKey::default().with_cull_distances(&mut coefficients, [CoefficientSource::Culled(0)]);
    assert_eq!(culling(key.culled), Ok(()));
}

#[test]
fn shaders_that_run_for_each_sample_are_in_a_loop_over_the_samples_of_the_epilog() {
    let (sampled, colour, vertex) = (shader("sampled"), shader("colour"), shader("none"));
    let [two, four, once] =
        [epilog_key(&sampled, 2), epilog_key(&sampled, 4), epilog_key(&colour, 4)].map(|key| epilog(&key));
    let all = Parts { epilog: Some(&four), sample_loop: Some(4), ..Parts::new(&sampled) };
    assert!(link(&all).is_ok());
    let code = |parts: &Parts<'_>| refused(parts).code();
    assert_eq!(code(&Parts { sample_loop: None, ..all }), 3036);
    assert_eq!(code(&Parts { sample_loop: Some(4), epilog: Some(&once), ..Parts::new(&colour) }), 3037);
    assert_eq!(code(&Parts { sample_loop: Some(2), ..Parts::new(&vertex) }), 3037);
    assert_eq!(
        refused(&Parts { epilog: Some(&two), ..all }),
        LinkError::LoopSamples { samples: 4, epilog: 2 }
    );
    assert_eq!(code(&Parts { epilog: Some(&two), ..all }), 3038);
    assert_eq!(code(&Parts { sample_loop: Some(3), ..all }), 3026);
    let early = prolog(&FragmentPrologKey { sample_mask: 1, ..FragmentPrologKey::default() });
    assert_eq!(code(&Parts { prolog: Some(&early), ..all }), 3035, "a prolog that does not keep the sample");
}

#[test]
fn only_shaders_that_run_as_vertex_shaders_have_output_slots() {
    let (vertex, fragment) = (shader("wide"), shader("colour"));
    let layout = vertex.info.output_layout(&[]);
    let outputs = Some(&layout);
    let after = epilog(&epilog_key(&fragment, 1));
    let error = refused(&Parts { outputs, epilog: Some(&after), ..Parts::new(&fragment) });
    assert_eq!((error.code(), error), (3041, LinkError::NoOutputs { stage: Stage::Fragment }));
    let as_compute = with("wide", |key| key.vertex_as_compute = true);
    let own = vertex_prolog(&as_compute);
    let error = refused(&Parts { outputs, prolog: Some(&own), ..Parts::new(&as_compute) });
    assert_eq!(error, LinkError::NoOutputs { stage: Stage::Compute });
}

#[test]
fn programs_are_made_of_shaders_of_their_stage() {
    let (compiler, mut scratch, key) = (Compiler::default(), Scratch::default(), CompileKey::default());
    let state = FragmentState::default();
    let mut codes = vec![
        compiler
            .vertex_program(&mut scratch, &shader("colour"), source, &key)
            .expect_err("a fragment shader"),
        compiler.fragment_program(&mut scratch, &shader("wide"), &state, &key).expect_err("a vertex shader"),
    ];
    let entry = |entry: &str| {
        let mut key = CompileKey::default();
        key.entry_point = Some(entry.to_owned());
        key
    };
    let input = Input::wgsl(SHADERS);
    codes.push(
        compiler.whole_vertex(&mut scratch, input, &entry("colour"), source).expect_err("a fragment shader"),
    );
    codes.push(
        compiler.whole_fragment(&mut scratch, input, &entry("wide"), &state).expect_err("a vertex shader"),
    );
    codes.push(compiler.whole_fragment(&mut scratch, input, &entry("compute"), &state).expect_err("compute"));
    let kinds: Vec<_> = codes.iter().map(|error| (error.code(), error.kind())).collect();
    assert_eq!(kinds, [(3042, ErrorKind::Invalid); 5]);
    let compute = shader("compute");
    let error = compiler.emitted_vertex(&mut scratch, &compute.info, &key).expect_err("no geometry shader");
    assert_eq!(error.code(), 3043);
}

#[test]
fn the_location_of_an_attribute_key_is_that_of_the_attribute() {
    let (compiler, mut scratch, options) = (Compiler::default(), Scratch::default(), CompileKey::default());
    let apart = shader("apart");
    let mut made = |source: &dyn Fn(u32) -> Option<AttributeKey>| {
        let key = VertexPrologKey::new(&apart.info, source);
        compiler
            .vertex_prolog(&mut scratch, &key, &options)
            .map(|_| ())
            .map_err(|error| (error.code(), error.message()))
    };
    assert_eq!(made(&source), Ok(()));
    let text = |location, found| {
        format!(
            "location {location}: expected the source of the attribute there, found that of location {found}"
        )
    };
    assert_eq!(made(&|_| source(0)), Err((3012, text(2, 0))));
    assert_eq!(made(&|location| source(location + 1)), Err((3012, text(0, 1))));
    let wide = |location| Some(AttributeKey::new(location, VertexFormat::from_name("R64G64B64_SFLOAT")?, 24));
    assert_eq!(made(&|location| wide(location - location % 2)), Ok(()), "each has its own");
    assert_eq!(
        made(&|_| wide(1).filter(|_| true)),
        Err((3012, text(0, 1))),
        "location 2 continues it, 0 does not"
    );
    let unaligned = |location| Some(AttributeKey { alignment: 0, ..source(location)? });
    assert_eq!(made(&unaligned).map_err(|(code, _)| code), Err(3013));
}
