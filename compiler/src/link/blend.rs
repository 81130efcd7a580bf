//! Blending: the state of a render target and its arithmetic.

use super::advanced_blend::AdvancedBlend;
use crate::ir::build::alu::float;
use crate::ir::{Arithmetic, Builder, Src};

/// Enumerations whose variants can be listed.
macro_rules! listed {
    ($(#[$attribute:meta])* pub enum $name:ident { $($(#[$doc:meta])* $variant:ident,)* }) => {
        $(#[$attribute])*
        pub enum $name {
            $($(#[$doc])* $variant,)*
        }

        impl $name {
            /// All of them, in Vulkan's order.
            pub const ALL: &'static [$name] = &[$($name::$variant),*];
        }
    };
}

listed! {
    /// The factor that a colour is multiplied by before the two are combined.
    #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
    pub enum Factor {
        /// 0.
        Zero,
        /// 1.
        One,
        /// The source's component.
        Source,
        /// 1 minus the source's component.
        OneMinusSource,
        /// The destination's component.
        Destination,
        /// 1 minus the destination's component.
        OneMinusDestination,
        /// The source's alpha.
        SourceAlpha,
        /// 1 minus the source's alpha.
        OneMinusSourceAlpha,
        /// The destination's alpha.
        DestinationAlpha,
        /// 1 minus the destination's alpha.
        OneMinusDestinationAlpha,
        /// The blend constant's component.
        Constant,
        /// 1 minus the blend constant's component.
        OneMinusConstant,
        /// The blend constant's alpha.
        ConstantAlpha,
        /// 1 minus the blend constant's alpha.
        OneMinusConstantAlpha,
        /// The smaller of the source's alpha and 1 minus the destination's; 1 for alpha.
        SourceAlphaSaturate,
        /// The second source's component.
        Second,
        /// 1 minus the second source's component.
        OneMinusSecond,
        /// The second source's alpha.
        SecondAlpha,
        /// 1 minus the second source's alpha.
        OneMinusSecondAlpha,
    }
}

impl Factor {
    /// Whether it reads the second colour.
    pub fn is_dual(self) -> bool {
        use Factor::*;
        matches!(self, Second | OneMinusSecond | SecondAlpha | OneMinusSecondAlpha)
    }
}

listed! {
    /// How two colours are combined.
    #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
    pub enum BlendOp {
        /// Source + destination.
        Add,
        /// Source − destination.
        Subtract,
        /// Destination − source.
        ReverseSubtract,
        /// The smaller, without factors.
        Min,
        /// The larger, without factors.
        Max,
    }
}

/// The blend arithmetic of some components.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Equation {
    /// The factor of the source.
    pub source: Factor,
    /// The factor of the destination.
    pub destination: Factor,
    /// How the products are combined.
    pub op: BlendOp,
}

/// The blending of a target.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Blend {
    /// For red, green and blue.
    pub colour: Equation,
    /// For alpha.
    pub alpha: Equation,
}

impl Blend {
    /// Whether it reads the second colour.
    pub fn is_dual(&self) -> bool {
        [self.colour, self.alpha].iter().any(|equation| {
            equation.op < BlendOp::Min && (equation.source.is_dual() || equation.destination.is_dual())
        })
    }
}

/// How the colours of a target are blended.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Blending {
    /// By factors, separately for colour and alpha.
    Factors(Blend),
    /// By an advanced blend operation.
    Advanced(AdvancedBlend),
}

impl Blending {
    /// Whether it reads the second colour.
    pub fn is_dual(&self) -> bool {
        matches!(self, Blending::Factors(blend) if blend.is_dual())
    }
}

impl From<Blend> for Blending {
    fn from(blend: Blend) -> Blending {
        Blending::Factors(blend)
    }
}

impl From<AdvancedBlend> for Blending {
    fn from(blend: AdvancedBlend) -> Blending {
        Blending::Advanced(blend)
    }
}

listed! {
    /// Operations on the bits of source s and destination d.
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
    pub enum LogicOp {
        /// 0.
        Clear,
        /// s ∧ d.
        And,
        /// s ∧ ¬d.
        AndReverse,
        /// s.
        Copy,
        /// ¬s ∧ d.
        AndInverted,
        /// d.
        NoOp,
        /// s ⊕ d.
        Xor,
        /// s ∨ d.
        Or,
        /// ¬(s ∨ d).
        Nor,
        /// ¬(s ⊕ d).
        Equivalent,
        /// ¬d.
        Invert,
        /// s ∨ ¬d.
        OrReverse,
        /// ¬s.
        CopyInverted,
        /// ¬s ∨ d.
        OrInverted,
        /// ¬(s ∧ d).
        Nand,
        /// All ones.
        Set,
    }
}

impl LogicOp {
    /// Applies it to words.
    pub(super) fn apply(self, b: &mut Builder<'_, '_>, s: Src, d: Src) -> Src {
        use LogicOp::*;
        let inverted = |b: &mut Builder<'_, '_>, x: Src| b.not(x);
        match self {
            Clear => Src::imm32(0),
            Set => Src::imm32(u32::MAX),
            Copy => s,
            NoOp => d,
            CopyInverted => inverted(b, s),
            Invert => inverted(b, d),
            And => b.and(s, d),
            Or => b.or(s, d),
            Xor => b.xor(s, d),
            Equivalent => b.xnor(s, d),
            Nand => {
                let both = b.and(s, d);
                inverted(b, both)
            }
            Nor => {
                let any = b.or(s, d);
                inverted(b, any)
            }
            AndReverse | OrReverse => {
                let d = inverted(b, d);
                if self == AndReverse { b.and(s, d) } else { b.or(s, d) }
            }
            AndInverted | OrInverted => {
                let s = inverted(b, s);
                if self == AndInverted { b.and(s, d) } else { b.or(s, d) }
            }
        }
    }

    /// Whether the result depends on the destination.
    pub(super) fn reads_destination(self) -> bool {
        !matches!(self, LogicOp::Clear | LogicOp::Set | LogicOp::Copy | LogicOp::CopyInverted)
    }
}

/// The colours that blending combines, as 32-bit floats.
pub(super) struct Colours {
    pub source: [Src; 4],
    pub second: [Src; 4],
    pub destination: [Src; 4],
    pub constant: [Src; 4],
}

/// Index of alpha in a colour.
pub(super) const ALPHA: usize = 3;

impl Colours {
    /// The blended colour.
    pub fn blend(&self, b: &mut Builder<'_, '_>, blending: &Blending) -> [Src; 4] {
        let blend = match blending {
            Blending::Factors(blend) => blend,
            Blending::Advanced(blend) => return blend.apply(b, self.source, self.destination),
        };
        [0, 1, 2, 3].map(|component| {
            let equation = if component == ALPHA { blend.alpha } else { blend.colour };
            self.component(b, component, equation)
        })
    }

    fn component(&self, b: &mut Builder<'_, '_>, at: usize, equation: Equation) -> Src {
        let (s, d) = (self.source[at], self.destination[at]);
        match equation.op {
            BlendOp::Min => return b.fmin(s, d),
            BlendOp::Max => return b.fmax(s, d),
            BlendOp::Add | BlendOp::Subtract | BlendOp::ReverseSubtract => {}
        }
        let s = self.product(b, s, equation.source, at);
        let d = self.product(b, d, equation.destination, at);
        match (s, d, equation.op) {
            (Some(s), Some(d), BlendOp::Add) => b.fadd(s, d),
            (Some(s), Some(d), BlendOp::Subtract) => b.fsub(s, d),
            (Some(s), Some(d), _) => b.fsub(d, s),
            (Some(s), None, BlendOp::ReverseSubtract) => b.fneg(s),
            (None, Some(d), BlendOp::Subtract) => b.fneg(d),
            (Some(x), None, _) | (None, Some(x), _) => x,
            (None, None, _) => float(0.0, 32),
        }
    }

    /// `x` times the factor; `None` for 0, regardless of `x`.
    fn product(&self, b: &mut Builder<'_, '_>, x: Src, factor: Factor, at: usize) -> Option<Src> {
        use Factor::*;
        let one = float(1.0, 32);
        let (value, complement) = match factor {
            Zero => return None,
            One => return Some(x),
            Source => (self.source[at], false),
            OneMinusSource => (self.source[at], true),
            Destination => (self.destination[at], false),
            OneMinusDestination => (self.destination[at], true),
            SourceAlpha => (self.source[ALPHA], false),
            OneMinusSourceAlpha => (self.source[ALPHA], true),
            DestinationAlpha => (self.destination[ALPHA], false),
            OneMinusDestinationAlpha => (self.destination[ALPHA], true),
            Constant => (self.constant[at], false),
            OneMinusConstant => (self.constant[at], true),
            ConstantAlpha => (self.constant[ALPHA], false),
            OneMinusConstantAlpha => (self.constant[ALPHA], true),
            Second => (self.second[at], false),
            OneMinusSecond => (self.second[at], true),
            SecondAlpha => (self.second[ALPHA], false),
            OneMinusSecondAlpha => (self.second[ALPHA], true),
            SourceAlphaSaturate if at == ALPHA => return Some(x),
            SourceAlphaSaturate => {
                let rest = b.fsub(one, self.destination[ALPHA]);
                (b.fmin(self.source[ALPHA], rest), false)
            }
        };
        let value = if complement { b.fsub(one, value) } else { value };
        Some(b.fmul(x, value))
    }
}
