//! Discards and demotions: what a lane did before stays done, what it does after has no effect, and its neighbours still
//! have right derivatives.

use super::{SIDE, Scene, colour};

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
