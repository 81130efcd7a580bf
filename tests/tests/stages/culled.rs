//! Primitives that cull distances cull: they leave neither colours nor depths.

use agx_abi::fragment::cull_flags;
use agx_abi::tile::ColourFormat;
use agx_abi::{Stage, Target};
use agx_compiler::link::{FragmentState, Target as RenderTarget};
use agx_compiler::{CompileKey, Compiler, Scratch};
use agx_emulator::launch::DrawLaunch;
use agx_emulator::{Comparison, Framebuffer, Tests};
use agx_tests::driver::validate_program;

use super::{SIDE, colour, module, program, stage};

/// Of triangles 0, 1 and 2, each nearer than the one before, only the second is drawn.
#[test]
fn a_triangle_with_a_negative_distance_at_every_corner_is_culled() {
    for (shader, samples) in [("culled", 1), ("culled", 4), ("culled_early", 1), ("culled_early", 4)] {
        let vertex = module("culled.vert", Stage::Vertex);
        let mut fragment = module(&format!("{shader}.frag"), Stage::Fragment);
        let (vertex_program, _) = program(&vertex, None, samples);
        let mut state = FragmentState { samples: samples as u8, ..FragmentState::default() };
        state.targets[0] = Some(RenderTarget::new(ColourFormat::Rgba32Sfloat));
        state.culled = cull_flags(&vertex.info.varyings).collect();
        assert_eq!(state.culled.len(), 2);
        let fragment_program = Compiler::new(Target::default())
            .fragment_program(&mut Scratch::default(), &mut fragment, &state, &CompileKey::default())
            .expect("links");
        validate_program(&fragment_program).unwrap_or_else(|outcome| panic!("{outcome:?}"));
        let bytes = state.layout().sample_bytes.into();
        let mut framebuffer = Framebuffer::new(SIDE, SIDE, samples, bytes);
        let vertices: Vec<u32> = (0..9).collect();
        let stages = [stage(&vertex, &vertex_program, &[]), stage(&fragment, &fragment_program, &[])];
        let launch = DrawLaunch {
            vertices: &vertices,
            front_counter_clockwise: false,
            tests: Tests { depth: Comparison::Less, depth_write: true, ..Tests::default() },
            late_tests: fragment_program.late_tests,
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
}
