//! The scenes.

use agx_emulator::{Comparison, Stencil, StencilOp, Tests};

use super::{SIDE, Scene, check, colour};

/// Positions of the four samples of a pixel: the standard positions of the APIs.
const FOUR: [[f32; 2]; 4] = [[0.375, 0.125], [0.875, 0.375], [0.125, 0.625], [0.625, 0.875]];

/// Tests that every sample fails or passes, and that store the depth of passing samples.
fn depth(comparison: Comparison) -> Tests {
    Tests { depth: comparison, depth_write: true, ..Tests::default() }
}

#[test]
fn a_shader_that_reads_the_sample_runs_for_each() {
    let scene = Scene { samples: 4, ..Scene::new("sample_id") };
    check(&scene, |_, _, sample| {
        let [x, y] = FOUR[sample as usize];
        [sample as f32, (1 << sample) as f32, x, y]
    });
    check(&Scene::new("sample_id"), |_, _, _| [0.0, 1.0, 0.5, 0.5]);
}

#[test]
fn inputs_and_position_are_those_of_the_sample() {
    let scene = Scene { samples: 4, ..Scene::new("sample_position") };
    check(&scene, |x, y, sample| {
        let [dx, dy] = FOUR[sample as usize];
        [x as f32 + dx, y as f32 + dy, x as f32 + dx, y as f32 + dy]
    });
}

#[test]
fn inputs_are_interpolated_at_offsets_and_samples() {
    for which in 0..4_u32 {
        let push_constants = which.to_le_bytes().to_vec();
        let scene = Scene { samples: 4, push_constants, ..Scene::new("interpolate_at") };
        check(&scene, |x, y, _| {
            let [dx, dy] = FOUR[which as usize];
            [x as f32 + 0.75, y as f32 + 0.125, x as f32 + dx, y as f32 + dy]
        });
    }
}

#[test]
fn elements_of_inputs_by_a_computed_index_are_interpolated() {
    for which in 0..3_u32 {
        let push_constants = which.to_le_bytes().to_vec();
        let scene = Scene { vertex: "array", push_constants, ..Scene::new("interpolate_array") };
        check(&scene, |x, y, _| {
            let element = (2 * x + which) as f32;
            let (px, py) = (x as f32 + 0.75, y as f32 + 0.625);
            let few = [px, py, px + py][x as usize % 3];
            [px + element, py - 0.5 + element, few, x as f32 + 0.5 + (x + which) as f32]
        });
    }
}

#[test]
fn offsets_are_in_perspective_where_the_input_is() {
    // With w = 1, 2, 4 at the corners (0, 0), (16, 0), (0, 16) and the values 0, 1, 2 there.
    let value = |x: f32, y: f32| {
        let (b, c) = (x / 16.0, y / 16.0);
        (b / 2.0 + 2.0 * c / 4.0) / ((1.0 - b - c) + b / 2.0 + c / 4.0)
    };
    let centre = |x: u32| x as f32 + 0.5;
    check(&Scene::new("interpolate_in_perspective"), |x, y, _| {
        let here = value(centre(x), centre(y));
        [here, value(centre(x) + 0.5, centre(y) + 0.25), here, 0.0]
    });
}

#[test]
fn a_sample_mask_kills_the_samples_that_are_not_in_it() {
    let scene = Scene { samples: 4, ..Scene::new("sample_mask") };
    check(&scene, |_, _, sample| if sample % 2 == 0 { [0.5; 4] } else { [0.0; 4] });
}

#[test]
fn a_sample_mask_concerns_only_the_sample_that_is_shaded() {
    for shader in ["sample_mask_by_sample", "sample_mask_by_sample_early"] {
        let scene = Scene { samples: 4, ..Scene::new(shader) };
        check(&scene, |_, _, sample| match sample {
            1 | 2 => [sample as f32 + 1.0; 4],
            _ => [0.0; 4],
        });
    }
}

#[test]
fn a_sample_mask_goes_together_with_a_depth() {
    let tests = depth(Comparison::Less);
    let (framebuffer, _) = Scene { samples: 4, tests, ..Scene::new("sample_mask_and_depth") }.draw();
    for sample in 0..4 {
        let in_mask = matches!(sample, 1 | 2);
        let expected = if in_mask { ([0.5; 4], 0.25) } else { ([0.0; 4], 1.0) };
        let depth = framebuffer.depth_stencil(3, 3, sample).map(|(depth, _)| depth);
        assert_eq!((colour(&framebuffer, 3, 3, sample), depth), (expected.0, Some(expected.1)), "{sample}");
    }
}

#[test]
fn depth_and_stencil_are_what_the_shader_gives() {
    let front = Stencil { pass: StencilOp::Replace, ..Stencil::default() };
    let tests = Tests { front, back: front, ..depth(Comparison::Less) };
    let (framebuffer, _) = Scene { tests, ..Scene::new("stencil") }.draw();
    for x in 0..SIDE {
        assert_eq!(framebuffer.depth_stencil(x, 5, 0), Some((0.125, x as u8 + 3)));
    }
}

#[test]
fn a_discard_comes_before_late_tests_and_after_early_ones() {
    for (shader, depth_of_discarded) in [("discard", 1.0), ("discard_early", 0.5)] {
        let (framebuffer, _) = Scene { tests: depth(Comparison::Less), ..Scene::new(shader) }.draw();
        for x in 0..SIDE {
            let expected = if x % 2 == 0 { ([1.0; 4], 0.5) } else { ([0.0; 4], depth_of_discarded) };
            let depth = framebuffer.depth_stencil(x, 2, 0).map(|(depth, _)| depth);
            assert_eq!(
                (colour(&framebuffer, x, 2, 0), depth),
                (expected.0, Some(expected.1)),
                "{shader} {x}"
            );
        }
    }
}

#[test]
fn only_live_lanes_write_memory() {
    // Nine pixels with odd borders: their quads have seven helper lanes.
    let scene = Scene { scissor: [1, 1, 4, 4], words: 66, ..Scene::new("count") };
    let (_, words) = scene.draw();
    assert_eq!(words[..2], [9, 6]);
    for (x, y) in (0..SIDE).flat_map(|y| (0..SIDE).map(move |x| (x, y))) {
        let inside = (1..4).contains(&x) && (1..4).contains(&y);
        assert_eq!(words[2 + (8 * y + x) as usize], u32::from(inside && x != 2), "{x}, {y}");
    }
}

#[test]
fn what_is_written_is_written_even_where_late_tests_reject() {
    let tests = depth(Comparison::Never);
    let (framebuffer, words) = Scene { tests, words: 66, ..Scene::new("count") }.draw();
    assert_eq!((words[0], words[1]), (64, 56));
    assert_eq!(colour(&framebuffer, 5, 5, 0), [0.0; 4]);
    let (_, words) = Scene { tests, words: 66, ..Scene::new("count_early") }.draw();
    assert_eq!((words[0], words[1]), (0, 0));
    let (framebuffer, words) = Scene { words: 66, ..Scene::new("count_early") }.draw();
    assert_eq!((words[0], words[1]), (64, 56));
    assert_eq!([1, 2].map(|x| colour(&framebuffer, x, 5, 0)[0]), [1.0, 0.0]);
}

#[test]
fn a_discarded_sample_writes_nothing_and_the_others_do() {
    let (framebuffer, words) = Scene { samples: 4, words: 2, ..Scene::new("count_samples") }.draw();
    assert_eq!(words[0], 3 * 64);
    assert_eq!([0, 1, 2, 3].map(|sample| colour(&framebuffer, 6, 1, sample)[0]), [1.0, 0.0, 3.0, 4.0]);
}

#[test]
fn stores_of_one_sample_are_over_before_too_many_of_the_next_begin() {
    let (_, words) = Scene { samples: 4, words: 20, ..Scene::new("store_samples") }.draw();
    assert!((0..20).all(|at| words[at] == at as u32 / 4 + 1), "{words:?}");
}

#[test]
fn a_demoted_lane_goes_on_as_a_helper_and_knows_it() {
    for shader in ["demote", "demote_early"] {
        let (framebuffer, words) = Scene { words: 2, ..Scene::new(shader) }.draw();
        // Demoted lanes do not add to the sum.
        assert_eq!(words, [0, 32], "{shader}");
        for x in 0..SIDE {
            let expected = if x % 2 == 0 { [1.0, 0.0, 0.0, 1.0] } else { [0.0; 4] };
            assert_eq!(colour(&framebuffer, x, 4, 0), expected, "{shader} {x}");
        }
    }
}

#[test]
fn primitives_are_numbered() {
    let scene = Scene { triangles: 3, ..Scene::new("primitive") };
    check(&scene, |_, _, _| [2.0, 2.0, 0.0, 0.0]);
}

#[test]
fn interlocked_parts_run_in_the_order_of_primitives() {
    let (_, words) = Scene { triangles: 3, words: 64, ..Scene::new("interlock") }.draw();
    assert_eq!(words, [123; 64]);
}

#[test]
fn distances_are_inputs_too() {
    let scene = Scene { vertex: "distances", ..Scene::new("distances") };
    check(&scene, |x, y, _| [x as f32 + 1.5, 2.0, y as f32 - 0.5, 1.0]);
}

#[test]
fn scalars_of_64_bits_take_two_components_and_their_vectors_two_locations() {
    let scene = Scene { vertex: "double", ..Scene::new("double") };
    check(&scene, |_, _, _| [1.0, 2.5, 1.0, 7.0]);
}

#[test]
fn lanes_shuffle_in_divergent_control_flow_of_a_shader_that_runs_for_each_sample() {
    let (framebuffer, _) = Scene { samples: 4, ..Scene::new("shuffle_samples") }.draw();
    for (x, y) in (0..SIDE).flat_map(|y| (0..SIDE).map(move |x| (x, y))) {
        for sample in 0..4 {
            let [got, lane, beside, number] = colour(&framebuffer, x, y, sample);
            let (lane, quad) = (lane as u32, lane as u32 / 4 * 4);
            assert_eq!(number, sample as f32);
            if lane == quad + 3 {
                assert_eq!([got, beside], [-1.0; 2]);
                continue;
            }
            let from = quad + (lane - quad + 1 + sample) % 3;
            assert_eq!([got, beside], [(from + 100 * sample) as f32, 2.0 * lane as f32], "lane {lane}");
        }
    }
}

#[test]
fn inputs_of_16_bits_are_interpolated_in_16_bits() {
    let scene = Scene { vertex: "half_inputs", ..Scene::new("half_inputs") };
    // Positions are halves of integers below 16, which are exact in 16 bits.
    check(&scene, |x, _, _| [x as f32 + 0.5, 15.0, x as f32 + 0.5, 0.0]);
}
