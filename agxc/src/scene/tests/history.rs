//! Histories of pixels against images of the scenes with draws removed.

use agx_abi::Target;
use agx_emulator::SampleOutcome;

use crate::context::Context;
use crate::scene::{BUNDLED, Files, Picture, Scene, Wishes, read, render_watched};

const SIZE: [u32; 2] = [48, 36];

/// Draws the scene called `name`, changed, with the history of a pixel.
fn drawn(name: &str, pixel: [u32; 2], change: impl Fn(&mut Scene)) -> Picture {
    let bundled = BUNDLED.iter().find(|bundled| bundled.name == name).expect("bundled");
    let mut scene = read(bundled.scene.as_bytes(), name).expect("a scene");
    scene.size = SIZE;
    change(&mut scene);
    let wishes = Wishes { history: Some(pixel), ..Wishes::default() };
    render_watched(&scene, &Files::Bundled(bundled), Target::default(), &wishes, &mut Context::new())
        .unwrap_or_else(|_| panic!("{name} draws"))
}

fn colour(picture: &Picture, [x, y]: [u32; 2]) -> [u8; 4] {
    let at = 4 * (y * SIZE[0] + x) as usize;
    std::array::from_fn(|component| picture.rgba[at + component])
}

/// The mean colour of the samples after the draws up to `last`.
fn expected(picture: &Picture, last: usize) -> [f64; 4] {
    let touches = picture.draws[..=last].iter().flat_map(|draw| &draw.report.history);
    let samples = touches.last().map_or(&picture.cleared, |touch| &touch.after);
    let mean = |component: usize| {
        let sum: f64 = samples.iter().map(|sample| f64::from(sample.colour[component])).sum();
        sum / samples.len() as f64
    };
    std::array::from_fn(mean)
}

#[test]
fn histories_agree_with_images_of_fewer_draws() {
    let mut seen = [0; 4];
    for bundled in BUNDLED {
        let name = bundled.name;
        for pixel in [[3, 4], [24, 18], [14, 22], [30, 30], [40, 12], [20, 27], [9, 33], [20, 24]] {
            let whole = drawn(name, pixel, |_| ());
            let count = whole.draws.len();
            for draw in 0..count {
                let history = &whole.draws[draw].report.history;
                let outcomes = history.iter().flat_map(|touch| &touch.outcomes);
                for outcome in outcomes.clone() {
                    let kinds = [
                        SampleOutcome::Passed,
                        SampleOutcome::DepthFailed,
                        SampleOutcome::StencilFailed,
                        SampleOutcome::Killed,
                    ];
                    kinds
                        .iter()
                        .zip(&mut seen)
                        .filter(|(kind, _)| *kind == outcome)
                        .for_each(|(_, seen)| *seen += 1);
                }
                // The picture of the draws so far has the colour after the last fragment.
                let so_far = drawn(name, pixel, |scene| scene.draws.truncate(draw + 1));
                for (found, wanted) in colour(&so_far, pixel).into_iter().zip(expected(&whole, draw)) {
                    let difference = (f64::from(found) - wanted).abs();
                    assert!(difference <= 0.5, "{name}, draw {draw}, {pixel:?}: {found}, not {wanted}");
                }
                // Without a draw of which no sample passed, the pixel is the same.
                if !outcomes.clone().any(|outcome| *outcome == SampleOutcome::Passed) {
                    let without = drawn(name, pixel, |scene| _ = scene.draws.remove(draw));
                    assert_eq!(
                        colour(&without, pixel),
                        colour(&whole, pixel),
                        "{name} without {draw}, {pixel:?}"
                    );
                }
            }
        }
    }
    assert!(seen.iter().all(|count| *count > 0), "passed, depth, stencil, killed: {seen:?}");
}
