//! Advanced blend operations compared with the Vulkan specification's formulas, implemented here in 64 bits.

use agx_abi::tile::{ColourFormat, Numeric};
use agx_compiler::link::{AdvancedBlend, AdvancedOp, EpilogKey, LinkPart, Overlap, Parts, Target};
use agx_compiler::{CompileKey, Compiler, ErrorKind, Scratch};
use agx_emulator::{Framebuffer, Tests};

use super::formats::{is_nearest, read};
use super::support::{Code, Numbers, checked, epilog, floats, info, shade};

type Rgb = [f64; 3];

fn zip(a: Rgb, b: Rgb, f: impl Fn(f64, f64) -> f64) -> Rgb {
    [f(a[0], b[0]), f(a[1], b[1]), f(a[2], b[2])]
}

/// f(Cs, Cd) of the operations on single components.
fn component(op: AdvancedOp, s: f64, d: f64) -> f64 {
    use AdvancedOp::*;
    match op {
        Zero | SourceOut | DestinationOut | Xor => 0.0,
        Source | SourceOver | SourceIn | SourceAtop => s,
        Destination | DestinationOver | DestinationIn | DestinationAtop => d,
        Multiply => s * d,
        Screen => s + d - s * d,
        Overlay if d <= 0.5 => 2.0 * s * d,
        HardLight if s <= 0.5 => 2.0 * s * d,
        Overlay | HardLight => 1.0 - 2.0 * (1.0 - s) * (1.0 - d),
        Darken => s.min(d),
        Lighten => s.max(d),
        ColourDodge if d <= 0.0 => 0.0,
        ColourDodge if s < 1.0 => (d / (1.0 - s)).min(1.0),
        ColourDodge => 1.0,
        ColourBurn if d >= 1.0 => 1.0,
        ColourBurn if s > 0.0 => 1.0 - ((1.0 - d) / s).min(1.0),
        ColourBurn => 0.0,
        SoftLight if s <= 0.5 => d - (1.0 - 2.0 * s) * d * (1.0 - d),
        SoftLight if d <= 0.25 => d + (2.0 * s - 1.0) * d * ((16.0 * d - 12.0) * d + 3.0),
        SoftLight => d + (2.0 * s - 1.0) * (d.sqrt() - d),
        Difference => (d - s).abs(),
        Exclusion => s + d - 2.0 * s * d,
        Invert => 1.0 - d,
        InvertRgb => s * (1.0 - d),
        LinearDodge if s + d <= 1.0 => s + d,
        LinearDodge => 1.0,
        LinearBurn if s + d > 1.0 => s + d - 1.0,
        LinearBurn => 0.0,
        VividLight if s <= 0.0 => 0.0,
        VividLight if s < 0.5 => 1.0 - ((1.0 - d) / (2.0 * s)).min(1.0),
        VividLight if s < 1.0 => (d / (2.0 * (1.0 - s))).min(1.0),
        VividLight => 1.0,
        LinearLight if 2.0 * s + d > 2.0 => 1.0,
        LinearLight if 2.0 * s + d > 1.0 => 2.0 * s + d - 1.0,
        LinearLight => 0.0,
        PinLight if 2.0 * s - 1.0 > d && s < 0.5 => 0.0,
        PinLight if 2.0 * s - 1.0 > d => 2.0 * s - 1.0,
        PinLight if s < 0.5 * d => 2.0 * s,
        PinLight => d,
        HardMix if s + d < 1.0 => 0.0,
        HardMix => 1.0,
        _ => panic!("{op:?} does not work by components"),
    }
}

/// X, Y and Z.
fn terms(op: AdvancedOp) -> [f64; 3] {
    use AdvancedOp::*;
    match op {
        Zero => [0.0; 3],
        Source | DestinationAtop => [1.0, 1.0, 0.0],
        Destination | SourceAtop | Invert | InvertRgb => [1.0, 0.0, 1.0],
        SourceIn | DestinationIn => [1.0, 0.0, 0.0],
        SourceOut => [0.0, 1.0, 0.0],
        DestinationOut => [0.0, 0.0, 1.0],
        Xor => [0.0, 1.0, 1.0],
        _ => [1.0; 3],
    }
}

fn smallest(c: Rgb) -> f64 {
    c[0].min(c[1]).min(c[2])
}

fn largest(c: Rgb) -> f64 {
    c[0].max(c[1]).max(c[2])
}

fn luminosity(c: Rgb) -> f64 {
    0.3 * c[0] + 0.59 * c[1] + 0.11 * c[2]
}

fn saturation(c: Rgb) -> f64 {
    largest(c) - smallest(c)
}

fn clipped(mut c: Rgb) -> Rgb {
    let (lum, low, high) = (luminosity(c), smallest(c), largest(c));
    if low < 0.0 {
        c = c.map(|x| lum + (x - lum) * lum / (lum - low));
    }
    if high > 1.0 {
        c = c.map(|x| lum + (x - lum) * (1.0 - lum) / (high - lum));
    }
    c
}

fn with_luminosity(base: Rgb, other: Rgb) -> Rgb {
    let more = luminosity(other) - luminosity(base);
    clipped(base.map(|x| x + more))
}

fn with_saturation(base: Rgb, saturated: Rgb, bright: Rgb) -> Rgb {
    let (low, old) = (smallest(base), saturation(base));
    let colour = match old > 0.0 {
        true => base.map(|x| (x - low) * saturation(saturated) / old),
        false => [0.0; 3],
    };
    with_luminosity(colour, bright)
}

/// f(Cs, Cd) of operations on whole colours.
fn mixed(op: AdvancedOp, s: Rgb, d: Rgb) -> Rgb {
    match op {
        AdvancedOp::HslHue => with_saturation(s, d, d),
        AdvancedOp::HslSaturation => with_saturation(d, s, d),
        AdvancedOp::HslColour => with_luminosity(s, d),
        AdvancedOp::HslLuminosity => with_luminosity(d, s),
        _ => zip(s, d, |s, d| component(op, s, d)),
    }
}

/// The operations on premultiplied colours.
fn additional(op: AdvancedOp, s: Rgb, d: Rgb, [sa, da]: [f64; 2]) -> Option<(Rgb, f64)> {
    use AdvancedOp::*;
    let sum = (sa + da).min(1.0);
    Some(match op {
        Plus => (zip(s, d, |s, d| s + d), sa + da),
        PlusClamped => (zip(s, d, |s, d| (s + d).min(1.0)), sum),
        PlusClampedAlpha => (zip(s, d, |s, d| (s + d).min(sum)), sum),
        PlusDarker => (zip(s, d, |s, d| (sum - ((sa - s) + (da - d))).max(0.0)), sum),
        Minus => (zip(s, d, |s, d| d - s), da - sa),
        MinusClamped => (zip(s, d, |s, d| (d - s).max(0.0)), (da - sa).max(0.0)),
        Contrast => (zip(s, d, |s, d| da / 2.0 + 2.0 * (d - da / 2.0) * (s - sa / 2.0)), da),
        InvertOvg => (zip(s, d, |_, d| sa * (1.0 - d) + (1.0 - sa) * d), sa + da - sa * da),
        Red => ([s[0], d[1], d[2]], da),
        Green => ([d[0], s[1], d[2]], da),
        Blue => ([d[0], d[1], s[2]], da),
        _ => return None,
    })
}

fn divided(c: Rgb, alpha: f64) -> Rgb {
    if alpha == 0.0 { [0.0; 3] } else { c.map(|x| x / alpha) }
}

fn rgb(c: [f64; 4]) -> Rgb {
    [c[0], c[1], c[2]]
}

/// The blended colour. `nudge` perturbs the colours that discontinuous formulas compare, by the possible rounding
/// error.
fn blended(blend: &AdvancedBlend, source: [f64; 4], destination: [f64; 4], nudge: [f64; 2]) -> [f64; 4] {
    let (s, d, [sa, da]) = (rgb(source), rgb(destination), [source[3], destination[3]]);
    let multiplied = |c: Rgb, is: bool, alpha: f64| if is { c } else { c.map(|x| x * alpha) };
    let (premultiplied_s, premultiplied_d) =
        (multiplied(s, blend.source_premultiplied, sa), multiplied(d, blend.destination_premultiplied, da));
    let (mut colour, alpha) = additional(blend.op, premultiplied_s, premultiplied_d, [sa, da])
        .unwrap_or_else(|| {
            let s = if blend.source_premultiplied { divided(s, sa) } else { s };
            let d = if blend.destination_premultiplied { divided(d, da) } else { d };
            let [p0, p1, p2] = match blend.overlap {
                Overlap::Uncorrelated => [sa * da, sa * (1.0 - da), da * (1.0 - sa)],
                Overlap::Conjoint => [sa.min(da), (sa - da).max(0.0), (da - sa).max(0.0)],
                Overlap::Disjoint => [(sa + da - 1.0).max(0.0), sa.min(1.0 - da), da.min(1.0 - sa)],
            };
            let [x, y, z] = terms(blend.op);
            let both = mixed(blend.op, s.map(|x| x + nudge[0]), d.map(|x| x + nudge[1]));
            let mixed = |at: usize| both[at] * p0 + y * s[at] * p1 + z * d[at] * p2;
            ([mixed(0), mixed(1), mixed(2)], x * p0 + y * p1 + z * p2)
        });
    if !blend.destination_premultiplied {
        colour = divided(colour, alpha);
    }
    let all = [colour[0], colour[1], colour[2], alpha];
    if blend.clamp_results { all.map(|x| x.clamp(0.0, 1.0)) } else { all }
}

/// An epilog that blends, and the main parts with the colours to blend.
struct Blender {
    format: ColourFormat,
    blend: AdvancedBlend,
    key: EpilogKey,
    epilog: LinkPart,
}

impl Blender {
    fn new(format: ColourFormat, blend: AdvancedBlend) -> Blender {
        let mut key = EpilogKey::new(&info(1).fragment);
        key.targets[0] = Some(Target { blend: Some(blend.into()), ..Target::new(format) });
        let epilog = epilog(&key);
        Blender { format, blend, key, epilog }
    }

    /// Blends a colour with the contents of pixels, at most 16.
    fn run(&self, source: [f32; 4], before: &[[u8; 16]]) -> Vec<[f64; 4]> {
        let (info, code) = (info(1), Code::default().colour(0, floats(source)));
        let program = checked(&Parts {
            main: &code.0,
            info: &info,
            prolog: None,
            epilog: Some(&self.epilog),
            sample_loop: None,
            outputs: None,
        });
        let mut framebuffer = Framebuffer::new(4, 4, 1, self.key.layout().sample_bytes.into());
        let place = |at: usize| (at as u32 % 4, at as u32 / 4);
        for (at, bytes) in before.iter().enumerate() {
            let sample = framebuffer.colour_mut(place(at).0, place(at).1, 0).expect("inside");
            let length = sample.len();
            sample.copy_from_slice(&bytes[..length]);
        }
        shade(&program, &info, &mut framebuffer, [0.0; 4], 0.5, Tests::default());
        let blended = |at| {
            let mut bytes = [0; 16];
            let sample = framebuffer.colour(place(at).0, place(at).1, 0).expect("inside");
            bytes[..sample.len()].copy_from_slice(sample);
            read(self.format, &bytes)
        };
        (0..before.len()).map(blended).collect()
    }

    /// Checks that a component equals the formula's result, for the exact colours or for colours with rounding errors.
    fn check(&self, source: [f32; 4], before: [u8; 16], found: [f64; 4], nudges: &[f64]) {
        let is_float = self.format.desc().numeric == Numeric::Float;
        let source = source.map(|x| if is_float { f64::from(x) } else { f64::from(x).clamp(0.0, 1.0) });
        let destination = read(self.format, &before);
        let pairs = nudges.iter().flat_map(|s| nudges.iter().map(move |d| [*s, *d]));
        let wanted: Vec<[f64; 4]> =
            pairs.map(|nudge| blended(&self.blend, source, destination, nudge)).collect();
        for at in 0..self.format.desc().components.into() {
            let close = |all: &[f64; 4]| match self.format {
                ColourFormat::Rgba32Sfloat => (found[at] - all[at]).abs() <= 4e-6 * all[at].abs().max(1.0),
                format => is_nearest(format, at, found[at], all[at], *all),
            };
            assert!(
                wanted.iter().any(close),
                "{:?} in {}, component {at} of {source:?} on {destination:?}: {found:?}, not {:?}",
                self.blend,
                self.format.desc().name,
                wanted[0]
            );
        }
    }
}

/// An operation with all combinations of its other parameters.
fn variants(op: AdvancedOp) -> impl Iterator<Item = AdvancedBlend> {
    Overlap::ALL.into_iter().flat_map(move |overlap| {
        (0..4).map(move |bits| AdvancedBlend {
            source_premultiplied: bits & 1 != 0,
            destination_premultiplied: bits & 2 != 0,
            overlap,
            ..AdvancedBlend::new(op)
        })
    })
}

fn bytes(colour: [f32; 4]) -> [u8; 16] {
    colour.map(f32::to_le_bytes).concat().try_into().expect("four words")
}

/// A colour, premultiplied by its alpha or not.
fn colour(numbers: &mut Numbers, premultiplied: bool) -> [f32; 4] {
    let alpha = (1 + numbers.below(16)) as f32 / 16.0;
    let factor = if premultiplied { alpha } else { 1.0 };
    let [r, g, b] = [0; 3].map(|_: u32| numbers.between(0.0, 1.0) * factor);
    [r, g, b, alpha]
}

/// Possible rounding errors of a colour.
const NUDGES: [f64; 3] = [0.0, 1e-6, -1e-6];

#[test]
fn every_operation_blends_random_colours_as_defined() {
    let mut numbers = Numbers::new(21);
    for blend in AdvancedOp::ALL.iter().flat_map(|op| variants(*op)) {
        let blender = Blender::new(ColourFormat::Rgba32Sfloat, blend);
        let source = colour(&mut numbers, blend.source_premultiplied);
        let before = [0; 8].map(|_: u32| bytes(colour(&mut numbers, blend.destination_premultiplied)));
        for (before, found) in before.into_iter().zip(blender.run(source, &before)) {
            blender.check(source, before, found, &NUDGES);
        }
    }
}

/// Black, grey and white, transparent to opaque: formulas are discontinuous there, and nothing is rounded.
#[test]
fn every_operation_blends_the_ends_of_ranges_as_defined() {
    let ends = |premultiplied: bool| {
        let mut all = vec![[0.0; 4]];
        for alpha in [0.25_f32, 128.0 / 255.0, 1.0] {
            let factor = if premultiplied { alpha } else { 1.0 };
            for rgb in [[0.0, 0.0, 0.0], [1.0, 1.0, 1.0], [0.0, 0.5, 1.0], [1.0, 0.0, 0.25], [0.5, 0.5, 0.5]]
            {
                all.push([rgb[0] * factor, rgb[1] * factor, rgb[2] * factor, alpha]);
            }
        }
        all
    };
    for op in AdvancedOp::ALL {
        for (index, blend) in variants(*op).step_by(5).enumerate() {
            let blender = Blender::new(ColourFormat::Rgba32Sfloat, blend);
            for source in ends(blend.source_premultiplied).into_iter().skip(index % 2).step_by(2) {
                let before: Vec<[u8; 16]> =
                    ends(blend.destination_premultiplied).into_iter().map(bytes).collect();
                for (before, found) in before.iter().zip(blender.run(source, &before)) {
                    blender.check(source, *before, found, &[0.0]);
                }
            }
        }
    }
}

#[test]
fn every_kind_of_format_takes_advanced_operations() {
    let mut numbers = Numbers::new(22);
    let formats = [
        ColourFormat::Rgba8Unorm,
        ColourFormat::Rgba8Srgb,
        ColourFormat::Rg8Unorm,
        ColourFormat::Rgba16Unorm,
        ColourFormat::A2bgr10UnormPack32,
        ColourFormat::Bgr11UfloatPack32,
    ];
    for (index, op) in AdvancedOp::ALL.iter().enumerate() {
        let format = formats[index % formats.len()];
        let blender = Blender::new(
            format,
            AdvancedBlend { destination_premultiplied: false, ..AdvancedBlend::new(*op) },
        );
        let source = colour(&mut numbers, true);
        let before = [0; 4].map(|_: u32| {
            let mut bytes = [0_u8; 16];
            // Without the top bits of exponents, so that there are no infinities; alphas are not small.
            bytes.iter_mut().for_each(|byte| *byte = 0x40 | numbers.below(128) as u8);
            bytes
        });
        for (before, found) in before.into_iter().zip(blender.run(source, &before)) {
            let small =
                format == ColourFormat::Bgr11UfloatPack32 && read(format, &before).iter().any(|x| *x > 1.0);
            if !small {
                blender.check(source, before, found, &NUDGES);
            }
        }
    }
}

#[test]
fn results_are_clamped_when_asked() {
    for clamp_results in [false, true] {
        let blend = AdvancedBlend { clamp_results, ..AdvancedBlend::new(AdvancedOp::Plus) };
        let blender = Blender::new(ColourFormat::Rgba32Sfloat, blend);
        let found = blender.run([0.75, 0.5, -0.25, 1.0], &[bytes([0.5, 0.25, 0.0, 1.0])])[0];
        let wanted = if clamp_results { [1.0, 0.75, 0.0, 1.0] } else { [1.25, 0.75, -0.25, 2.0] };
        assert_eq!(found, wanted);
    }
}

#[test]
fn integers_take_no_advanced_operation() {
    let mut key = EpilogKey::new(&info(1).fragment);
    let blend = Some(AdvancedBlend::new(AdvancedOp::Multiply).into());
    key.targets[0] = Some(Target { blend, ..Target::new(ColourFormat::Rgba8Uint) });
    let error = Compiler::default()
        .fragment_epilog(&mut Scratch::default(), &key, &CompileKey::default())
        .expect_err("integers do not blend");
    assert_eq!(error.kind(), ErrorKind::Invalid);
    assert!(error.to_string().contains("R8G8B8A8_UINT"), "{error}");
}
