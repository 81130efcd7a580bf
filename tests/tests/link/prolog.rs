//! Fragment prologs.

use agx_abi::fragment::{CoefficientSource, Interpolation};
use agx_abi::tile::ColourFormat;
use agx_compiler::link::{EpilogKey, FragmentPrologKey, Target};
use agx_emulator::{Framebuffer, Tests};

use super::support::{Code, floats, info, linked_with, shade_stippled};

fn key(samples: u8) -> EpilogKey {
    let mut key = EpilogKey::new(&info(1).fragment);
    key.samples = samples;
    key.targets[0] = Some(Target::new(ColourFormat::Rgba8Unorm));
    key
}

fn white() -> Code {
    Code::default().colour(0, floats([1.0; 4]))
}

/// The red component of every sample of the pixels, in rows.
fn reds(framebuffer: &Framebuffer, samples: u32) -> Vec<u8> {
    let [width, height] = framebuffer.size();
    let pixels = (0..height).flat_map(|y| (0..width).map(move |x| (x, y)));
    let red = |x, y, sample| framebuffer.colour(x, y, sample).expect("inside")[0];
    pixels
        .flat_map(|(x, y)| (0..samples).map(move |sample| (x, y, sample)))
        .map(|(x, y, s)| red(x, y, s))
        .collect()
}

#[test]
fn the_mask_of_the_api_kills_samples_before_tests_also_where_they_come_first() {
    for early in [false, true] {
        let prolog =
            FragmentPrologKey { sample_mask: 0b0110, early_tests: early, ..FragmentPrologKey::default() };
        let mut key = key(4);
        (key.tested, key.early_tests) = (false, early);
        let info = info(1);
        let program = linked_with(&prolog, &white(), &info, &key, None);
        assert!(program.late_tests);
        let mut framebuffer = Framebuffer::new(2, 2, 4, 8);
        shade_stippled(&program, &info, &mut framebuffer, ([0.0; 4], None), 0.5, Tests::default());
        assert_eq!(reds(&framebuffer, 4), [0, 255, 255, 0].repeat(4));
        assert_eq!(framebuffer.passed, 8);
    }
}

#[test]
fn early_tests_run_in_the_prolog_of_a_program_that_writes_memory() {
    for writes_memory in [false, true] {
        let prolog = FragmentPrologKey { early_tests: true, writes_memory, ..FragmentPrologKey::default() };
        assert_eq!(prolog.is_needed(), writes_memory);
        let mut key = key(1);
        key.early_tests = true;
        let info = info(1);
        let program = linked_with(&prolog, &white(), &info, &key, None);
        assert_eq!(program.late_tests, writes_memory);
        let mut framebuffer = Framebuffer::new(2, 2, 1, 8);
        shade_stippled(&program, &info, &mut framebuffer, ([0.0; 4], None), 0.5, Tests::default());
        assert_eq!(reds(&framebuffer, 1), [255; 4]);
        assert_eq!(framebuffer.passed, 4);
    }
}

#[test]
fn the_mask_of_the_api_holds_within_the_sample_loop() {
    let prolog =
        FragmentPrologKey { sample_mask: 0b1001, sample_shading: true, ..FragmentPrologKey::default() };
    let mut key = key(4);
    (key.tested, key.sample_shading) = (false, true);
    let info = info(1);
    let program = linked_with(&prolog, &white(), &info, &key, Some(4));
    let mut framebuffer = Framebuffer::new(2, 2, 4, 8);
    shade_stippled(&program, &info, &mut framebuffer, ([0.0; 4], None), 0.5, Tests::default());
    assert_eq!(reds(&framebuffer, 4), [255, 0, 0, 255].repeat(4));
}

#[test]
fn the_stipple_discards_by_its_bits() {
    let mut numbers = super::support::Numbers::new(21);
    let pattern = [0; 32].map(|_: u32| numbers.below(1 << 30) << 2 ^ numbers.below(1 << 30));
    let prolog = FragmentPrologKey { stipple: true, ..FragmentPrologKey::default() };
    let mut key = key(1);
    key.tested = false;
    let info = info(1);
    let program = linked_with(&prolog, &white(), &info, &key, None);
    let mut framebuffer = Framebuffer::new(40, 35, 1, 8);
    shade_stippled(&program, &info, &mut framebuffer, ([0.0; 4], Some(&pattern)), 0.5, Tests::default());
    let places = (0..35).flat_map(|y| (0..40).map(move |x| (x, y)));
    let wanted: Vec<u8> =
        places.map(|(x, y)| if pattern[y % 32] << (x % 32) >> 31 != 0 { 255 } else { 0 }).collect();
    assert_eq!(reds(&framebuffer, 1), wanted);
}

#[test]
fn fragments_are_counted_before_anything_is_discarded() {
    // One sample; four in one run of the program; four with sample shading; half of the samples discarded.
    for (samples, sample_shading, sample_mask, counted) in
        [(1, false, 0xff, 35), (4, false, 0xff, 35), (4, true, 0xff, 140), (4, false, 0b0101, 35)]
    {
        let prolog =
            FragmentPrologKey { counts: true, sample_shading, sample_mask, ..FragmentPrologKey::default() };
        let mut key = key(samples);
        (key.sample_shading, key.tested) = (sample_shading, sample_mask == 0xff);
        let info = info(1);
        let sample_loop = sample_shading.then_some(samples);
        let program = linked_with(&prolog, &white(), &info, &key, sample_loop);
        let mut framebuffer = Framebuffer::new(7, 5, samples.into(), 8);
        let report =
            shade_stippled(&program, &info, &mut framebuffer, ([0.0; 4], None), 0.5, Tests::default());
        assert_eq!(report.counted_fragments, counted, "{samples} samples, by themselves: {sample_shading}");
        let wanted = |at: usize| if sample_mask >> (at % usize::from(samples)) & 1 != 0 { 255 } else { 0 };
        let reds = reds(&framebuffer, samples.into());
        assert!(reds.iter().enumerate().all(|(at, red)| *red == wanted(at)), "{reds:?}");
    }
}

#[test]
fn a_primitive_with_a_distance_that_is_nowhere_positive_is_culled() {
    // Without vertices, locations are 0 everywhere and 1/w is 1.
    let zero = CoefficientSource::User { location: 0, component: 0, interpolation: Interpolation::Flat };
    let one = CoefficientSource::OneOverW;
    for (culled, drawn) in [(vec![one], true), (vec![zero], false), (vec![one, zero], false)] {
        let mut info = info(1);
        let prolog = FragmentPrologKey::default()
            .with_cull_distances(&mut info.fragment.coefficients, culled.iter().copied());
        assert_eq!(info.fragment.coefficients, culled);
        let mut key = key(1);
        key.tested = false;
        // The main part reads no coefficients: the flags are appended.
        let program = linked_with(&prolog, &white(), &super::support::info(1), &key, None);
        let mut framebuffer = Framebuffer::new(2, 2, 1, 8);
        shade_stippled(&program, &info, &mut framebuffer, ([0.0; 4], None), 0.5, Tests::default());
        assert_eq!(reds(&framebuffer, 1), [if drawn { 255 } else { 0 }; 4]);
    }
}
