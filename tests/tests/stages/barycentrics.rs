//! Barycentric coordinates, and inputs at each vertex of a primitive.

use agx_abi::fragment::{CoefficientSource, Corner, Interpolation};
use agx_abi::tile::ColourFormat;
use agx_abi::{Stage, Target};
use agx_compiler::link::{FragmentState, Target as RenderTarget};
use agx_compiler::{CompileKey, Compiler, Input, Scratch};
use agx_emulator::launch::DrawLaunch;
use agx_emulator::{Framebuffer, Topology};
use agx_tests::driver::{compile, stage};

use super::{Linked, SIDE, checked, colour, fragment_programs, spirv};

/// A vertex shader for a fragment shader that reads `inputs`.
fn vertex_for(inputs: &[CoefficientSource]) -> Linked {
    let mut key = CompileKey::default();
    (key.validate, key.stage, key.fragment_inputs) = (true, Some(Stage::Vertex), Some(inputs.to_vec()));
    let (compiler, mut scratch) = (Compiler::new(Target::default()), Scratch::default());
    let (bytes, none) = (spirv("corners.vert"), |_| None);
    let whole = compiler.whole_vertex(&mut scratch, Input::spirv(&bytes), &key, none).expect("compiles");
    let shader = compiler.compile(&mut scratch, Input::spirv(&bytes), &key).expect("compiles");
    let program = compiler.vertex_program(&mut scratch, &shader, none, &key).expect("links");
    let [_, whole] = checked([(shader, program), (whole.shader, whole.program)]);
    whole
}

/// The coordinates equal inputs that are 1 at one vertex and 0 at the others, and each vertex has its own numbers; the last
/// vertex of points and lines stands for those that they do not have.
#[test]
fn coordinates_are_weights_and_vertices_have_their_own_values() {
    let mut key = CompileKey::default();
    (key.validate, key.stage) = (true, Some(Stage::Fragment));
    let rows = [
        (Topology::Triangles, [0, 1, 2].as_slice(), 321.0),
        (Topology::Triangles, &[5, 3, 4], 546.0),
        // All have the same w, so that only one axis of their area is not zero.
        (Topology::Triangles, &[9, 10, 11], 1320.0),
        (Topology::Lines, &[0, 1], 221.0),
        (Topology::Lines, &[0, 2], 331.0),
        (Topology::Lines, &[1, 0], 112.0),
        (Topology::Points, &[0], 111.0),
        (Topology::Points, &[3], 444.0),
    ];
    for samples in [1, 4] {
        let mut state = FragmentState::new([None; 8], samples);
        state.targets[0] = Some(RenderTarget::new(ColourFormat::Rgba32Sfloat));
        let fragments = fragment_programs(Input::spirv(&spirv("corners.frag")), &key, &state);
        for (fragment, (topology, vertices, numbers)) in
            fragments.iter().flat_map(|fragment| rows.map(|row| (fragment, row)))
        {
            let drawn = draw(fragment, &state, (topology, vertices), numbers);
            assert!(drawn > 0, "{topology:?} {vertices:?} covers pixels");
        }
    }
}

/// Draws one primitive and checks the covered samples; returns their number.
fn draw(
    fragment: &Linked,
    state: &FragmentState,
    (topology, vertices): (Topology, &[u32]),
    numbers: f32,
) -> u32 {
    let vertex = vertex_for(&fragment.0.info.fragment.coefficients);
    let samples = u32::from(state.samples);
    let mut framebuffer = Framebuffer::new(SIDE, SIDE, samples, state.layout().sample_bytes.into());
    let stages = [&vertex, fragment].map(|(shader, program)| stage(shader, program, &[]));
    let launch = DrawLaunch {
        topology,
        vertices,
        front_counter_clockwise: false,
        late_tests: fragment.1.late_tests,
        ..DrawLaunch::new(stages[0], stages[1], [SIDE; 2])
    };
    assert_eq!(launch.run(&mut framebuffer).expect("runs").findings, []);
    let mut covered = 0;
    for (at, sample) in (0..SIDE * SIDE).flat_map(|at| (0..samples).map(move |sample| (at, sample))) {
        let (x, y) = (at % SIDE, at / SIDE);
        let [error, number, high, first] = colour(&framebuffer, x, y, sample);
        if number != 0.0 {
            covered += 1;
            // The shader compares with the inputs of vertices 0, 1 and 2.
            let is_ordered = (0..).zip(vertices).all(|(at, vertex)| vertex % 3 == at);
            assert!(!is_ordered || error < 2e-6, "{topology:?} {vertices:?} at {x}, {y}: off by {error}");
            assert!(topology != Topology::Points || first == 1.0, "the only vertex has the whole weight");
            assert_eq!([number, high], [numbers; 2], "{topology:?} {vertices:?} at {x}, {y}");
        }
    }
    covered
}

/// A fragment shader that does not read a word of the position has it not stored.
#[test]
fn positions_are_stored_only_if_they_are_read() {
    let corner = Interpolation::Corner(Corner::Second);
    let number = CoefficientSource::User { location: 2, component: 0, interpolation: corner };
    let x = CoefficientSource::CornerPosition { component: 0, corner: Corner::Third };
    let w = CoefficientSource::Position(2);
    let stored = |inputs: &[CoefficientSource]| {
        let varyings = vertex_for(inputs).0.info.varyings;
        let outputs = varyings.into_iter().map(|varying| varying.output);
        outputs.filter(|output| [x, w].iter().any(|source| source.output() == Some(*output))).count()
    };
    assert_eq!([stored(&[number]), stored(&[number, x]), stored(&[number, x, w])], [0, 1, 2]);
}

/// WGSL's barycentric coordinates and arrays of values at the vertices are SPIR-V's.
#[test]
fn wgsl_reads_vertices() {
    let source = "enable wgpu_per_vertex;
        struct Pixel { @location(1) @interpolate(per_vertex) a: array<f32, 3>, @builtin(barycentric) weights: vec3f }
        @fragment fn colour(pixel: Pixel) -> @location(0) vec4f { return vec4f(pixel.a[1], pixel.weights); }";
    let mut key = CompileKey::default();
    key.validate = true;
    let shader = compile(Input::wgsl(source), &key).expect("compiles");
    let read = shader.info.fragment.coefficients;
    let number = |corner| {
        let interpolation = Interpolation::Corner(corner);
        read.contains(&CoefficientSource::User { location: 1, component: 0, interpolation })
    };
    assert_eq!([Corner::First, Corner::Second, Corner::Third].map(number), [false, true, true], "{read:?}");
    assert!(read.contains(&CoefficientSource::Position(2)), "{read:?}");
}
