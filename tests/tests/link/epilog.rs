//! Fragment epilogs.

use agx_abi::fragment::{DEPTH, SAMPLE_MASK, STENCIL};
use agx_abi::tile::{ColourFormat, Numeric, TileFormat};
use agx_compiler::link::{Blend, BlendOp, ColourSource, EpilogKey, Equation, Factor, LogicOp, Target};
use agx_compiler::{CompileKey, Compiler, ErrorKind, Scratch};
use agx_emulator::{Comparison, Framebuffer, Stencil, StencilOp, Tests};

use super::formats::{is_nearest, read};
use super::support::{Code, Numbers, floats, info, linked, shade};

/// Stores one colour to a pixel with the contents `before`.
fn run(key: &EpilogKey, code: Code, before: &[u8], constant: [f32; 4]) -> Framebuffer {
    let mut info = info(if key.dual_source { 2 } else { 1 });
    info.fragment.dual_source = key.dual_source;
    let program = linked(&code, &info, key, None);
    let mut framebuffer = Framebuffer::new(2, 2, key.samples.into(), key.layout().sample_bytes.into());
    framebuffer.clear(before, 1.0, 0);
    shade(&program, &info, &mut framebuffer, constant, 0.5, Tests::default());
    framebuffer
}

fn key(target: Target) -> EpilogKey {
    let mut key = EpilogKey::new(&info(1).fragment);
    key.targets[0] = Some(target);
    key
}

fn sample(framebuffer: &Framebuffer, sample: u32) -> &[u8] {
    framebuffer.colour(1, 1, sample).expect("inside")
}

/// A colour in the range of a format, or slightly outside.
fn colour(format: ColourFormat, numbers: &mut Numbers) -> ([u32; 4], [f64; 4]) {
    match format.desc().numeric {
        Numeric::Uint => {
            let bits = [0; 4].map(|_: u32| numbers.below(1 << 18));
            (bits, bits.map(f64::from))
        }
        Numeric::Sint => {
            let values = [0; 4].map(|_: i32| numbers.below(1 << 18) as i32 - (1 << 17));
            (values.map(i32::cast_unsigned), values.map(f64::from))
        }
        _ => {
            let values = [0.0; 4].map(|_: f32| numbers.between(-1.25, 1.25));
            (floats(values), values.map(f64::from))
        }
    }
}

#[test]
fn every_format_stores_the_nearest_colour() {
    let mut numbers = Numbers::new(1);
    for format in ColourFormat::ALL {
        for _ in 0..8 {
            let (bits, wanted) = colour(*format, &mut numbers);
            let framebuffer =
                run(&key(Target::new(*format)), Code::default().colour(0, bits), &[0xa5; 16], [0.0; 4]);
            let found = read(*format, sample(&framebuffer, 0));
            for at in 0..format.desc().components.into() {
                assert!(
                    is_nearest(*format, at, found[at], wanted[at], wanted),
                    "{}: {found:?} for {wanted:?}",
                    format.desc().name
                );
            }
        }
    }
}

#[test]
fn masked_components_keep_what_they_hold() {
    let mut numbers = Numbers::new(2);
    let before =
        [0x35, 0x1a, 0x2c, 0x43, 0x21, 0x36, 0x12, 0x31, 0x51, 0x17, 0x38, 0x3d, 0x11, 0x22, 0x33, 0x3c];
    for format in ColourFormat::ALL.iter().filter(|format| format.desc().tile != TileFormat::Rgb9E5) {
        for write_mask in 0..16 {
            let (bits, wanted) = colour(*format, &mut numbers);
            let target = Target { write_mask, ..Target::new(*format) };
            let framebuffer = run(&key(target), Code::default().colour(0, bits), &before, [0.0; 4]);
            let (old, found) = (read(*format, &before), read(*format, sample(&framebuffer, 0)));
            for at in 0..format.desc().components.into() {
                let name = format.desc().name;
                if write_mask >> at & 1 == 0 {
                    assert_eq!(found[at], old[at], "{name} with mask {write_mask}");
                } else {
                    assert!(
                        is_nearest(*format, at, found[at], wanted[at], wanted),
                        "{name} with mask {write_mask}"
                    );
                }
            }
        }
    }
}

/// The factor of a component, as Vulkan defines it.
fn factor(factor: Factor, at: usize, s: [f64; 4], s1: [f64; 4], d: [f64; 4], c: [f64; 4]) -> f64 {
    use Factor::*;
    match factor {
        Zero => 0.0,
        One => 1.0,
        Source => s[at],
        OneMinusSource => 1.0 - s[at],
        Destination => d[at],
        OneMinusDestination => 1.0 - d[at],
        SourceAlpha => s[3],
        OneMinusSourceAlpha => 1.0 - s[3],
        DestinationAlpha => d[3],
        OneMinusDestinationAlpha => 1.0 - d[3],
        Constant => c[at],
        OneMinusConstant => 1.0 - c[at],
        ConstantAlpha => c[3],
        OneMinusConstantAlpha => 1.0 - c[3],
        SourceAlphaSaturate if at == 3 => 1.0,
        SourceAlphaSaturate => s[3].min(1.0 - d[3]),
        Second => s1[at],
        OneMinusSecond => 1.0 - s1[at],
        SecondAlpha => s1[3],
        OneMinusSecondAlpha => 1.0 - s1[3],
    }
}

fn blended(equation: Equation, at: usize, [s, s1, d, c]: [[f64; 4]; 4]) -> f64 {
    let product = |x: [f64; 4], by| x[at] * factor(by, at, s, s1, d, c);
    let (a, b) = (product(s, equation.source), product(d, equation.destination));
    match equation.op {
        BlendOp::Add => a + b,
        BlendOp::Subtract => a - b,
        BlendOp::ReverseSubtract => b - a,
        BlendOp::Min => s[at].min(d[at]),
        BlendOp::Max => s[at].max(d[at]),
    }
}

/// Blends with random colours and compares with the definition.
fn check_blend(format: ColourFormat, blend: Blend, numbers: &mut Numbers) {
    let desc = format.desc();
    let mut before = [0_u8; 16];
    before.iter_mut().for_each(|byte| *byte = numbers.below(256) as u8);
    if desc.tile == TileFormat::I16 || desc.tile == TileFormat::I32 {
        // Halves and floats between 0.5 and 1.
        before.chunks_exact_mut(2).for_each(|half| half[1] = 0x38 + half[1] % 4);
        if desc.tile == TileFormat::I32 {
            before.chunks_exact_mut(4).for_each(|word| word[3] = 0x3f);
        }
    }
    let [source, second, constant] = [0; 3].map(|_: u32| [0.0; 4].map(|_: f32| numbers.between(-0.25, 1.25)));
    let mut key = key(Target { blend: Some(blend.into()), ..Target::new(format) });
    key.dual_source = true;
    key.components[1] = 0xf;
    let code = Code::default().colour(0, floats(source)).colour(1, floats(second));
    let framebuffer = run(&key, code, &before, constant);
    let found = read(format, sample(&framebuffer, 0));
    let low = match desc.numeric {
        Numeric::Float => f64::NEG_INFINITY,
        Numeric::Snorm => -1.0,
        _ => 0.0,
    };
    let high = if desc.numeric == Numeric::Float { f64::INFINITY } else { 1.0 };
    let held = |colour: [f32; 4]| colour.map(|x| f64::from(x).clamp(low, high));
    let inputs = [held(source), held(second), read(format, &before), held(constant)];
    let wanted = [0, 1, 2, 3].map(|at| blended(if at == 3 { blend.alpha } else { blend.colour }, at, inputs));
    for at in 0..desc.components.into() {
        assert!(
            is_nearest(format, at, found[at], wanted[at], wanted),
            "{} with {blend:?} of {inputs:?}: {found:?}, not {wanted:?}",
            desc.name
        );
    }
}

#[test]
fn every_factor_and_operation_blends_as_defined() {
    let mut numbers = Numbers::new(3);
    for op in BlendOp::ALL.iter().copied() {
        for (index, source) in Factor::ALL.iter().copied().enumerate() {
            for step in [0, 1, 4, 7, 11] {
                let destination = Factor::ALL[(index + step) % Factor::ALL.len()];
                let equation = Equation { source, destination, op };
                let alpha = Equation { source: destination, destination: source, op };
                check_blend(ColourFormat::Rgba8Unorm, Blend { colour: equation, alpha }, &mut numbers);
            }
        }
    }
}

#[test]
fn every_format_that_blends_does() {
    let mut numbers = Numbers::new(4);
    let over = |op| Equation { source: Factor::SourceAlpha, destination: Factor::OneMinusSourceAlpha, op };
    let formats = ColourFormat::ALL.iter().filter(|format| !format.is_integer());
    for format in formats {
        for op in [BlendOp::Add, BlendOp::Max] {
            // Half floats lose precision in cancellation, so nothing is subtracted here.
            check_blend(*format, Blend { colour: over(op), alpha: over(op) }, &mut numbers);
        }
    }
}

#[test]
fn logic_operations_combine_bits() {
    let mut numbers = Numbers::new(5);
    let formats = [
        ColourFormat::Rgba8Unorm,
        ColourFormat::Rgba8Uint,
        ColourFormat::Rg16Sint,
        ColourFormat::R32Uint,
        ColourFormat::Rgba16Unorm,
        ColourFormat::A2bgr10UnormPack32,
    ];
    for format in formats {
        let desc = format.desc();
        for (index, op) in LogicOp::ALL.iter().copied().enumerate() {
            let mut key = key(Target::new(format));
            key.logic_op = Some(op);
            let mut before = [0_u8; 16];
            before.iter_mut().for_each(|byte| *byte = numbers.below(256) as u8);
            let integers = [0; 4].map(|_: u32| numbers.below(128));
            let bits = match desc.numeric {
                Numeric::Unorm => (0..4)
                    .map(|at| {
                        (f64::from(integers[at].min(if desc.bits[at] == 2 { 3 } else { 127 }))
                            / f64::from((1_u32 << desc.bits[at]) - 1)) as f32
                    })
                    .map(f32::to_bits)
                    .collect::<Vec<_>>()
                    .try_into()
                    .expect("four"),
                _ => integers,
            };
            let framebuffer = run(&key, Code::default().colour(0, bits), &before, [0.0; 4]);
            let found = sample(&framebuffer, 0);
            let mut bit = 0;
            for (at, integer) in integers.iter().enumerate().take(desc.components.into()) {
                let width = u32::from(desc.bits[at]);
                let mask = u32::MAX >> (32 - width);
                let field = |bytes: &[u8]| {
                    let word = u128::from_le_bytes([bytes, &[0; 16]].concat()[..16].try_into().expect("16"));
                    (word >> bit) as u32 & mask
                };
                let s = *integer.min(if width == 2 { &3 } else { &127 });
                let (d, f) = (field(&before), field(found));
                // Vulkan numbers the operations so that bit 3 of the number means both, 2 only s, 1 only d, 0 neither.
                let table = [0, 8, 4, 12, 2, 10, 6, 14, 1, 9, 5, 13, 3, 11, 7, 15][index];
                let wanted = (0..width).fold(0, |all, at| {
                    let pair = (s >> at & 1) << 1 | (d >> at & 1);
                    let row = [0, 1, 2, 3][pair as usize];
                    all | (table >> row & 1) << at
                });
                assert_eq!(f, wanted & mask, "{op:?} on {} component {at}: {s:#x}, {d:#x}", desc.name);
                bit += width;
            }
        }
    }
}

const OVER: Blend = {
    let equation = Equation { source: Factor::One, destination: Factor::One, op: BlendOp::Add };
    Blend { colour: equation, alpha: equation }
};

#[test]
fn samples_blend_with_what_each_holds() {
    let mut key = key(Target { blend: Some(OVER.into()), ..Target::new(ColourFormat::R32Sfloat) });
    key.samples = 4;
    let info = info(1);
    let program = linked(&Code::default().colour(0, floats([0.5; 4])), &info, &key, None);
    let mut framebuffer = Framebuffer::new(2, 2, 4, 8);
    for sample in 0..4 {
        let bytes = framebuffer.colour_mut(1, 1, sample).expect("inside");
        bytes[..4].copy_from_slice(&(sample as f32).to_le_bytes());
    }
    shade(&program, &info, &mut framebuffer, [0.0; 4], 0.5, Tests::default());
    let found = [0, 1, 2, 3].map(|at| read(ColourFormat::R32Sfloat, sample(&framebuffer, at))[0]);
    assert_eq!(found, [0.5, 1.5, 2.5, 3.5]);
}

#[test]
fn alpha_becomes_coverage_and_then_1() {
    for (alpha, covered) in [(0.0, 0), (0.2, 1), (0.5, 2), (0.75, 3), (1.0, 4), (7.0, 4)] {
        for early in [false, true] {
            let mut key = key(Target::new(ColourFormat::Rgba8Unorm));
            (key.samples, key.alpha_to_coverage, key.alpha_to_one, key.early_tests) = (4, true, true, early);
            let info = info(1);
            let program =
                linked(&Code::default().colour(0, floats([1.0, 1.0, 1.0, alpha])), &info, &key, None);
            assert_eq!(program.late_tests, !early);
            let mut framebuffer = Framebuffer::new(2, 2, 4, 8);
            shade(&program, &info, &mut framebuffer, [0.0; 4], 0.5, Tests::default());
            let found = [0, 1, 2, 3].map(|at| sample(&framebuffer, at)[3]);
            assert_eq!(found, [0, 1, 2, 3].map(|at| if at < covered { 255 } else { 0 }), "alpha {alpha}");
            // Four pixels: early tests count all samples, late ones those that alpha to coverage leaves.
            assert_eq!(framebuffer.passed, if early { 16 } else { 4 * covered });
        }
    }
}

#[test]
fn depth_and_stencil_are_tested_late_with_what_the_shader_gives() {
    let stencil = Stencil { compare: Comparison::Always, pass: StencilOp::Replace, ..Stencil::default() };
    let tests = Tests { depth: Comparison::Less, depth_write: true, front: stencil, back: stencil };
    for (depth, passes) in [(0.25, true), (0.75, false)] {
        for (writes_depth, writes_stencil, covers) in
            [(true, true, false), (true, false, false), (false, true, false), (true, true, true)]
        {
            let mut info = info(1);
            (info.fragment.writes_depth, info.fragment.writes_stencil) = (writes_depth, writes_stencil);
            info.fragment.late_tests = true;
            let mut key = EpilogKey::new(&info.fragment);
            key.targets[0] = Some(Target::new(ColourFormat::R32Uint));
            key.alpha_to_coverage = covers;
            let code = Code::default().word(DEPTH, f32::to_bits(depth)).half(STENCIL, 9);
            let program = linked(&code.colour(0, [7, 0, 0, 1.0_f32.to_bits()]), &info, &key, None);
            assert!(program.late_tests);
            let mut framebuffer = Framebuffer::new(2, 2, 1, 8);
            framebuffer.clear(&[], 0.5, 0);
            let own = if writes_depth { 0.875 } else { depth };
            shade(&program, &info, &mut framebuffer, [0.0; 4], own, tests);
            let wanted = if passes { (depth, if writes_stencil { 9 } else { 0 }) } else { (0.5, 0) };
            assert_eq!(framebuffer.depth_stencil(1, 1, 0), Some(wanted));
            assert_eq!(sample(&framebuffer, 0)[0], if passes { 7 } else { 0 });
        }
    }
}

#[test]
fn the_emitted_mask_predicates_the_stores_of_early_tests() {
    for blend in [None, Some(OVER.into())] {
        let mut info = info(1);
        (info.fragment.early_tests, info.fragment.writes_sample_mask) = (true, true);
        let mut key = EpilogKey::new(&info.fragment);
        key.samples = 4;
        key.targets[0] = Some(Target { blend, ..Target::new(ColourFormat::Rgba8Unorm) });
        let code = Code::default().half(SAMPLE_MASK, 0b1010).colour(0, floats([1.0; 4]));
        let program = linked(&code, &info, &key, None);
        let mut framebuffer = Framebuffer::new(2, 2, 4, 8);
        shade(&program, &info, &mut framebuffer, [0.0; 4], 0.5, Tests::default());
        assert_eq!([0, 1, 2, 3].map(|at| sample(&framebuffer, at)[0]), [0, 255, 0, 255]);
    }
}

#[test]
fn targets_take_the_colours_of_their_locations() {
    let mut info = info(2);
    info.fragment.components = [15, 15, 0, 0, 0, 0, 0, 0];
    let mut key = EpilogKey::new(&info.fragment);
    for slot in key.targets.iter_mut().take(3) {
        *slot = Some(Target::new(ColourFormat::R32Uint));
    }
    // The first target takes nothing, the others the colours in reverse order.
    for (slot, source) in key.targets.iter_mut().flatten().zip([
        ColourSource::None,
        ColourSource::Own,
        ColourSource::Location(0),
    ]) {
        slot.source = source;
    }
    let code = Code::default().colour(0, [10; 4]).colour(1, [11; 4]);
    let program = linked(&code, &info, &key, None);
    let mut framebuffer = Framebuffer::new(2, 2, 1, key.layout().sample_bytes.into());
    framebuffer.clear(&[0; 16], 1.0, 0);
    shade(&program, &info, &mut framebuffer, [0.0; 4], 0.5, Tests::default());
    let words = [0, 4, 8].map(|at: usize| sample(&framebuffer, 0)[at]);
    assert_eq!(words, [0, 11, 10]);
}

#[test]
fn targets_lie_side_by_side_and_what_is_not_written_stays() {
    let mut info = info(3);
    info.fragment.components[1] = 0;
    let mut key = EpilogKey::new(&info.fragment);
    for (slot, format) in
        key.targets.iter_mut().zip([ColourFormat::R8Unorm, ColourFormat::Rgba8Unorm, ColourFormat::R32Uint])
    {
        *slot = Some(Target::new(format));
    }
    let code = Code::default().colour(0, floats([1.0; 4])).colour(2, [0x0102_0304; 4]);
    let program = linked(&code, &info, &key, None);
    let mut framebuffer = Framebuffer::new(2, 2, 1, key.layout().sample_bytes.into());
    framebuffer.clear(&[0x77; 16], 1.0, 0);
    shade(&program, &info, &mut framebuffer, [0.0; 4], 0.5, Tests::default());
    let wanted = [0xff, 0x77, 0x77, 0x77, 0x77, 4, 3, 2, 1, 0x77];
    let order = [0, 1, 2, 3, 4, 8, 9, 10, 11, 12].map(|at: usize| sample(&framebuffer, 0)[at.min(15)]);
    // R8 at 0, RGBA8 at 1, R32 at 8.
    assert_eq!(order, wanted);
}

#[test]
fn what_cannot_be_done_is_said() {
    let epilog = |key: &EpilogKey| {
        let options = CompileKey::default();
        Compiler::default().fragment_epilog(&mut Scratch::default(), key, &options).map(|_| ())
    };
    let kind = |key: &EpilogKey| epilog(key).expect_err("an error").kind();
    let mut samples = key(Target::new(ColourFormat::Rgba8Unorm));
    samples.samples = 3;
    assert_eq!(kind(&samples), ErrorKind::Invalid);
    let equation = Equation { source: Factor::Second, destination: Factor::Zero, op: BlendOp::Add };
    let blend = Blend { colour: equation, alpha: equation };
    let dual = key(Target { blend: Some(blend.into()), ..Target::new(ColourFormat::Rgba8Unorm) });
    assert_eq!(kind(&dual), ErrorKind::Invalid);
}
