//! Inputs and outputs of vertex and fragment shaders: which scalars of a variable are which components of which
//! locations, or parts of which built-ins.

use spirv::{BuiltIn, Decoration};

use super::module::{Global, Module};
use super::types::{Kind, Ty, Types};
use crate::error::CompileError;

/// Most locations.
const MAX_LOCATIONS: u32 = 64;

/// What decorations say of an input or output, or of a member of one.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Decorated {
    /// First location.
    pub location: Option<u32>,
    /// First component.
    pub component: u32,
    /// Which colour of dual source blending.
    pub index: u32,
    /// The built-in it is.
    pub built_in: Option<BuiltIn>,
    /// How and where it is interpolated.
    pub style: Style,
}

/// How and where an input is interpolated.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Style {
    pub flat: bool,
    pub linear: bool,
    pub centroid: bool,
    pub sample: bool,
    /// Floats of it may be rounded to half precision.
    pub relaxed: bool,
}

impl Decorated {
    /// Reads decorations: `of` gives the first operand of one, if it is there.
    pub fn read(of: impl Fn(Decoration) -> Option<u32>) -> Self {
        Decorated {
            location: of(Decoration::Location),
            component: of(Decoration::Component).unwrap_or(0),
            index: of(Decoration::Index).unwrap_or(0),
            built_in: of(Decoration::BuiltIn).and_then(BuiltIn::from_u32),
            style: Style {
                flat: of(Decoration::Flat).is_some(),
                linear: of(Decoration::NoPerspective).is_some(),
                centroid: of(Decoration::Centroid).is_some(),
                sample: of(Decoration::Sample).is_some(),
                relaxed: of(Decoration::RelaxedPrecision).is_some(),
            },
        }
    }

    /// What holds of a part that is decorated with `self` in something decorated with `outer`.
    fn within(self, outer: Decorated) -> Self {
        let (a, b) = (self.style, outer.style);
        Decorated {
            location: self.location,
            component: self.component,
            index: outer.index,
            built_in: self.built_in.or(outer.built_in),
            style: Style {
                flat: a.flat || b.flat,
                linear: a.linear || b.linear,
                centroid: a.centroid || b.centroid,
                sample: a.sample || b.sample,
                relaxed: a.relaxed || b.relaxed,
            },
        }
    }
}

/// What a scalar of an input or output is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Slot {
    /// A component of a location.
    User { location: u32, component: u32 },
    /// A scalar of a built-in, counted from its first.
    BuiltIn { built_in: BuiltIn, index: u32 },
}

/// A scalar of an input or output.
#[derive(Clone, Copy, Debug)]
pub(super) struct Leaf {
    /// What it is.
    pub slot: Slot,
    /// Its width.
    pub bits: u8,
    /// Whether it is a float.
    pub is_float: bool,
    /// Which colour of dual source blending.
    pub index: u32,
    /// How it is interpolated.
    pub style: Style,
}

impl Leaf {
    /// The components it takes: two of 64-bit scalars.
    pub fn components(&self) -> impl Iterator<Item = Slot> + use<> {
        let (slot, words) = (self.slot, u32::from(self.bits.div_ceil(32)));
        (0..words).map(move |word| match slot {
            Slot::User { location, component } => Slot::User { location, component: component + word },
            other => other,
        })
    }
}

/// The scalars of an input or output variable, in order.
pub(super) fn leaves(module: &Module<'_>, global: &Global<'_>) -> Result<Vec<Leaf>, CompileError> {
    let decorated = Decorated::read(|decoration| module.decorations.of(global.id, decoration));
    let mut walk = Walk {
        types: &module.types,
        location: decorated.location,
        index: 0,
        out: Vec::with_capacity(module.types.leaf_count(global.ty)?),
    };
    walk.visit(global.ty, decorated)?;
    Ok(walk.out)
}

struct Walk<'w, 'a> {
    types: &'w Types<'a>,
    /// The next location.
    location: Option<u32>,
    /// The next scalar of the built-in.
    index: u32,
    out: Vec<Leaf>,
}

impl Walk<'_, '_> {
    /// Appends the scalars of a part. The recursion is as deep as types nest, which is limited.
    fn visit(&mut self, ty: Ty, decorated: Decorated) -> Result<(), CompileError> {
        match self.types.kind(ty) {
            Kind::Struct { members } => {
                for member in members {
                    self.location = member.decorated.location.or(self.location);
                    if member.decorated.built_in.is_some() {
                        self.index = 0;
                    }
                    self.visit(member.ty, member.decorated.within(decorated))?;
                }
                Ok(())
            }
            Kind::Array { elem, count, .. } | Kind::Matrix { column: elem, count } => {
                for _ in 0..count {
                    self.visit(elem, decorated)?;
                }
                Ok(())
            }
            Kind::Vector { elem, count } => self.components(elem, count, decorated),
            _ => self.components(ty, 1, decorated),
        }
    }

    fn components(&mut self, elem: Ty, count: u32, decorated: Decorated) -> Result<(), CompileError> {
        let (bits, is_float) = match self.types.kind(elem) {
            Kind::Int { bits } => (bits, false),
            Kind::Float { bits } => (bits, true),
            Kind::Bool if decorated.built_in.is_some() => (1, false),
            Kind::Bool => {
                return Err(CompileError::invalid("a boolean input or output that is not built-in"));
            }
            _ => return Err(CompileError::unsupported("inputs and outputs of this type")),
        };
        let words = u32::from(bits.div_ceil(32));
        for component in 0..count {
            let slot = match decorated.built_in {
                Some(built_in) => Slot::BuiltIn { built_in, index: self.index + component },
                None => self.user(decorated.component + words * component, words)?,
            };
            self.out.push(Leaf { slot, bits, is_float, index: decorated.index, style: decorated.style });
        }
        match decorated.built_in {
            Some(_) => self.index += count,
            None => {
                let locations = (decorated.component + words * count).div_ceil(4);
                self.location = self.location.map(|location| location + locations);
            }
        }
        Ok(())
    }

    /// The slot of a scalar of so many words, `component` words from the first of the location on. Only vectors of 64-bit
    /// scalars go on in the next location.
    fn user(&self, component: u32, words: u32) -> Result<Slot, CompileError> {
        let Some(location) = self.location else {
            return Err(CompileError::invalid("an input or output has neither a location nor a built-in"));
        };
        if component > 3 && words == 1 || !component.is_multiple_of(words) {
            return Err(CompileError::invalid("a component of an input or output is beyond the fourth"));
        }
        let location = location.saturating_add(component / 4);
        if location >= MAX_LOCATIONS {
            return Err(CompileError::limit(format!("location {location} is not below {MAX_LOCATIONS}")));
        }
        Ok(Slot::User { location, component: component % 4 })
    }
}
