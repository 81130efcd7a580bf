//! Render targets that do not fit into the tile, compared with the same targets in the tile.

use agx_abi::fragment::{SAMPLE_MASK, UNIFORMS};
use agx_abi::tile::{ColourFormat, Numeric};
use agx_abi::{SamplerBinding, ShaderInfo};
use agx_compiler::link::{Blend, BlendOp, Blending, EpilogKey, Equation, Factor, LogicOp, Target};
use agx_compiler::{CompileKey, Compiler, ErrorKind, Scratch};
use agx_emulator::launch::textures::{Dimension, Format, Shape, TextureResource};
use agx_emulator::launch::{BufferBinding, ShadeLaunch, SpilledTarget, StageProgram};
use agx_emulator::{Comparison, Framebuffer, Options, Tests};

use super::support::{Code, Numbers, floats, info, linked};

/// The spilled target: the four before it fill a sample of 64 bytes.
const SPILLED: u32 = 4;

/// Pixels along a side; the last row and column are not shaded.
const SIDE: u32 = 4;

/// Formats with the codes of the same texels in memory.
const FORMATS: [(ColourFormat, Format); 16] = [
    (ColourFormat::Rgba8Unorm, texels(0x28, 0)),
    (ColourFormat::Rgba8Snorm, texels(0x28, 1)),
    (ColourFormat::Rgba8Uint, texels(0x28, 2)),
    (ColourFormat::Rgba8Sint, texels(0x28, 3)),
    (ColourFormat::Rgba8Srgb, Format { channels: 0x28, kind: 0, srgb: true }),
    (ColourFormat::R8Unorm, texels(0x00, 0)),
    (ColourFormat::Rg16Unorm, texels(0x23, 0)),
    (ColourFormat::Rgba16Sint, texels(0x32, 3)),
    (ColourFormat::Rgba16Sfloat, texels(0x32, 4)),
    (ColourFormat::R32Uint, texels(0x21, 2)),
    (ColourFormat::R32Sfloat, texels(0x21, 4)),
    (ColourFormat::Rgba32Sint, texels(0x38, 3)),
    (ColourFormat::Rgba32Sfloat, texels(0x38, 4)),
    (ColourFormat::A2bgr10UnormPack32, texels(0x26, 0)),
    (ColourFormat::Bgr11UfloatPack32, texels(0x25, 4)),
    (ColourFormat::Ebgr9UfloatPack32, texels(0x27, 4)),
];

const fn texels(channels: u32, kind: u32) -> Format {
    Format { channels, kind, srgb: false }
}

/// The key with only the one target, in the tile, and with others before it, so that it does not fit.
fn keys(target: Target, samples: u8, info: &ShaderInfo) -> [EpilogKey; 2] {
    let mut alone = EpilogKey::new(&info.fragment);
    alone.samples = samples;
    alone.targets[SPILLED as usize] = Some(target);
    let mut crowded = alone.clone();
    let wide = Target { write_mask: 0, ..Target::new(ColourFormat::Rgba32Sfloat) };
    let fillers = match samples {
        1 => vec![wide; 4],
        _ => vec![wide, Target { format: ColourFormat::Rg32Sfloat, ..wide }],
    };
    (0..).zip(fillers).for_each(|(at, filler): (usize, _)| crowded.targets[at] = Some(filler));
    assert_eq!((alone.layout().spilled, crowded.layout().spilled), (0, 1 << SPILLED));
    [alone, crowded]
}

/// The result of a run: bytes of each sample of each pixel, in the tile or in memory.
struct Run<'r> {
    key: &'r EpilogKey,
    code: &'r Code,
    info: &'r ShaderInfo,
    texels: Format,
    /// Bytes of a sample.
    before: &'r [u8],
    tests: Tests,
}

impl Run<'_> {
    fn shade(&self) -> Vec<u8> {
        let (samples, sample_bytes) = (u32::from(self.key.samples), self.key.layout().sample_bytes.into());
        let mut info = self.info.clone();
        let key = self.key.clone().with_load_sampler(&mut info.samplers).expect("there is room");
        let sample_loop = key.sample_shading.then_some(key.samples);
        let program = linked(self.code, &info, &key, sample_loop);
        let is_spilled = key.layout().spilled != 0;
        assert_eq!(program.writes_memory, is_spilled);
        let mut framebuffer = Framebuffer::new(SIDE, SIDE, samples, sample_bytes);
        framebuffer.clear(self.before, 0.5, 0);
        let mut targets = is_spilled.then(|| self.target()).into_iter().collect::<Vec<_>>();
        let launch = ShadeLaunch {
            fragment: StageProgram {
                code: &program.code,
                preamble: None,
                info: &info,
                scratch_bytes: program.scratch_bytes,
                push_constants: &[],
            },
            buffers: &mut [],
            textures: &mut [],
            samplers: &[],
            targets: &mut targets,
            blend_constant: [0.25, 0.5, 0.75, 1.0],
            stipple: None,
            rectangle: [0, 0, SIDE - 1, SIDE - 1],
            depth: 0.5,
            tests: self.tests,
            late_tests: program.late_tests,
            options: Options { strict: true, ..Options::default() },
        };
        assert_eq!(launch.run(&mut framebuffer).expect("runs").findings, []);
        if let Some(target) = targets.pop() {
            return target.resource.buffer.bytes;
        }
        let bytes = self.before.len();
        let pixels = (0..SIDE * SIDE).map(|at| (at % SIDE, at / SIDE));
        let all = pixels.flat_map(|(x, y)| (0..samples).map(move |sample| (x, y, sample)));
        all.flat_map(|(x, y, sample)| framebuffer.colour(x, y, sample).expect("inside")[..bytes].to_vec())
            .collect()
    }

    fn target(&self) -> SpilledTarget {
        let samples = u32::from(self.key.samples);
        let dimension = if samples == 1 { Dimension::PlaneArray } else { Dimension::PlaneSamplesArray };
        let shape = Shape { samples, ..Shape::new(dimension, self.texels, [SIDE, SIDE, 1]) };
        let bytes = self.before.repeat((SIDE * SIDE * samples) as usize);
        let buffer = BufferBinding { set: 0, binding: 0, element: 0, bytes, writable: true };
        SpilledTarget { target: SPILLED, resource: TextureResource { buffer, shape, storage: true } }
    }
}

/// Information about a main part that writes the colour of the target.
fn one_colour() -> ShaderInfo {
    let mut info = info(0);
    info.fragment.components[SPILLED as usize] = 0xf;
    info.uniforms = UNIFORMS.to_vec();
    info
}

fn colour(format: ColourFormat, numbers: &mut Numbers) -> [u32; 4] {
    match format.desc().numeric {
        Numeric::Uint => [0; 4].map(|_: u32| numbers.below(1 << 17)),
        Numeric::Sint => [0; 4].map(|_: u32| (numbers.below(1 << 17) as i32 - (1 << 16)).cast_unsigned()),
        _ => floats([0.0; 4].map(|_: f32| numbers.between(-0.25, 1.25))),
    }
}

/// Bytes of a sample without infinities.
fn before(format: ColourFormat, numbers: &mut Numbers) -> Vec<u8> {
    let bytes = (0..format.tile_bytes()).map(|_| 0x20 + numbers.below(0x18) as u8);
    bytes.collect()
}

fn over() -> Blend {
    let colour =
        Equation { source: Factor::SourceAlpha, destination: Factor::OneMinusSourceAlpha, op: BlendOp::Add };
    Blend { colour, alpha: Equation { source: Factor::ConstantAlpha, ..colour } }
}

/// Checks that the spilled target has the same contents as the same target in the tile.
fn check(changes: impl Fn(&mut EpilogKey), target: impl Fn(ColourFormat) -> Target, seed: u64) {
    let (mut numbers, mut changed) = (Numbers::new(seed), 0);
    for (at, (format, texels)) in FORMATS.into_iter().enumerate() {
        // Every second format with four samples.
        for samples in [1, 4].into_iter().filter(|samples| (*samples == 4) == (at % 2 == 1)) {
            let mut info = one_colour();
            let code =
                Code::default().half(SAMPLE_MASK, 0b0101).colour(SPILLED, colour(format, &mut numbers));
            let before = before(format, &mut numbers);
            let found = keys(target(format), samples, &info).map(|mut key| {
                changes(&mut key);
                info.fragment.sample_shading = key.sample_shading;
                let tests = Tests::default();
                Run { key: &key, code: &code, info: &info, texels, before: &before, tests }.shade()
            });
            let name = format.desc().name;
            assert_eq!(found[0], found[1], "{name}, {samples} samples, tile and memory");
            changed += u32::from(found[1] != before.repeat(found[1].len() / before.len()));
        }
    }
    // Some alphas are 0 or less.
    assert!(2 * changed > FORMATS.len() as u32, "{changed}");
}

#[test]
fn spilled_targets_are_stored_by_image_writes() {
    check(|_| {}, Target::new, 21);
}

#[test]
fn spilled_targets_keep_masked_components() {
    for write_mask in [0b0001, 0b1011] {
        check(|_| {}, |format| Target { write_mask, ..Target::new(format) }, 22);
    }
}

#[test]
fn spilled_targets_blend_with_what_they_hold() {
    check(|_| {}, |format| Target { blend: Some(Blending::Factors(over())), ..Target::new(format) }, 23);
}

#[test]
fn spilled_targets_are_shaded_for_each_sample() {
    let blended = |format| Target { blend: Some(Blending::Factors(over())), ..Target::new(format) };
    check(|key| key.sample_shading = true, blended, 24);
    check(|key| key.sample_shading = true, Target::new, 25);
}

#[test]
fn spilled_targets_take_logic_operations() {
    for op in [LogicOp::Xor, LogicOp::Nand] {
        check(|key| key.logic_op = Some(op), Target::new, 26);
    }
}

#[test]
fn samples_that_coverage_or_masks_leave_out_are_not_stored() {
    check(|key| (key.early_tests, key.sample_mask) = (true, true), Target::new, 27);
    // The alpha of target 0, which is not written, is 0 unless it is opaque.
    let some = |key: &mut EpilogKey| (key.opaque, key.alpha_to_coverage) = (true, true);
    check(some, Target::new, 28);
}

#[test]
fn samples_that_fail_their_tests_are_not_stored() {
    let (format, texels) = FORMATS[0];
    for (late, depth) in [(false, Comparison::Less), (true, Comparison::Less)] {
        let mut info = one_colour();
        info.fragment.late_tests = late;
        let code = Code::default().colour(SPILLED, floats([1.0; 4]));
        let tests = Tests { depth, ..Tests::default() };
        let [_, key] = keys(Target::new(format), 4, &info);
        let before = [7; 4];
        let found = Run { key: &key, code: &code, info: &info, texels, before: &before, tests }.shade();
        assert!(found.iter().all(|byte| *byte == 7), "late: {late}");
    }
}

#[test]
fn reading_a_spilled_target_needs_a_sampler_register() {
    let info = one_colour();
    let [_, key] = keys(
        Target { blend: Some(Blending::Factors(over())), ..Target::new(ColourFormat::Rgba8Unorm) },
        1,
        &info,
    );
    let epilog = |key: &EpilogKey| {
        Compiler::default().fragment_epilog(&mut Scratch::default(), key, &CompileKey::default()).map(|_| ())
    };
    assert_eq!(epilog(&key).expect_err("no sampler").kind(), ErrorKind::Invalid);
    let bound = |binding| SamplerBinding::Bound { set: 0, binding, element: 0 };
    let mut samplers = vec![bound(0), SamplerBinding::Loads];
    assert_eq!(key.clone().with_load_sampler(&mut samplers).expect("known").load_sampler, Some(1));
    assert_eq!(samplers.len(), 2);
    let mut full: Vec<_> = (0..16).map(bound).collect();
    assert_eq!(key.with_load_sampler(&mut full).expect_err("no room").kind(), ErrorKind::Limit);
    let [_, plain] = keys(Target::new(ColourFormat::Rgba8Unorm), 1, &info);
    assert_eq!(epilog(&plain), Ok(()), "what is only stored needs none");
}
