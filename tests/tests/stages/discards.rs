//! Discards and demotions: what a lane did before stays done, what it does after has no effect, and its neighbours still
//! have right derivatives.

use agx_abi::Stage;
use agx_compiler::{CompileKey, Input};
use agx_emulator::launch::FIRST_ADDRESS;

use super::{SIDE, Scene, check, colour, fragment_programs, vertex_programs};

/// The pixels of the screen.
fn pixels() -> impl Iterator<Item = (u32, u32)> {
    (0..SIDE).flat_map(|y| (0..SIDE).map(move |x| (x, y)))
}

/// Draws a scene with a buffer of `words`; compares the colours with those of `expected`, or nothing where it gives none.
/// Returns the buffer.
#[track_caller]
fn drawn(name: &'static str, words: usize, expected: impl Fn(u32, u32) -> Option<[f32; 4]>) -> Vec<u32> {
    let (framebuffer, words) = Scene { words, ..Scene::new(name) }.draw();
    for (x, y) in pixels() {
        assert_eq!(colour(&framebuffer, x, y, 0), expected(x, y).unwrap_or([0.0; 4]), "{name} at {x}, {y}");
    }
    words
}

#[test]
fn atomics_of_one_arm_do_not_see_the_coverage_of_the_other() {
    let scene = Scene { scissor: [0, 0, 4, 4], words: 8, ..Scene::new("atomics_around_discard") };
    assert_eq!(scene.draw().1[..2], [12, 3]);
}

#[test]
fn atomics_end_with_the_iteration_that_demotes() {
    for shader in ["atomics_around_demote", "atomics_around_demote_early"] {
        let scene = Scene { scissor: [0, 0, 4, 4], words: 8, ..Scene::new(shader) };
        assert_eq!(scene.draw().1[..4], [18, 18, 8, 18], "{shader}");
    }
}

#[test]
fn a_lane_is_a_helper_from_its_demotion_on() {
    let seen = |x: u32, y: u32| match (x, y) {
        (2, 1) => 1.0 + 2.0 + 12.0,
        (_, 1) => 0.0,
        (1, _) => 2.0 + 12.0,
        (3, 3) => 8.0,
        _ => 0.0,
    };
    drawn("helpers_around_demote", 8, |x, y| {
        let slope = seen(x | 1, y) - seen(x & !1, y);
        (seen(x, y) == 0.0).then_some([slope, 0.0, 0.0, 1.0])
    });
}

#[test]
fn stores_before_a_demotion_stay_and_later_ones_do_not_happen() {
    let words = drawn("stores_around_demote", 64, |x, y| (x != 2 && y != 1).then_some([1.0; 4]));
    for (x, y) in pixels() {
        let expected = if x == 2 {
            1
        } else if y == 1 {
            2
        } else {
            6
        };
        assert_eq!(words[(8 * y + x) as usize], expected, "{x}, {y}");
    }
}

#[test]
fn a_discard_in_a_loop_leaves_the_derivatives_of_neighbours_right() {
    let is_killed = |x: u32, y: u32| (x + y) % 3 == 1;
    for shader in ["kill_in_loop", "kill_in_loop_early"] {
        let words = drawn(shader, 8, |x, y| {
            let slope = 10.0 + 3.0 * (y / 2) as f32;
            let value = 10.0 * x as f32 + 6.0 * y as f32 + 3.0 * (x * (y / 2)) as f32;
            (!is_killed(x, y)).then_some([slope, 6.0, value, 1.0])
        });
        let alive = pixels().filter(|(x, y)| !is_killed(*x, *y)).count() as u32;
        assert_eq!(words[..3], [64, alive, alive], "{shader}");
    }
}

#[test]
fn a_loop_that_only_a_discard_ends_does_end() {
    for shader in ["kill_ends_loop", "kill_ends_loop_early"] {
        let words = drawn(shader, 8, |x, y| {
            (x % 2 == 0 && matches!(y, 0 | 1 | 3)).then_some([10.0, 4.0, y as f32, 1.0])
        });
        let adds = |(x, y): (u32, u32)| if x % 2 == 0 { y.min(4) } else { 4 };
        assert_eq!(words[..2], [pixels().map(adds).sum(), 4], "{shader}");
    }
}

#[test]
fn a_loop_in_which_every_lane_is_discarded_at_once_ends() {
    let words = drawn("kill_at_once", 8, |x, _| (x % 2 == 0).then_some([10.0, 4.0, 0.0, 1.0]));
    assert_eq!(words[..2], [32, 0]);
}

#[test]
fn a_discard_in_a_switch_ends_what_the_lane_does() {
    let words = drawn("kill_in_switch", 8, |x, _| {
        let value = match x % 4 {
            0 => 1.0,
            2 => 18.0,
            _ => 16.0,
        };
        (x % 4 != 1 && x != 6).then_some([7.0, 3.0, value, 1.0])
    });
    assert_eq!(words, [8, 0, 8, 8, 8, 0, 0, 8]);
}

#[test]
fn killed_lanes_read_nothing_at_addresses_that_the_discard_guards() {
    let push_constants = FIRST_ADDRESS.to_le_bytes().to_vec();
    let scene = Scene { words: 8, push_constants, ..Scene::new("kill_guards_address") };
    check(&scene, |x, _, _| if x % 2 == 0 { [5.0, 3.0, 0.0, 1.0] } else { [0.0; 4] });
}

#[test]
fn demoted_lanes_do_not_vote() {
    let words = drawn("votes_after_demote", 8, |x, _| (x % 4 != 0).then_some([1.0; 4]));
    assert_eq!(words[..6], [48, 48, 0, 48, 0, 0]);
}

/// A discard of WGSL demotes: the rest of its block is executed, and loops go on.
#[test]
fn a_discard_of_wgsl_is_a_demotion() {
    let text = "
        @group(0) @binding(0) var<storage, read_write> n: array<atomic<u32>, 8>;
        fn sum(x: u32, y: u32) -> f32 {
            var v = 10.0 * f32(x);
            for (var i = 0u; i < 3u; i++) {
                if i == 1u && (x + y) % 3u == 1u {
                    discard;
                    v += 0.5;
                    atomicAdd(&n[3], 1u);
                }
                v += 2.0 * f32(y);
                atomicAdd(&n[i], 1u);
            }
            return v;
        }
        @fragment fn main(@builtin(position) at: vec4f) -> @location(0) vec4f {
            let v = sum(u32(at.x), u32(at.y));
            return vec4f(dpdxFine(v), dpdyFine(v), v, 1.0);
        }";
    let scene = Scene { words: 8, ..Scene::new("WGSL") };
    let mut key = CompileKey::default();
    (key.validate, key.stage) = (true, Some(Stage::Fragment));
    let vertices = vertex_programs(scene.vertex, |_| None);
    let is_demoted = |x: u32, y: u32| (x + y) % 3 == 1;
    let value = |x: u32, y: u32| 10.0 * x as f32 + 6.0 * y as f32 + if is_demoted(x, y) { 0.5 } else { 0.0 };
    for (vertex, fragment) in vertices.iter().zip(&fragment_programs(Input::wgsl(text), &key, &scene.state()))
    {
        let (framebuffer, words) = scene.draw_programs(vertex, fragment);
        for (x, y) in pixels() {
            let slopes = [value(x | 1, y) - value(x & !1, y), value(x, y | 1) - value(x, y & !1)];
            let expected = if is_demoted(x, y) { [0.0; 4] } else { [slopes[0], slopes[1], value(x, y), 1.0] };
            assert_eq!(colour(&framebuffer, x, y, 0), expected, "{x}, {y}");
        }
        let alive = pixels().filter(|(x, y)| !is_demoted(*x, *y)).count() as u32;
        assert_eq!(words[..4], [64, alive, alive, 0]);
    }
}
