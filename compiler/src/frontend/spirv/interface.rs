//! Inputs and outputs of vertex and fragment shaders: which scalars of a variable are which components of which
//! locations, or parts of which built-ins.

use spirv::BuiltIn;

use super::decorations::{Capture, Decorated, Style};
use super::module::{Global, Module};
use super::types::{Kind, Ty, Types};
use crate::error::{CompileError, StageError};
use crate::frontend::ssa::Variable;
use crate::ir::Arithmetic;
use crate::ir::builder::Builder;
use crate::ir::src::Src;

/// Most locations.
const MAX_LOCATIONS: u32 = 64;

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
    /// Where transform feedback captures it.
    pub captured: Option<Captured>,
}

/// Where a scalar is captured.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Captured {
    pub buffer: u32,
    /// Bytes of a vertex in the buffer.
    pub stride: u32,
    /// First byte.
    pub offset: u32,
}

impl Captured {
    /// Where what is decorated so begins, in the `number`th block of an array: each has a buffer of its own.
    fn start(capture: Capture, number: u32) -> Option<Captured> {
        let Capture { buffer: Some(buffer), stride: Some(stride), offset: Some(offset) } = capture else {
            return None;
        };
        Some(Captured { buffer: buffer.saturating_add(number), stride, offset })
    }

    /// The place of a scalar of so many bytes, and the one after it. Scalars follow each other without gaps, but wider ones
    /// begin at multiples of their size.
    fn take(place: &mut Option<Captured>, bits: u8) -> Option<Captured> {
        let bytes = u32::from(bits / 8).max(1);
        let mut taken = (*place)?;
        taken.offset = taken.offset.checked_next_multiple_of(bytes).unwrap_or(u32::MAX);
        *place = Some(Captured { offset: taken.offset.saturating_add(bytes), ..taken });
        Some(taken)
    }
}

impl Leaf {
    /// The components it takes: two of 64-bit scalars.
    pub fn components(&self) -> impl Iterator<Item = Slot> + use<> {
        let (slot, words) = (self.slot, u32::from(self.bits.div_ceil(32)));
        (0..words).map(move |word| match slot {
            Slot::User { location, component } => {
                Slot::User { location, component: component.saturating_add(word) }
            }
            other => other,
        })
    }
}

/// What is known of the interface.
#[derive(Default)]
pub(super) struct StageIo<'a> {
    /// Ids of the entry point's inputs and outputs, among others.
    pub interface: &'a [u32],
    /// Outputs are captured.
    pub feedback: bool,
    /// What an output of a fragment shader holds before it is written, by width.
    pub unwritten: Vec<(u8, Src)>,
    /// First variable and scalars of the inputs.
    pub inputs: Vec<(Variable, Vec<Leaf>)>,
}

/// An output of the program: what it is, and its value.
pub(super) type Output = (Leaf, Src);

/// The scalars of an input or output variable, in order.
pub(super) fn leaves(module: &Module<'_>, global: &Global<'_>) -> Result<Vec<Leaf>, CompileError> {
    let part = module.decorations.whole(global.id);
    let decorated = Decorated::read(|decoration| part.of(decoration));
    let mut walk = Walk {
        types: &module.types,
        location: decorated.location,
        index: 0,
        captured: Captured::start(decorated.capture, 0),
        block: 0,
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
    /// Where the next scalar is captured.
    captured: Option<Captured>,
    /// Number of the block in an array of blocks.
    block: u32,
    out: Vec<Leaf>,
}

impl Walk<'_, '_> {
    /// Appends the scalars of a part. The recursion is as deep as types nest, which is limited.
    fn visit(&mut self, ty: Ty, decorated: Decorated) -> Result<(), CompileError> {
        match self.types.kind(ty) {
            Kind::Struct { members } => {
                // Members of what is captured as a whole follow each other; others say themselves where they are.
                let is_whole = self.captured.is_some();
                for member in members {
                    self.location = member.decorated.location.or(self.location);
                    if member.decorated.built_in.is_some() {
                        self.index = 0;
                    }
                    let inner = member.decorated.within(decorated);
                    if !is_whole {
                        self.captured = Captured::start(inner.capture, self.block);
                    }
                    self.visit(member.ty, inner)?;
                }
                if !is_whole {
                    (self.captured, self.block) = (None, self.block.saturating_add(1));
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
                return Err(StageError::Boolean.into());
            }
            _ => return Err(StageError::Type.into()),
        };
        let words = u32::from(bits.div_ceil(32));
        for component in 0..count {
            let slot = match decorated.built_in {
                Some(built_in) => Slot::BuiltIn { built_in, index: self.index.saturating_add(component) },
                None => {
                    self.user(decorated.component.saturating_add(words.saturating_mul(component)), words)?
                }
            };
            let captured = Captured::take(&mut self.captured, bits);
            let (index, style) = (decorated.index, decorated.style);
            self.out.push(Leaf { slot, bits, is_float, index, style, captured });
        }
        match decorated.built_in {
            Some(_) => self.index = self.index.saturating_add(count),
            None => {
                let locations = decorated.component.saturating_add(words.saturating_mul(count)).div_ceil(4);
                self.location = self.location.map(|location| location.saturating_add(locations));
            }
        }
        Ok(())
    }

    /// The slot of a scalar of a given number of words, `component` words from the first of the location on. Only vectors of 64-bit
    /// scalars continue in the next location.
    fn user(&self, component: u32, words: u32) -> Result<Slot, CompileError> {
        let Some(location) = self.location else {
            return Err(StageError::NoLocation.into());
        };
        if component > 3 && words == 1 || !component.is_multiple_of(words) {
            return Err(StageError::Component { component }.into());
        }
        let location = location.saturating_add(component / 4);
        if location >= MAX_LOCATIONS {
            return Err(StageError::Location { location, most: MAX_LOCATIONS }.into());
        }
        Ok(Slot::User { location, component: component % 4 })
    }
}

/// An output as a 32-bit word: shorter floats become longer, shorter integers are filled with zeros.
pub(super) fn output_word(b: &mut Builder<'_, '_>, leaf: &Leaf, value: Src) -> Src {
    if leaf.is_float { b.fconv(value, 32) } else { b.uconv(value, 32) }
}
