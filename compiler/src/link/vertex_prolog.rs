//! Vertex prologs: they fetch attributes, so that the main part depends on no format.
//!
//! Aligned elements are fetched by one load each, in the machine's own format where it has one. What the machine would
//! round down to an aligned address is fetched byte by byte. Numbers of elements are clamped to those inside the buffer.

use agx_abi::registers::{INSTANCE_ID, VERTEX_ID};
use agx_abi::vertex::{self, Attribute, InputAssembly, RunsAs};
use agx_abi::vertex_format::{Field, VertexFormat, VertexNumeric};
use agx_abi::{InterfaceUniform, ShaderInfo, UniformSource};
use agx_isa::sr::Sr;
use agx_isa::table::Opcode;
use agx_isa::table::names::Format;

use crate::error::{CompileError, PartError};
use crate::ir::build::alu::{IntCond, float};
use crate::ir::key;
use crate::ir::op::mods;
use crate::ir::{Arithmetic, Build, Builder, Function, IrOp, Src, Type};

/// Where an attribute comes from.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct AttributeKey {
    /// Format of elements.
    pub format: VertexFormat,
    /// Bytes from one element to the next.
    pub stride: u32,
    /// Instances that share an element, 0 for all; `None` gives every vertex an element of its own.
    pub divisor: Option<u32>,
    /// Bytes that the address of the first element is a multiple of.
    pub alignment: u32,
    /// Location of the attribute that is fetched, 0 the first: only wide formats have another.
    pub location: u32,
}

/// Indices that a prolog reads because the machine does not: a vertex shader that runs as a compute shader.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum IndexSize {
    /// 8 bits.
    B8,
    /// 16 bits.
    B16,
    /// 32 bits.
    B32,
}

/// How the vertices of a draw make primitives, for a shader that runs as a compute shader with an invocation for each vertex of each
/// primitive, in order (Vulkan 1.3, Primitive Topologies).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub enum Primitives {
    /// None shares its vertices: the order is that of the draw.
    #[default]
    List,
    /// Each line begins where the one before it ends.
    LineStrip,
    /// Each triangle shares an edge with the one before it, whose direction alternates.
    TriangleStrip {
        /// The provoking vertex is the last of a triangle, and not the first.
        last_provokes: bool,
    },
    /// All triangles share the first vertex.
    TriangleFan {
        /// The provoking vertex is the last of a triangle, and not the first.
        last_provokes: bool,
    },
}

impl Primitives {
    /// Vertices of a primitive, where some are shared.
    fn corners(self) -> u32 {
        match self {
            Primitives::List => 1,
            Primitives::LineStrip => 2,
            Primitives::TriangleStrip { .. } | Primitives::TriangleFan { .. } => 3,
        }
    }
}

/// Where the vertex numbers of a shader that runs as a compute shader come from; the default is that of a draw of a list without
/// indices.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Assembly {
    /// Size of indices, where a draw has some.
    pub index: Option<IndexSize>,
    /// What the vertices make.
    pub primitives: Primitives,
}

/// Everything that affects a vertex prolog: equal keys give equal bytes.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct VertexPrologKey {
    /// What the main part reads, and where it comes from: nothing for attributes that are bound to no buffer, which read
    /// as 0, 0, 0, 1.
    pub attributes: Vec<(Components, Option<AttributeKey>)>,
    /// How the main part runs.
    pub runs_as: RunsAs,
    /// Where vertex numbers come from, where the main part runs as a compute shader; the default where it does not.
    pub assembly: Assembly,
    /// Half registers of the main part and of the attributes, which the prolog may use.
    pub gpr_halves: u16,
    /// Stack memory per lane in bytes that the main part needs, where attributes are on the stack: the prolog opens the
    /// frame for both. 0 where the main part opens one of its own.
    pub frame_bytes: u32,
}

/// Components of an attribute that the main part reads, bit 0 the first.
pub type Components = u8;

impl VertexPrologKey {
    /// The key for a main part that runs as a vertex shader; `source` says where the attribute at a location comes from.
    /// A location that it knows nothing of belongs to the attribute before, if that takes two.
    pub fn new(info: &ShaderInfo, source: impl Fn(u32) -> Option<AttributeKey>) -> VertexPrologKey {
        let second = |location: u32| {
            let first = source(location.checked_sub(1)?)?;
            (first.format.locations() == 2).then_some(AttributeKey { location: 1, ..first })
        };
        let at = |location| source(location).or_else(|| second(location));
        let of = |attribute: &Attribute| (attribute.components, at(attribute.location));
        VertexPrologKey {
            attributes: info.attributes.iter().map(of).collect(),
            runs_as: RunsAs::Vertex,
            assembly: Assembly::default(),
            gpr_halves: info.gpr_halves.max(vertex::interface_halves(info.attributes.len() as u32)),
            frame_bytes: if info.frame_from_prolog() { info.scratch_bytes } else { 0 },
        }
    }

    /// Bytes of attributes on the stack.
    pub(super) fn stack_attribute_bytes(&self) -> u32 {
        vertex::stack_attribute_bytes(self.attributes.len() as u32)
    }
}

/// Builds the prolog.
pub(super) fn build(f: &mut Function<'_>, key: &VertexPrologKey) -> Result<(), CompileError> {
    if key.assembly != Assembly::default() && key.runs_as == RunsAs::Vertex {
        return Err(PartError::IndicesOfVertex.into());
    }
    let count = key.attributes.len() as u32;
    if count > vertex::MAX_ATTRIBUTES {
        return Err(PartError::Attributes { most: vertex::MAX_ATTRIBUTES, found: count }.into());
    }
    if key.frame_bytes < key.stack_attribute_bytes() {
        return Err(
            PartError::ShortFrame { bytes: key.frame_bytes, needed: key.stack_attribute_bytes() }.into()
        );
    }
    let mut prolog = Prolog::start(f, key);
    // What goes to the stack first, while there are registers.
    (0..count).rev().for_each(|number| prolog.attribute(number));
    prolog.finish();
    Ok(())
}

struct Prolog<'k, 'f, 'a> {
    b: Builder<'f, 'a>,
    key: &'k VertexPrologKey,
    vertex: Src,
    instance: Src,
    exports: Vec<(u8, Src)>,
}

impl<'k, 'f, 'a> Prolog<'k, 'f, 'a> {
    /// Vertex and instance number, which the main part finds in r5 and r6 too.
    fn start(f: &'f mut Function<'a>, key: &'k VertexPrologKey) -> Self {
        let mut b = Builder::start(f);
        let [vertex, instance] = match key.runs_as {
            RunsAs::Vertex => [VERTEX_ID, INSTANCE_ID]
                .map(|half| Src::value(b.value(IrOp::Preload, Type::B32, &[], &[half.into()]))),
            RunsAs::Compute => [Sr::THREAD_X, Sr::THREAD_Y].map(|sr| {
                Src::value(b.value(Opcode::Mfsr, Type::B32, &[], &mods(Opcode::Mfsr).with(key::SR, sr)))
            }),
        };
        let mut prolog = Prolog { b, key, vertex, instance, exports: Vec::new() };
        if key.runs_as == RunsAs::Compute {
            prolog.number_vertex();
        }
        prolog.exports.extend([(VERTEX_ID, prolog.vertex), (INSTANCE_ID, prolog.instance)]);
        prolog
    }

    /// A uniform of the interface, `offset` half-words into its range.
    fn uniform(&self, uniform: InterfaceUniform, offset: u16, bits: u8) -> Src {
        let ranges = vertex::uniforms(self.key.attributes.len() as u32, self.key.runs_as);
        let found = ranges.iter().find(|range| range.source == UniformSource::Interface(uniform));
        Src::uniform(found.map_or(0, |range| range.start) + offset, bits)
    }

    /// The place of the vertex in the draw, of an invocation for each vertex of each primitive.
    fn place_vertex(&mut self, primitives: Primitives) -> Src {
        let corners = Src::imm32(primitives.corners());
        let b = &mut self.b;
        let primitive = b.udiv(self.vertex, corners);
        let before = b.imul(primitive, corners);
        let corner = b.isub(self.vertex, before);
        match primitives {
            Primitives::List => self.vertex,
            Primitives::LineStrip => b.iadd(primitive, corner),
            Primitives::TriangleStrip { last_provokes } => {
                // Of every other triangle two corners are exchanged, so that all turn the same way.
                let odd = b.and(primitive, Src::imm32(1));
                let exchanged = if last_provokes { [0, 1] } else { [1, 2] };
                let [first, second] = exchanged.map(|at| b.icmp(IntCond::EQ, corner, Src::imm32(at)));
                let up = b.select(first, odd, Src::imm32(0));
                let down = b.select(second, odd, Src::imm32(0));
                let place = b.iadd(primitive, corner);
                let place = b.iadd(place, up);
                b.isub(place, down)
            }
            Primitives::TriangleFan { last_provokes } => {
                let (centre, step) = if last_provokes { (0, 0) } else { (2, 1) };
                let is_centre = b.icmp(IntCond::EQ, corner, Src::imm32(centre));
                let place = b.iadd(primitive, corner);
                let place = b.iadd(place, Src::imm32(step));
                b.select(is_centre, Src::imm32(0), place)
            }
        }
    }

    /// The number of the vertex from its place in the draw: through the index, where there is one, and from the base.
    fn number_vertex(&mut self) {
        if self.key.assembly.primitives != Primitives::List {
            self.vertex = self.place_vertex(self.key.assembly.primitives);
        }
        if let Some(size) = self.key.assembly.index {
            let assembly = self.uniform(InterfaceUniform::InputAssembly, 0, 64);
            let words = self.load(assembly, Src::imm32(0), 2, 0b1111);
            let address = self.b.collect(Type::B64, &words[..2]);
            // Indices beyond the buffer read as 0.
            let inside = self.b.icmp(IntCond::ULT, self.vertex, words[InputAssembly::INDEX_COUNT_WORD]);
            let place = self.b.select(inside, self.vertex, Src::imm32(0));
            let format = match size {
                IndexSize::B8 => I8,
                IndexSize::B16 => I16,
                IndexSize::B32 => I32,
            };
            let index = self.load(address, place, format, 1)[0];
            self.vertex = self.b.select(inside, index, Src::imm32(0));
        }
        let base = self.uniform(InterfaceUniform::BaseVertexAndInstance, 0, 32);
        self.vertex = self.b.iadd(self.vertex, base);
    }

    /// Loads components into words, in the order of memory.
    fn load(&mut self, base: Src, index: Src, format: u32, mask: u8) -> Vec<Src> {
        let count = match format {
            RGB10A2 => 4,
            RG11B10F | RGB9E5 => 3,
            _ => mask.count_ones() as usize,
        };
        let mods = mods(Opcode::Load).with(key::FORMAT, Format::new(format)).with(key::MASK, mask.into());
        let loaded = self.b.value(Opcode::Load, Type::vector(32, count as u8), &[base, index], &mods);
        self.b.split(loaded.into(), Type::B32, count).to_vec()
    }

    /// Fetches what is read of an attribute.
    fn attribute(&mut self, number: u32) {
        let (read, source) = self.key.attributes[number as usize];
        let format = source.and_then(|source| source.format.at_location(source.location));
        let one = match format {
            Some((format, _)) if format.is_integer() => Src::imm32(1),
            _ => float(1.0, 32),
        };
        let mut colour = [Src::imm32(0), Src::imm32(0), Src::imm32(0), one];
        if let (Some(source), Some((format, first))) = (source, format) {
            let there = (0..4).filter(|at| format.fields[*at].bits != 0);
            let wanted: Vec<usize> = there.filter(|at| read >> at & 1 != 0).collect();
            if !wanted.is_empty() {
                let element = self.element(number, source);
                let place = Place { number, element, stride: source.stride, first };
                self.fetch(place, source.alignment, format, &wanted, &mut colour);
            }
        }
        for component in (0..4).filter(|at| read >> at & 1 != 0) {
            let value = colour[component as usize];
            if let Some(half) = vertex::attribute_register(number, component) {
                self.exports.push((half, value));
            } else if let Some(byte) = vertex::attribute_stack_byte(number, component) {
                self.b.effect(IrOp::StoreScratch, &[value, Src::imm32(byte)], &[]);
            }
        }
    }

    /// The number of the element: that of the vertex or instance, clamped to the buffer.
    fn element(&mut self, number: u32, source: AttributeKey) -> Src {
        let base = self.uniform(InterfaceUniform::BaseVertexAndInstance, 2, 32);
        let element = match source.divisor {
            None => self.vertex,
            Some(0) => base,
            Some(divisor) => {
                let step = self.b.udiv(self.instance, Src::imm32(divisor));
                self.b.iadd(step, base)
            }
        };
        let last = self.uniform(InterfaceUniform::AttributeClamp { attribute: number }, 0, 32);
        self.b.umin(element, last)
    }

    fn fetch(
        &mut self,
        place: Place,
        alignment: u32,
        format: VertexFormat,
        wanted: &[usize],
        colour: &mut [Src; 4],
    ) {
        let unit = u32::from(format.unit_bits() / 8);
        if !place.stride.is_multiple_of(unit) || !alignment.is_multiple_of(unit) {
            return self.fetch_bytes(place, format, wanted, colour);
        }
        let base = self.base(place);
        let index = self.b.imul(place.element, Src::imm32(place.stride / unit));
        let index = self.b.iadd(index, Src::imm32(place.first / unit));
        match Fetch::new(format) {
            Fetch::Packed(code) => {
                let found = self.load(base, index, code, 0xf);
                for at in wanted {
                    // Components go from the lowest bit up.
                    let field = format.fields[*at];
                    let place =
                        format.fields.iter().filter(|other| other.bits != 0 && other.bit < field.bit).count();
                    colour[*at] = found[place];
                }
            }
            Fetch::Word(code) => {
                let word = self.load(base, index, code, 1)[0];
                self.take_apart(&[word], format, wanted, colour);
            }
            Fetch::Array { code, converts } => {
                let mut order: Vec<usize> = wanted.to_vec();
                order.sort_by_key(|at| format.fields[*at].bit);
                let place = |at: &usize| format.fields[*at].bit / format.unit_bits();
                let mask = order.iter().fold(0, |mask, at| mask | 1 << place(at));
                let found = self.load(base, index, code, mask);
                for (at, word) in order.into_iter().zip(found) {
                    let bits = format.fields[at].bits;
                    colour[at] = if converts { word } else { self.number(word, bits, format.numeric) };
                }
            }
        }
    }

    /// The address of the first element.
    fn base(&self, place: Place) -> Src {
        self.uniform(InterfaceUniform::AttributeBase { attribute: place.number }, 0, 64)
    }

    /// Fetches bytes and puts words together.
    fn fetch_bytes(&mut self, place: Place, format: VertexFormat, wanted: &[usize], colour: &mut [Src; 4]) {
        let base = self.base(place);
        let start = self.b.imul(place.element, Src::imm32(place.stride));
        let mut words = Vec::new();
        for first in (0..format.bytes).step_by(4) {
            let count = (format.bytes - first).min(4);
            let index = self.b.iadd(start, Src::imm32(place.first + u32::from(first)));
            let found = self.load(base, index, I8, (1 << count) - 1);
            let mut word = found[0];
            for (at, byte) in (0..).zip(found).skip(1) {
                let moved = self.b.shl(byte, Src::imm32(8 * at));
                word = self.b.or(word, moved);
            }
            words.push(word);
        }
        self.take_apart(&words, format, wanted, colour);
    }

    /// Makes components of the words of an element.
    fn take_apart(&mut self, words: &[Src], format: VertexFormat, wanted: &[usize], colour: &mut [Src; 4]) {
        for at in wanted {
            let Field { bit, bits } = format.fields[*at];
            let word = words[usize::from(bit / 32)];
            let moved = self.b.ushr(word, Src::imm32(u32::from(bit % 32)));
            let raw = self.b.and(moved, Src::imm32(u32::MAX >> (32 - bits)));
            colour[*at] = match format.numeric {
                VertexNumeric::Shared => self.scaled(raw, word),
                numeric => self.number(raw, bits, numeric),
            };
        }
    }

    /// A component times two to the exponent that the word's components share.
    fn scaled(&mut self, raw: Src, word: Src) -> Src {
        let exponent = self.b.ushr(word, Src::imm32(SHARED_EXPONENT_BIT));
        let exponent = self.b.iadd(exponent, Src::imm32(FLOAT_BIAS - SHARED_BIAS));
        // The bits of a power of two are its exponent.
        let power = self.b.shl(exponent, Src::imm32(FLOAT_FRACTION_BITS));
        let number = self.b.int_to_float(raw, false, 32);
        self.b.fmul(number, power)
    }

    /// What the `bits` of `raw`, which are all it has, denote.
    fn number(&mut self, raw: Src, bits: u8, numeric: VertexNumeric) -> Src {
        let b = &mut self.b;
        let signed = |b: &mut Builder<'_, '_>| {
            let distance = Src::imm32(32 - u32::from(bits));
            let high = b.shl(raw, distance);
            b.sshr(high, distance)
        };
        match numeric {
            VertexNumeric::Uint => raw,
            VertexNumeric::Sint => signed(b),
            VertexNumeric::Uscaled => b.int_to_float(raw, false, 32),
            VertexNumeric::Sscaled => {
                let value = signed(b);
                b.int_to_float(value, true, 32)
            }
            VertexNumeric::Unorm => {
                let value = b.int_to_float(raw, false, 32);
                b.fmul(value, float(1.0 / f64::from((1_u32 << bits) - 1), 32))
            }
            VertexNumeric::Snorm => {
                let value = signed(b);
                let value = b.int_to_float(value, true, 32);
                let value = b.fmul(value, float(1.0 / f64::from((1_u32 << (bits - 1)) - 1), 32));
                b.fmax(value, float(-1.0, 32))
            }
            VertexNumeric::Sfloat | VertexNumeric::Ufloat if bits < 32 => {
                // A half without sign and with fewer bits of fraction, moved to where a half has them.
                let distance = if bits < 16 { 15 - u32::from(bits) } else { 0 };
                let moved = b.shl(raw, Src::imm32(distance));
                let half = b.uconv(moved, 16);
                b.fconv(half, 32)
            }
            VertexNumeric::Sfloat | VertexNumeric::Ufloat | VertexNumeric::Shared => raw,
        }
    }

    /// Leaves everything in its register.
    fn finish(mut self) {
        self.exports.sort_by_key(|(half, _)| *half);
        for (half, value) in &self.exports {
            self.b.effect(IrOp::Export, &[*value], &[u32::from(*half)]);
        }
        self.b.finish();
    }
}

/// Where an attribute's elements lie, and which of them is fetched.
#[derive(Clone, Copy)]
struct Place {
    /// Number of the attribute.
    number: u32,
    /// Number of the element.
    element: Src,
    /// Bytes from one element to the next.
    stride: u32,
    /// First byte of an element that is fetched.
    first: u32,
}

/// Of words whose components share an exponent: its first bit, and the exponent of 1 in the last place of a component.
const SHARED_EXPONENT_BIT: u32 = 27;
const SHARED_BIAS: u32 = 24;

/// Of 32-bit floats: the exponent of 1, and the bits below exponents.
const FLOAT_BIAS: u32 = 127;
const FLOAT_FRACTION_BITS: u32 = 23;

/// Numbers of the machine's memory formats.
const I8: u32 = 0;
const I16: u32 = 1;
const I32: u32 = 2;
const RGB10A2: u32 = 8;
const RG11B10F: u32 = 12;
const RGB9E5: u32 = 13;

/// How aligned elements of a format are fetched.
enum Fetch {
    /// One word, which the machine decomposes.
    Packed(u32),
    /// One word, to be decomposed.
    Word(u32),
    /// Components side by side; whether the machine's format makes numbers of them.
    Array { code: u32, converts: bool },
}

impl Fetch {
    fn new(format: VertexFormat) -> Fetch {
        let bits = format.fields[0].bits;
        if format.shares_word() {
            return match (format.bytes, format.numeric, bits) {
                (_, VertexNumeric::Unorm, 10) => Fetch::Packed(RGB10A2),
                (_, VertexNumeric::Ufloat, _) => Fetch::Packed(RG11B10F),
                (_, VertexNumeric::Shared, _) => Fetch::Packed(RGB9E5),
                (1, ..) => Fetch::Word(I8),
                (2, ..) => Fetch::Word(I16),
                _ => Fetch::Word(I32),
            };
        }
        match (bits, format.numeric) {
            (8, VertexNumeric::Unorm) => Fetch::Array { code: 4, converts: true },
            (8, VertexNumeric::Snorm) => Fetch::Array { code: 5, converts: true },
            (16, VertexNumeric::Unorm) => Fetch::Array { code: 6, converts: true },
            (16, VertexNumeric::Snorm) => Fetch::Array { code: 7, converts: true },
            (16, VertexNumeric::Sfloat) => Fetch::Array { code: 3, converts: true },
            (8, _) => Fetch::Array { code: I8, converts: false },
            (16, _) => Fetch::Array { code: I16, converts: false },
            _ => Fetch::Array { code: I32, converts: true },
        }
    }
}
