//! Inputs and outputs of vertex, geometry and fragment shaders: the mapping of a variable's scalars to components of
//! locations, or to parts of built-ins.

use spirv::BuiltIn;

use super::decorations::{Capture, Decorated, Style};
use super::module::{Global, Module};
use super::pointer::Pointer;
use super::types::{Kind, Ty, Types};
use super::written::Written;
use crate::error::{CompileError, StageError};
use crate::ir::Arithmetic;
use crate::ir::builder::Builder;
use crate::ir::src::Src;
use crate::ssa::Variable;

/// Maximum number of locations.
const MAX_LOCATIONS: u32 = 64;

/// The meaning of a scalar of an input or output.
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
    /// Its meaning.
    pub slot: Slot,
    /// Its width.
    pub bits: u8,
    /// Whether it is a float.
    pub is_float: bool,
    /// Index of the colour for dual-source blending.
    pub index: u32,
    /// Its interpolation.
    pub style: Style,
    /// The vertex whose value it is, of an input of a fragment shader that has one for each vertex.
    pub corner: Option<u32>,
    /// Its transform feedback capture.
    pub captured: Option<Captured>,
}

/// The capture position of a scalar.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Captured {
    pub buffer: u32,
    /// Size of a vertex in the buffer, in bytes.
    pub stride: u32,
    /// Byte offset.
    pub offset: u32,
    /// The stream of the vertices.
    pub stream: u32,
}

impl Captured {
    /// The start of a captured part, in block `number` of an array of blocks: each block has its own buffer.
    fn start(capture: Capture, number: u32) -> Option<Captured> {
        let Capture { buffer: Some(buffer), stride: Some(stride), offset: Some(offset), stream } = capture
        else {
            return None;
        };
        let buffer = buffer.saturating_add(number);
        Some(Captured { buffer, stride, offset, stream: stream.unwrap_or(0) })
    }

    /// The position of a scalar of `bits` bits; advances to the following one. Scalars are packed without
    /// gaps, but wider ones are aligned to their size.
    fn take(place: &mut Option<Captured>, bits: u8) -> Option<Captured> {
        let bytes = u32::from(bits / 8).max(1);
        let mut taken = (*place)?;
        taken.offset = taken.offset.checked_next_multiple_of(bytes).unwrap_or(u32::MAX);
        *place = Some(Captured { offset: taken.offset.saturating_add(bytes), ..taken });
        Some(taken)
    }
}

impl Leaf {
    /// The components it occupies: two for 64-bit scalars.
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

/// State of the stage's interface.
#[derive(Default)]
pub(super) struct StageIo<'a> {
    /// Ids of the entry point's interface, which includes its inputs and outputs.
    pub interface: &'a [u32],
    /// Whether outputs are captured.
    pub feedback: bool,
    /// Initial values of a fragment shader's outputs, by width, which mark unwritten ones.
    pub unwritten: Vec<(u8, Src)>,
    /// First variable and scalars of each input.
    pub inputs: Vec<(Variable, Vec<Leaf>)>,
    /// Each output with its scalars and their positions in it; of a geometry shader those that it may write.
    pub outputs: Vec<(Pointer<'a>, Vec<(u32, Leaf)>)>,
    /// The outputs that a geometry shader may write.
    pub written: Option<Written>,
}

/// An output of the program: its meaning and its value.
pub(super) type Output = (Leaf, Src);

/// The scalars of an input or output variable, in order.
pub(super) fn leaves(module: &Module<'_>, global: &Global<'_>) -> Result<Vec<Leaf>, CompileError> {
    leaves_of(module, global.id, global.ty)
}

/// The scalars of a variable's part of type `ty` with the decorations of the variable, in order.
pub(super) fn leaves_of(module: &Module<'_>, id: u32, ty: Ty) -> Result<Vec<Leaf>, CompileError> {
    let part = module.decorations.whole(id);
    let decorated = Decorated::read(part);
    let mut walk = Walk {
        types: &module.types,
        location: decorated.location,
        index: 0,
        captured: Captured::start(decorated.capture, 0),
        block: 0,
        corner: None,
        out: Vec::with_capacity(module.types.leaf_count(ty)?),
    };
    match module.types.kind(ty) {
        Kind::Array { elem, count, .. } if decorated.per_vertex || has_vertices(&module.types, elem) => {
            for corner in 0..count {
                (walk.location, walk.index, walk.corner) = (decorated.location, 0, Some(corner));
                walk.visit(elem, decorated)?;
            }
        }
        // Only an array has values for each vertex.
        _ if decorated.per_vertex => return Err(StageError::Type.into()),
        _ => walk.visit(ty, decorated)?,
    }
    Ok(walk.out)
}

/// Whether the members of a block have a value for each vertex of the primitive.
fn has_vertices(types: &Types<'_>, ty: Ty) -> bool {
    match types.kind(ty) {
        Kind::Struct { members } => members.iter().any(|member| member.decorated.per_vertex),
        _ => false,
    }
}

struct Walk<'w, 'a> {
    types: &'w Types<'a>,
    /// The next location.
    location: Option<u32>,
    /// The next scalar of the built-in.
    index: u32,
    /// The capture position of the next scalar.
    captured: Option<Captured>,
    /// Number of the block in an array of blocks.
    block: u32,
    /// The vertex whose values are visited.
    corner: Option<u32>,
    out: Vec<Leaf>,
}

impl Walk<'_, '_> {
    /// Appends the scalars of a part. The recursion depth is the nesting depth of types, which is limited.
    fn visit(&mut self, ty: Ty, decorated: Decorated) -> Result<(), CompileError> {
        match self.types.kind(ty) {
            Kind::Struct { members } => {
                // If a part is captured as a whole, its members are packed; otherwise members declare their
                // own offsets.
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
        if let Some(decoration) = decorated.refused {
            return Err(StageError::Decorated { decoration }.into());
        }
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
            self.out.push(Leaf { slot, bits, is_float, index, style, corner: self.corner, captured });
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

    /// The slot of a scalar of `words` words, `component` words after the first of the location. Only vectors
    /// of 64-bit scalars continue in the next location.
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

/// An input's value in the width of a float; `None` if the value is a boolean, which is not a float.
pub(super) fn input_value(b: &mut Builder<'_, '_>, leaf: &Leaf, value: Src) -> Option<Src> {
    match (leaf.is_float, b.f.width(value)) {
        (false, _) => Some(value),
        (true, 1) => None,
        (true, _) => Some(b.fconv(value, leaf.bits)),
    }
}

/// An output as a 32-bit word: narrower floats are converted, narrower integers zero-extended.
pub(super) fn output_word(b: &mut Builder<'_, '_>, leaf: &Leaf, value: Src) -> Src {
    if leaf.is_float { b.fconv(value, 32) } else { b.uconv(value, 32) }
}
