//! Advanced blend operations: those of VK_EXT_blend_operation_advanced, formulas from the Vulkan specification.
//!
//! Colour and coverage are handled separately: a formula combines the colours where both source and
//! destination cover; where only one of them covers, the formula decides whether it shows through.

use super::blend::ALPHA;
use crate::ir::build::alu::{FloatCond, float};
use crate::ir::{Arithmetic, Builder, Src};

/// Blends one component of two colours that are not premultiplied by alpha.
type Component = fn(&mut Builder<'_, '_>, Src, Src) -> Src;

/// The same for operations whose components depend on each other.
type Rgb = fn(&mut Builder<'_, '_>, [Src; 3], [Src; 3]) -> [Src; 3];

/// Blends two colours that are premultiplied by alpha.
type Whole = fn(&mut Builder<'_, '_>, [Src; 4], [Src; 4]) -> [Src; 4];

/// How an operation computes its result.
enum Formula {
    /// The colour where both cover, and whether it is visible where both cover, where only the source covers,
    /// and where only the destination covers.
    Mix(Mix, [bool; 3]),
    /// All components at once.
    Whole(Whole),
}

enum Mix {
    Nothing,
    Component(Component),
    Rgb(Rgb),
}

struct Row {
    name: &'static str,
    formula: Formula,
}

macro_rules! advanced_ops {
    ($($variant:ident $name:literal $doc:literal $formula:expr;)*) => {
        /// How two colours are combined, colour and alpha together.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub enum AdvancedOp {
            $(#[doc = $doc] $variant,)*
        }

        static OPS: &[Row] = &[$(Row { name: $name, formula: $formula }),*];

        impl AdvancedOp {
            /// Every operation, in Vulkan's order.
            pub const ALL: &'static [AdvancedOp] = &[$(AdvancedOp::$variant),*];
        }
    };
}

use Formula::{Mix as Mixed, Whole as Sum};
use Mix::{Component as Each, Rgb as Hsl};

const NOTHING: Mix = Mix::Nothing;

// Name (Vulkan's in lower case, without prefix), description, formula: the colour where both cover, then the
// visibility.
#[rustfmt::skip]
advanced_ops! {
    Zero "zero" "Nothing." Mixed(NOTHING, [false, false, false]);
    Source "src" "The source." Mixed(Each(|_, s, _| s), [true, true, false]);
    Destination "dst" "The destination." Mixed(Each(|_, _, d| d), [true, false, true]);
    SourceOver "src_over" "The source over the destination." Mixed(Each(|_, s, _| s), [true, true, true]);
    DestinationOver "dst_over" "The destination over the source." Mixed(Each(|_, _, d| d), [true, true, true]);
    SourceIn "src_in" "The source where the destination is." Mixed(Each(|_, s, _| s), [true, false, false]);
    DestinationIn "dst_in" "The destination where the source is." Mixed(Each(|_, _, d| d), [true, false, false]);
    SourceOut "src_out" "The source where no destination is." Mixed(NOTHING, [false, true, false]);
    DestinationOut "dst_out" "The destination where no source is." Mixed(NOTHING, [false, false, true]);
    SourceAtop "src_atop" "The source within the destination." Mixed(Each(|_, s, _| s), [true, false, true]);
    DestinationAtop "dst_atop" "The destination within the source." Mixed(Each(|_, _, d| d), [true, true, false]);
    Xor "xor" "The parts that only one covers." Mixed(NOTHING, [false, true, true]);
    Multiply "multiply" "The product." Mixed(Each(|b, s, d| b.fmul(s, d)), [true; 3]);
    Screen "screen" "The product of complements, complemented." Mixed(Each(screen), [true; 3]);
    Overlay "overlay" "Product or screen, depending on the destination." Mixed(Each(|b, s, d| hard_light(b, d, s)), [true; 3]);
    Darken "darken" "The smaller." Mixed(Each(|b, s, d| b.fmin(s, d)), [true; 3]);
    Lighten "lighten" "The larger." Mixed(Each(|b, s, d| b.fmax(s, d)), [true; 3]);
    ColourDodge "colordodge" "The destination brightened by the source." Mixed(Each(colour_dodge), [true; 3]);
    ColourBurn "colorburn" "The destination darkened by the source." Mixed(Each(colour_burn), [true; 3]);
    HardLight "hardlight" "Product or screen, depending on the source." Mixed(Each(hard_light), [true; 3]);
    SoftLight "softlight" "A softer hard light." Mixed(Each(soft_light), [true; 3]);
    Difference "difference" "The distance." Mixed(Each(difference), [true; 3]);
    Exclusion "exclusion" "A softer difference." Mixed(Each(exclusion), [true; 3]);
    Invert "invert" "The complement of the destination." Mixed(Each(|b, _, d| complement(b, d)), [true, false, true]);
    InvertRgb "invert_rgb" "The source times the destination's complement." Mixed(Each(invert_rgb), [true, false, true]);
    LinearDodge "lineardodge" "The sum, at most 1." Mixed(Each(linear_dodge), [true; 3]);
    LinearBurn "linearburn" "The sum minus 1, at least 0." Mixed(Each(linear_burn), [true; 3]);
    VividLight "vividlight" "Burn or dodge, depending on the source." Mixed(Each(vivid_light), [true; 3]);
    LinearLight "linearlight" "Linear burn or dodge, depending on the source." Mixed(Each(linear_light), [true; 3]);
    PinLight "pinlight" "Darken or lighten, depending on the source." Mixed(Each(pin_light), [true; 3]);
    HardMix "hardmix" "0 or 1, depending on the sum." Mixed(Each(hard_mix), [true; 3]);
    HslHue "hsl_hue" "Hue of the source, the rest of the destination." Mixed(Hsl(|b, s, d| set_saturation(b, s, d, d)), [true; 3]);
    HslSaturation "hsl_saturation" "Saturation of the source." Mixed(Hsl(|b, s, d| set_saturation(b, d, s, d)), [true; 3]);
    HslColour "hsl_color" "Hue and saturation of the source." Mixed(Hsl(set_luminosity), [true; 3]);
    HslLuminosity "hsl_luminosity" "Luminosity of the source." Mixed(Hsl(|b, s, d| set_luminosity(b, d, s)), [true; 3]);
    Plus "plus" "The sum." Sum(|b, s, d| each(|at| b.fadd(s[at], d[at])));
    PlusClamped "plus_clamped" "The sum, at most 1." Sum(plus_clamped);
    PlusClampedAlpha "plus_clamped_alpha" "The sum, at most the alpha." Sum(plus_clamped_alpha);
    PlusDarker "plus_darker" "The alpha minus the colours' distances from their alphas." Sum(plus_darker);
    Minus "minus" "The destination minus the source." Sum(|b, s, d| each(|at| b.fsub(d[at], s[at])));
    MinusClamped "minus_clamped" "The same, at least 0." Sum(minus_clamped);
    Contrast "contrast" "The destination's contrast scaled by the source." Sum(contrast);
    InvertOvg "invert_ovg" "The destination inverted where the source is." Sum(invert_ovg);
    Red "red" "The destination with the source's red." Sum(|_, s, d| [s[0], d[1], d[2], d[3]]);
    Green "green" "The destination with the source's green." Sum(|_, s, d| [d[0], s[1], d[2], d[3]]);
    Blue "blue" "The destination with the source's blue." Sum(|_, s, d| [d[0], d[1], s[2], d[3]]);
}

impl AdvancedOp {
    /// Vulkan's name in lower case, without prefix and suffix.
    pub fn name(self) -> &'static str {
        OPS[self as usize].name
    }

    /// The operation with this name.
    pub fn from_name(name: &str) -> Option<AdvancedOp> {
        Self::ALL.iter().copied().find(|op| op.name() == name)
    }
}

/// How the coverage of the source correlates with that of the destination within a sample.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Overlap {
    /// Not correlated.
    #[default]
    Uncorrelated,
    /// With minimal overlap.
    Disjoint,
    /// With maximal overlap.
    Conjoint,
}

impl Overlap {
    /// Every kind, in Vulkan's order.
    pub const ALL: [Overlap; 3] = [Overlap::Uncorrelated, Overlap::Disjoint, Overlap::Conjoint];

    /// The weights of the parts that both cover, that only the source covers, and that only the destination
    /// covers.
    fn weights(self, b: &mut Builder<'_, '_>, s: Src, d: Src) -> [Src; 3] {
        let zero = float(0.0, 32);
        match self {
            Overlap::Uncorrelated => {
                let (not_s, not_d) = (complement(b, s), complement(b, d));
                [b.fmul(s, d), b.fmul(s, not_d), b.fmul(d, not_s)]
            }
            Overlap::Conjoint => {
                let (more_s, more_d) = (b.fsub(s, d), b.fsub(d, s));
                [b.fmin(s, d), b.fmax(more_s, zero), b.fmax(more_d, zero)]
            }
            Overlap::Disjoint => {
                let (not_s, not_d) = (complement(b, s), complement(b, d));
                let both = b.fsub(s, not_d);
                [b.fmax(both, zero), b.fmin(s, not_d), b.fmin(d, not_s)]
            }
        }
    }
}

/// An advanced blending.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct AdvancedBlend {
    /// The operation.
    pub op: AdvancedOp,
    /// Colours of the shader are premultiplied by alpha.
    pub source_premultiplied: bool,
    /// Colours of the target are premultiplied by alpha.
    pub destination_premultiplied: bool,
    /// How the coverages overlap.
    pub overlap: Overlap,
    /// Clamp results to 0…1, even if the format has a larger range.
    pub clamp_results: bool,
}

impl AdvancedBlend {
    /// The operation with the API's default settings.
    pub fn new(op: AdvancedOp) -> AdvancedBlend {
        AdvancedBlend {
            op,
            source_premultiplied: true,
            destination_premultiplied: true,
            overlap: Overlap::default(),
            clamp_results: false,
        }
    }

    /// The blended colour.
    pub(super) fn apply(&self, b: &mut Builder<'_, '_>, source: [Src; 4], destination: [Src; 4]) -> [Src; 4] {
        let mut colour = match &OPS[self.op as usize].formula {
            Formula::Whole(whole) => {
                let s = if self.source_premultiplied { source } else { multiplied(b, source) };
                let d = if self.destination_premultiplied { destination } else { multiplied(b, destination) };
                whole(b, s, d)
            }
            Formula::Mix(mix, seen) => self.mix(b, mix, *seen, source, destination),
        };
        if !self.destination_premultiplied {
            colour = divided(b, colour);
        }
        if self.clamp_results { colour.map(|x| b.fsat(x)) } else { colour }
    }

    /// Mixes the three parts of a sample, premultiplied by alpha.
    fn mix(
        &self,
        b: &mut Builder<'_, '_>,
        mix: &Mix,
        seen: [bool; 3],
        source: [Src; 4],
        destination: [Src; 4],
    ) -> [Src; 4] {
        let s = if self.source_premultiplied { divided(b, source) } else { source };
        let d = if self.destination_premultiplied { divided(b, destination) } else { destination };
        let weights = self.overlap.weights(b, s[ALPHA], d[ALPHA]);
        let [s, d] = [s, d].map(|colour| [colour[0], colour[1], colour[2]]);
        let both = match mix {
            Mix::Nothing => None,
            Mix::Component(formula) => Some([0, 1, 2].map(|at: usize| formula(b, s[at], d[at]))),
            Mix::Rgb(formula) => Some(formula(b, s, d)),
        };
        let terms = [both, Some(s), Some(d)];
        let mut result = [float(0.0, 32); 4];
        for ((colour, weight), _) in terms.into_iter().zip(weights).zip(seen).filter(|(_, seen)| *seen) {
            for (at, sum) in result.iter_mut().enumerate() {
                let term = match colour {
                    _ if at == ALPHA => weight,
                    Some(colour) => b.fmul(colour[at], weight),
                    None => continue,
                };
                *sum = b.fadd(*sum, term);
            }
        }
        result
    }
}

fn each(component: impl FnMut(usize) -> Src) -> [Src; 4] {
    [0, 1, 2, 3].map(component)
}

fn complement(b: &mut Builder<'_, '_>, x: Src) -> Src {
    b.fsub(float(1.0, 32), x)
}

/// The colour with its components multiplied by alpha.
fn multiplied(b: &mut Builder<'_, '_>, colour: [Src; 4]) -> [Src; 4] {
    let alpha = colour[ALPHA];
    each(|at| if at == ALPHA { alpha } else { b.fmul(colour[at], alpha) })
}

/// The colour with its components divided by alpha; black if alpha is 0.
fn divided(b: &mut Builder<'_, '_>, colour: [Src; 4]) -> [Src; 4] {
    let alpha = colour[ALPHA];
    let there = b.fcmp(FloatCond::NE, alpha, float(0.0, 32));
    let reciprocal = b.fdiv(float(1.0, 32), alpha);
    let reciprocal = b.select(there, reciprocal, float(0.0, 32));
    let negative = b.fneg(alpha);
    each(|at| {
        if at == ALPHA {
            return alpha;
        }
        // The remainder corrects the quotient: white gives exactly 1, at which some formulas are
        // discontinuous.
        let quotient = b.fmul(colour[at], reciprocal);
        let rest = b.ffma(quotient, negative, colour[at]);
        b.ffma(rest, reciprocal, quotient)
    })
}

fn screen(b: &mut Builder<'_, '_>, s: Src, d: Src) -> Src {
    let rest = complement(b, s);
    let product = b.fmul(rest, d);
    b.fadd(s, product)
}

fn twice(b: &mut Builder<'_, '_>, x: Src) -> Src {
    b.fmul(x, float(2.0, 32))
}

fn hard_light(b: &mut Builder<'_, '_>, s: Src, d: Src) -> Src {
    let dark = b.fcmp(FloatCond::LE, s, float(0.5, 32));
    let double = twice(b, s);
    let product = b.fmul(double, d);
    let rest = b.fsub(double, float(1.0, 32));
    let screened = screen(b, rest, d);
    b.select(dark, product, screened)
}

/// 1, or `x` / `by` if that is smaller.
fn ratio(b: &mut Builder<'_, '_>, x: Src, by: Src) -> Src {
    let quotient = b.fdiv(x, by);
    b.fmin(quotient, float(1.0, 32))
}

fn colour_dodge(b: &mut Builder<'_, '_>, s: Src, d: Src) -> Src {
    let (zero, one) = (float(0.0, 32), float(1.0, 32));
    let rest = complement(b, s);
    let brightened = ratio(b, d, rest);
    let below = b.fcmp(FloatCond::LT, s, one);
    let brightened = b.select(below, brightened, one);
    let black = b.fcmp(FloatCond::LE, d, zero);
    b.select(black, zero, brightened)
}

fn colour_burn(b: &mut Builder<'_, '_>, s: Src, d: Src) -> Src {
    let (zero, one) = (float(0.0, 32), float(1.0, 32));
    let rest = complement(b, d);
    let darkened = ratio(b, rest, s);
    let darkened = complement(b, darkened);
    let above = b.fcmp(FloatCond::GT, s, zero);
    let darkened = b.select(above, darkened, zero);
    let white = b.fcmp(FloatCond::GE, d, one);
    b.select(white, one, darkened)
}

fn soft_light(b: &mut Builder<'_, '_>, s: Src, d: Src) -> Src {
    let double = twice(b, s);
    let strength = b.fsub(double, float(1.0, 32));
    // The term added to the destination is the strength times one of three curves.
    let rest = complement(b, d);
    let dark = b.fmul(d, rest);
    let curve = b.fmul(d, float(16.0, 32));
    let curve = b.fadd(curve, float(-12.0, 32));
    let curve = b.fmul(curve, d);
    let curve = b.fadd(curve, float(3.0, 32));
    let curve = b.fmul(curve, d);
    let root = b.fsqrt(d);
    let root = b.fsub(root, d);
    let low = b.fcmp(FloatCond::LE, d, float(0.25, 32));
    let bright = b.select(low, curve, root);
    let is_dark = b.fcmp(FloatCond::LE, s, float(0.5, 32));
    let chosen = b.select(is_dark, dark, bright);
    let change = b.fmul(strength, chosen);
    b.fadd(d, change)
}

fn difference(b: &mut Builder<'_, '_>, s: Src, d: Src) -> Src {
    let distance = b.fsub(d, s);
    b.fabs(distance)
}

fn exclusion(b: &mut Builder<'_, '_>, s: Src, d: Src) -> Src {
    let sum = b.fadd(s, d);
    let double = twice(b, s);
    let product = b.fmul(double, d);
    b.fsub(sum, product)
}

fn invert_rgb(b: &mut Builder<'_, '_>, s: Src, d: Src) -> Src {
    let rest = complement(b, d);
    b.fmul(s, rest)
}

fn linear_dodge(b: &mut Builder<'_, '_>, s: Src, d: Src) -> Src {
    let sum = b.fadd(s, d);
    b.fmin(sum, float(1.0, 32))
}

fn linear_burn(b: &mut Builder<'_, '_>, s: Src, d: Src) -> Src {
    let rest = complement(b, d);
    let sum = b.fsub(s, rest);
    b.fmax(sum, float(0.0, 32))
}

fn vivid_light(b: &mut Builder<'_, '_>, s: Src, d: Src) -> Src {
    let (zero, one) = (float(0.0, 32), float(1.0, 32));
    let dark = b.fcmp(FloatCond::LT, s, float(0.5, 32));
    let (rest_s, rest_d) = (complement(b, s), complement(b, d));
    let (x, by) = (b.select(dark, rest_d, d), b.select(dark, s, rest_s));
    let by = twice(b, by);
    let quotient = ratio(b, x, by);
    let burnt = complement(b, quotient);
    let mixed = b.select(dark, burnt, quotient);
    let black = b.fcmp(FloatCond::LE, s, zero);
    let mixed = b.select(black, zero, mixed);
    let white = b.fcmp(FloatCond::GE, s, one);
    b.select(white, one, mixed)
}

fn linear_light(b: &mut Builder<'_, '_>, s: Src, d: Src) -> Src {
    let double = twice(b, s);
    let sum = b.fadd(double, d);
    let sum = b.fsub(sum, float(1.0, 32));
    b.fsat(sum)
}

fn pin_light(b: &mut Builder<'_, '_>, s: Src, d: Src) -> Src {
    let double = twice(b, s);
    let above = b.fsub(double, float(1.0, 32));
    let darkened = b.fmin(double, d);
    let lightened = b.fmax(above, float(0.0, 32));
    let lightens = b.fcmp(FloatCond::GT, above, d);
    b.select(lightens, lightened, darkened)
}

fn hard_mix(b: &mut Builder<'_, '_>, s: Src, d: Src) -> Src {
    let sum = b.fadd(s, d);
    let dark = b.fcmp(FloatCond::LT, sum, float(1.0, 32));
    b.select(dark, float(0.0, 32), float(1.0, 32))
}

/// Luminosity weights of red, green and blue.
const LUMINOSITY: [f64; 3] = [0.30, 0.59, 0.11];

fn luminosity(b: &mut Builder<'_, '_>, colour: [Src; 3]) -> Src {
    let terms = [0, 1, 2].map(|at: usize| b.fmul(colour[at], float(LUMINOSITY[at], 32)));
    let sum = b.fadd(terms[0], terms[1]);
    b.fadd(sum, terms[2])
}

/// The smallest and the largest component.
fn range(b: &mut Builder<'_, '_>, [red, green, blue]: [Src; 3]) -> [Src; 2] {
    let (low, high) = (b.fmin(red, green), b.fmax(red, green));
    [b.fmin(low, blue), b.fmax(high, blue)]
}

/// `base` with the luminosity of another colour, moved towards grey as far as needed to be within 0 and 1.
fn set_luminosity(b: &mut Builder<'_, '_>, base: [Src; 3], bright: [Src; 3]) -> [Src; 3] {
    let (zero, one) = (float(0.0, 32), float(1.0, 32));
    let (old, new) = (luminosity(b, base), luminosity(b, bright));
    // Distances from grey.
    let apart = base.map(|x| b.fsub(x, old));
    let [low, high] = range(b, apart).map(|x| b.fadd(new, x));
    let below = b.fcmp(FloatCond::LT, low, zero);
    let (depth, height) = (b.fsub(new, low), b.fsub(high, new));
    let scale = b.fdiv(new, depth);
    let scale = b.select(below, scale, one);
    let above = b.fcmp(FloatCond::GT, high, one);
    let room = complement(b, new);
    let scale_high = b.fdiv(room, height);
    let scale_high = b.select(above, scale_high, one);
    let scale = b.fmul(scale, scale_high);
    apart.map(|x| {
        let x = b.fmul(x, scale);
        b.fadd(new, x)
    })
}

/// `base` with the saturation of another colour and the luminosity of a third.
fn set_saturation(
    b: &mut Builder<'_, '_>,
    base: [Src; 3],
    saturated: [Src; 3],
    bright: [Src; 3],
) -> [Src; 3] {
    let [low, high] = range(b, base);
    let old = b.fsub(high, low);
    let [from, to] = range(b, saturated);
    let new = b.fsub(to, from);
    let coloured = b.fcmp(FloatCond::GT, old, float(0.0, 32));
    let scale = b.fdiv(new, old);
    let scale = b.select(coloured, scale, float(0.0, 32));
    let scaled = base.map(|x| {
        let above = b.fsub(x, low);
        b.fmul(above, scale)
    });
    set_luminosity(b, scaled, bright)
}

fn plus_clamped(b: &mut Builder<'_, '_>, s: [Src; 4], d: [Src; 4]) -> [Src; 4] {
    each(|at| linear_dodge(b, s[at], d[at]))
}

fn plus_clamped_alpha(b: &mut Builder<'_, '_>, s: [Src; 4], d: [Src; 4]) -> [Src; 4] {
    let alpha = linear_dodge(b, s[ALPHA], d[ALPHA]);
    each(|at| {
        let sum = b.fadd(s[at], d[at]);
        if at == ALPHA { alpha } else { b.fmin(sum, alpha) }
    })
}

fn plus_darker(b: &mut Builder<'_, '_>, s: [Src; 4], d: [Src; 4]) -> [Src; 4] {
    let alpha = linear_dodge(b, s[ALPHA], d[ALPHA]);
    each(|at| {
        if at == ALPHA {
            return alpha;
        }
        let (dark_s, dark_d) = (b.fsub(s[ALPHA], s[at]), b.fsub(d[ALPHA], d[at]));
        let dark = b.fadd(dark_s, dark_d);
        let rest = b.fsub(alpha, dark);
        b.fmax(rest, float(0.0, 32))
    })
}

fn minus_clamped(b: &mut Builder<'_, '_>, s: [Src; 4], d: [Src; 4]) -> [Src; 4] {
    each(|at| {
        let rest = b.fsub(d[at], s[at]);
        b.fmax(rest, float(0.0, 32))
    })
}

fn contrast(b: &mut Builder<'_, '_>, s: [Src; 4], d: [Src; 4]) -> [Src; 4] {
    let [half_s, half_d] = [s[ALPHA], d[ALPHA]].map(|alpha| b.fmul(alpha, float(0.5, 32)));
    each(|at| {
        if at == ALPHA {
            return d[ALPHA];
        }
        let (above_s, above_d) = (b.fsub(s[at], half_s), b.fsub(d[at], half_d));
        let product = b.fmul(above_s, above_d);
        let product = twice(b, product);
        b.fadd(half_d, product)
    })
}

fn invert_ovg(b: &mut Builder<'_, '_>, s: [Src; 4], d: [Src; 4]) -> [Src; 4] {
    let (alpha, rest) = (s[ALPHA], complement(b, s[ALPHA]));
    each(|at| {
        if at == ALPHA {
            return screen(b, alpha, d[ALPHA]);
        }
        let inverse = complement(b, d[at]);
        let inverted = b.fmul(alpha, inverse);
        let kept = b.fmul(rest, d[at]);
        b.fadd(inverted, kept)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_known_names_are_found() {
        for op in AdvancedOp::ALL {
            assert_eq!(AdvancedOp::from_name(op.name()), Some(*op));
        }
        assert_eq!(AdvancedOp::from_name("add"), None);
    }
}
