//! Primitives culled by cull distances write neither colours nor depths.

use agx_abi::Stage;
use agx_abi::fragment::cull_flags;
use agx_abi::tile::ColourFormat;
use agx_compiler::link::{FragmentState, Target as RenderTarget};
use agx_compiler::{CompileKey, Input};
use agx_emulator::launch::DrawLaunch;
use agx_emulator::{Comparison, Framebuffer, Tests};
use agx_tests::driver::stage;

use super::{Linked, SIDE, colour, fragment_programs, spirv, vertex_programs};

/// Of triangles 0, 1 and 2, each nearer than the previous one, only the second is drawn.
#[test]
fn a_triangle_with_a_negative_distance_at_every_corner_is_culled() {
    for (shader, samples) in [("culled", 1), ("culled", 4), ("culled_early", 1), ("culled_early", 4)] {
        let vertices = vertex_programs("culled", |_| None);
        let mut state = FragmentState::new([None; 8], samples as u8);
        state.targets[0] = Some(RenderTarget::new(ColourFormat::Rgba32Sfloat));
        state.culled = cull_flags(&vertices[0].0.info.varyings).collect();
        assert_eq!(state.culled.len(), 2);
        let mut key = CompileKey::default();
        (key.validate, key.stage) = (true, Some(Stage::Fragment));
        let fragments = fragment_programs(Input::spirv(&spirv(&format!("{shader}.frag"))), &key, &state);
        for (vertex, fragment) in vertices.iter().zip(&fragments) {
            check(vertex, fragment, &state, shader);
        }
    }
}

/// Draws the three triangles and checks that the second is visible.
fn check(vertex: &Linked, fragment: &Linked, state: &FragmentState, shader: &str) {
    let samples = u32::from(state.samples);
    let mut framebuffer = Framebuffer::new(SIDE, SIDE, samples, state.layout().sample_bytes.into());
    let vertices: Vec<u32> = (0..9).collect();
    let stages = [vertex, fragment].map(|(shader, program)| stage(shader, program, &[]));
    let launch = DrawLaunch {
        vertices: &vertices,
        front_counter_clockwise: false,
        tests: Tests { depth: Comparison::Less, depth_write: true, ..Tests::default() },
        late_tests: fragment.1.late_tests,
        ..DrawLaunch::new(stages[0], stages[1], [SIDE; 2])
    };
    assert_eq!(launch.run(&mut framebuffer).expect("runs").findings, []);
    for (at, sample) in (0..SIDE * SIDE).flat_map(|at| (0..samples).map(move |sample| (at, sample))) {
        let (x, y) = (at % SIDE, at / SIDE);
        let depth = framebuffer.depth_stencil(x, y, sample).map(|(depth, _)| depth);
        let found = (colour(&framebuffer, x, y, sample), depth);
        assert_eq!(found, ([2.0; 4], Some(0.375)), "{shader} at {x}, {y}, sample {sample}");
    }
    assert_eq!(framebuffer.passed, u64::from(SIDE * SIDE * samples), "what is culled is not counted");
}
