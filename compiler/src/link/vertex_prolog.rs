//! Vertex prologs, which fetch attributes, so that the main part does not depend on formats.
//!
//! Aligned elements are fetched by one load each, in the hardware's own format if it has one. Elements at
//! addresses that the hardware would round down are fetched byte by byte. Element numbers are clamped to
//! those inside the buffer.

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

/// The stride of an attribute whose elements have a distance that is known only when a draw runs: it is in the bits of
/// [`InterfaceUniform::AttributeBase`] above those of the address.
pub const DYNAMIC_STRIDE: u32 = u32::MAX;

/// Bits of addresses in the upper word of [`InterfaceUniform::AttributeBase`].
const ADDRESS_BITS: u32 = 8;

/// The source of an attribute.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct AttributeKey {
    /// The attribute's location in the module; a wide attribute also provides the location after it.
    pub location: u32,
    /// Format of elements.
    pub format: VertexFormat,
    /// Distance of consecutive elements in bytes, or [`DYNAMIC_STRIDE`].
    pub stride: u32,
    /// Number of instances that share an element, 0 for all; `None` gives every vertex its own element.
    pub divisor: Option<u32>,
    /// Alignment of the first element's address in bytes, a power of two.
    pub alignment: u32,
    /// Whether elements beyond the last one are zeros; otherwise they are the last one.
    pub exact: bool,
}

impl AttributeKey {
    /// An attribute of which each vertex has its own element, aligned as Vulkan requires: to its components, or to the
    /// element if that is packed, and at most to 4 bytes. Elements beyond the last one are the last one.
    pub fn new(location: u32, format: VertexFormat, stride: u32) -> AttributeKey {
        let unit = if format.packed { format.bytes } else { format.fields[0].bits / 8 };
        let alignment = u32::from(unit.clamp(1, 4));
        AttributeKey { location, format, stride, divisor: None, alignment, exact: false }
    }
}

/// The fetch of an attribute.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct AttributeFetch {
    /// The attribute that the main part reads.
    pub attribute: Attribute,
    /// Its source: the attribute at its location, or a wide one at the location before. `None` for an attribute without
    /// a buffer, which reads as 0, 0, 0, 1.
    pub source: Option<AttributeKey>,
}

impl AttributeFetch {
    /// The format of the part of the source that is at the attribute's location, and the byte offset in an element at
    /// which it begins.
    fn part(&self) -> Option<(VertexFormat, u32)> {
        let source = self.source?;
        source.format.at_location(self.attribute.location.checked_sub(source.location)?)
    }

    fn check(&self) -> Result<(), CompileError> {
        let Some(source) = self.source else { return Ok(()) };
        let location = self.attribute.location;
        if self.part().is_none() {
            return Err(PartError::AttributeLocation { location, found: source.location }.into());
        }
        if !source.alignment.is_power_of_two() {
            return Err(PartError::Alignment { location, found: source.alignment }.into());
        }
        Ok(())
    }
}

/// Size of indices that a prolog reads because the hardware does not: for vertex shaders that run as compute
/// shaders.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum IndexSize {
    /// 8 bits.
    B8,
    /// 16 bits.
    B16,
    /// 32 bits.
    B32,
}

/// How the vertices of a draw form primitives, for a shader that runs as a compute shader with one invocation
/// per vertex of each primitive, in order (Vulkan 1.3, Primitive Topologies).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub enum Primitives {
    /// Primitives share no vertices: the order is that of the draw.
    #[default]
    List,
    /// Each line begins where the previous one ends.
    LineStrip,
    /// Each triangle shares an edge with the previous one, with alternating winding.
    TriangleStrip {
        /// The provoking vertex is the last of a triangle instead of the first.
        last_provokes: bool,
    },
    /// All triangles share the first vertex.
    TriangleFan {
        /// The provoking vertex is the last of a triangle instead of the first.
        last_provokes: bool,
    },
    /// Each line begins where the previous one ends; the vertices before and after a line are adjacent ones.
    LineStripAdjacency,
    /// Each triangle shares an edge with the previous one; every other vertex of the strip is adjacent. A
    /// primitive has its corners, each followed by the vertex adjacent to the edge that begins there.
    TriangleStripAdjacency {
        /// The provoking vertex is the last of a triangle instead of the first.
        last_provokes: bool,
    },
}

impl Primitives {
    /// Vertices per primitive, for topologies that share vertices.
    fn corners(self) -> u32 {
        match self {
            Primitives::List => 1,
            Primitives::LineStrip => 2,
            Primitives::TriangleStrip { .. } | Primitives::TriangleFan { .. } => 3,
            Primitives::LineStripAdjacency => 4,
            Primitives::TriangleStripAdjacency { .. } => 6,
        }
    }
}

/// Positions of the vertices of a triangle in a strip with adjacency, four bits each, relative to the second
/// vertex before its own first one: of even triangles, and of odd ones by provoking vertex (Vulkan 1.3, Triangle
/// Strips With Adjacency).
const EVEN_ADJACENCY: u32 = 0x56_8402;
const ODD_ADJACENCY: [u32; 2] = [0x04_8652, 0x86_5204];
/// The adjacent vertex of the edge shared with the previous triangle, and its position in the first triangle.
const PREVIOUS: [u32; 2] = [0, 3];
/// The adjacent vertex of the edge shared with the next triangle, and its position in the last triangle.
const NEXT: [u32; 2] = [8, 7];

/// The source of the vertex numbers of a shader that runs as a compute shader; the default is a draw of a
/// list without indices.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Assembly {
    /// Size of the draw's indices, if it has any.
    pub index: Option<IndexSize>,
    /// The primitives that the vertices form.
    pub primitives: Primitives,
}

/// Everything that affects a vertex prolog: equal keys give equal bytes.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub struct VertexPrologKey {
    /// The attributes that the main part reads.
    pub attributes: Vec<AttributeFetch>,
    /// How the main part runs.
    pub runs_as: RunsAs,
    /// The source of vertex numbers, if the main part runs as a compute shader; otherwise the default.
    pub assembly: Assembly,
    /// Half-registers of the main part and of the attributes, which the prolog may use.
    pub gpr_halves: u16,
    /// Stack memory per lane in bytes that the main part needs, if attributes are passed on the stack: the
    /// prolog allocates the frame for both. 0 if the main part allocates its own.
    pub frame_bytes: u32,
}

impl VertexPrologKey {
    /// The key for a main part; `source` gives the attribute at a location. A location for which it gives none belongs to
    /// the preceding attribute, if that takes two.
    pub fn new(info: &ShaderInfo, source: impl Fn(u32) -> Option<AttributeKey>) -> VertexPrologKey {
        let wide = |location: u32| {
            let first = source(location.checked_sub(1)?)?;
            (first.format.locations() == 2).then_some(first)
        };
        let at = |location| source(location).or_else(|| wide(location));
        let of =
            |attribute: &Attribute| AttributeFetch { attribute: *attribute, source: at(attribute.location) };
        VertexPrologKey {
            attributes: info.attributes.iter().map(of).collect(),
            runs_as: info.runs_as,
            assembly: Assembly::default(),
            gpr_halves: info.gpr_halves.max(vertex::interface_halves(info.attributes.len() as u32)),
            frame_bytes: if info.frame_from_prolog() { info.scratch_bytes } else { 0 },
        }
    }

    /// Whether the main part needs a prolog: the hardware provides vertex numbers to vertex shaders only.
    pub fn is_needed(&self) -> bool {
        !self.attributes.is_empty() || self.runs_as == RunsAs::Compute
    }

    /// Size of the attributes on the stack in bytes.
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
    key.attributes.iter().try_for_each(AttributeFetch::check)?;
    let mut prolog = Prolog::start(f, key);
    // Attributes on the stack come first, while there are free registers.
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
    /// Reads the vertex and instance number, which the main part also expects in r5 and r6.
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

    /// The position in the draw of the vertex of an invocation, with one invocation per vertex of each
    /// primitive.
    fn place_vertex(&mut self, primitives: Primitives) -> Src {
        let corners = Src::imm32(primitives.corners());
        let b = &mut self.b;
        let primitive = b.udiv(self.vertex, corners);
        let before = b.imul(primitive, corners);
        let corner = b.isub(self.vertex, before);
        match primitives {
            Primitives::List => self.vertex,
            Primitives::LineStrip | Primitives::LineStripAdjacency => b.iadd(primitive, corner),
            Primitives::TriangleStripAdjacency { last_provokes } => {
                self.place_adjacent([primitive, corner], last_provokes)
            }
            Primitives::TriangleStrip { last_provokes } => {
                // In every other triangle two corners are exchanged, so that all have the same winding.
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

    /// The position of a vertex of a triangle strip with adjacency.
    fn place_adjacent(&mut self, [primitive, corner]: [Src; 2], last_provokes: bool) -> Src {
        let assembly = self.uniform(InterfaceUniform::InputAssembly, 0, 64);
        let words = self.load(assembly, Src::imm32(0), 2, 0b1111);
        let count = words[InputAssembly::PRIMITIVE_COUNT_WORD];
        let b = &mut self.b;
        let odd = b.and(primitive, Src::imm32(1));
        let is_odd = b.icmp(IntCond::EQ, odd, Src::imm32(1));
        let odd = Src::imm32(ODD_ADJACENCY[usize::from(last_provokes)]);
        let table = b.select(is_odd, odd, Src::imm32(EVEN_ADJACENCY));
        let shift = b.shl(corner, Src::imm32(2));
        let moved = b.ushr(table, shift);
        let mut place = b.and(moved, Src::imm32(15));
        let next = b.iadd(primitive, Src::imm32(1));
        let is_first = b.icmp(IntCond::EQ, primitive, Src::imm32(0));
        let is_last = b.icmp(IntCond::EQ, next, count);
        for ([inner, outer], at_end) in [(PREVIOUS, is_first), (NEXT, is_last)] {
            let is_it = b.icmp(IntCond::EQ, place, Src::imm32(inner));
            let at_end = b.and(is_it, at_end);
            place = b.select(at_end, Src::imm32(outer), place);
        }
        let first = b.shl(primitive, Src::imm32(1));
        let place = b.iadd(first, place);
        b.isub(place, Src::imm32(2))
    }

    /// Computes the vertex number from the position in the draw: through the index, if there are indices, and
    /// relative to the base.
    fn number_vertex(&mut self) {
        if self.key.assembly.primitives != Primitives::List {
            self.vertex = self.place_vertex(self.key.assembly.primitives);
        }
        if let Some(size) = self.key.assembly.index {
            let assembly = self.uniform(InterfaceUniform::InputAssembly, 0, 64);
            let words = self.load(assembly, Src::imm32(0), 2, 0b1111);
            let address = self.b.collect(Type::B64, &words[..2]);
            // Indices outside the buffer read as 0.
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

    /// Loads components into words, in memory order.
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

    /// Fetches the components of an attribute that are read.
    fn attribute(&mut self, number: u32) {
        let fetch = self.key.attributes[number as usize];
        let (read, part) = (fetch.attribute.components, fetch.part());
        let one = match part {
            Some((format, _)) if format.is_integer() => Src::imm32(1),
            _ => float(1.0, 32),
        };
        let mut colour = [Src::imm32(0), Src::imm32(0), Src::imm32(0), one];
        if let (Some(source), Some((format, first))) = (fetch.source, part) {
            let there = (0..4).filter(|at| format.fields[*at].bits != 0);
            let wanted: Vec<usize> = there.filter(|at| read >> at & 1 != 0).collect();
            if !wanted.is_empty() {
                let (element, last) = self.element(number, source);
                let clamped = self.b.umin(element, last);
                let place = Place { number, element: clamped, stride: source.stride, first };
                self.fetch(place, source.alignment, format, &wanted, &mut colour);
                if source.exact {
                    let inside = self.b.icmp(IntCond::ULE, element, last);
                    for at in wanted {
                        colour[at] = self.b.select(inside, colour[at], Src::imm32(0));
                    }
                }
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

    /// The element number: that of the vertex or instance; and the number of the last element of the buffer.
    fn element(&mut self, number: u32, source: AttributeKey) -> (Src, Src) {
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
        (element, last)
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
        let is_known = place.stride != DYNAMIC_STRIDE;
        if !is_known || !place.stride.is_multiple_of(unit) || !alignment.is_multiple_of(unit) {
            return self.fetch_bytes(place, format, wanted, colour);
        }
        let base = self.base(place);
        let index = self.b.imul(place.element, Src::imm32(place.stride / unit));
        let index = self.b.iadd(index, Src::imm32(place.first / unit));
        match Fetch::new(format) {
            Fetch::Packed(code) => {
                let found = self.load(base, index, code, 0xf);
                for at in wanted {
                    // Components are ordered from the lowest bit up.
                    let field = format.fields[*at];
                    let place =
                        format.fields.iter().filter(|other| other.bits != 0 && other.bit < field.bit).count();
                    colour[*at] = found[place];
                }
            }
            Fetch::Word(code) => {
                let word = self.load(base, index, code, 1)[0];
                self.extract_components(&[word], format, wanted, colour);
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

    /// The address of the first element, and the byte at which an element begins after it.
    fn element_bytes(&mut self, place: Place) -> (Src, Src) {
        if place.stride != DYNAMIC_STRIDE {
            return (self.base(place), self.b.imul(place.element, Src::imm32(place.stride)));
        }
        let base = InterfaceUniform::AttributeBase { attribute: place.number };
        let [low, high] = [0, 2].map(|half| self.uniform(base, half, 32));
        let stride = self.b.ushr(high, Src::imm32(ADDRESS_BITS));
        let high = self.b.and(high, Src::imm32((1 << ADDRESS_BITS) - 1));
        (self.b.collect(Type::B64, &[low, high]), self.b.imul(place.element, stride))
    }

    /// Fetches bytes and assembles words.
    fn fetch_bytes(&mut self, place: Place, format: VertexFormat, wanted: &[usize], colour: &mut [Src; 4]) {
        let (base, start) = self.element_bytes(place);
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
        self.extract_components(&words, format, wanted, colour);
    }

    /// Extracts components from the words of an element.
    fn extract_components(
        &mut self,
        words: &[Src],
        format: VertexFormat,
        wanted: &[usize],
        colour: &mut [Src; 4],
    ) {
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

    /// A component times 2 to the power of the word's shared exponent.
    fn scaled(&mut self, raw: Src, word: Src) -> Src {
        let exponent = self.b.ushr(word, Src::imm32(SHARED_EXPONENT_BIT));
        let exponent = self.b.iadd(exponent, Src::imm32(FLOAT_BIAS - SHARED_BIAS));
        // The bits of a power of two are its exponent.
        let power = self.b.shl(exponent, Src::imm32(FLOAT_FRACTION_BITS));
        let number = self.b.int_to_float(raw, false, 32);
        self.b.fmul(number, power)
    }

    /// The number represented by the `bits` bits of `raw`.
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
                // A half without sign and with fewer fraction bits, shifted into the position of a half's.
                let distance = if bits < 16 { 15 - u32::from(bits) } else { 0 };
                let moved = b.shl(raw, Src::imm32(distance));
                let half = b.uconv(moved, 16);
                b.fconv(half, 32)
            }
            VertexNumeric::Sfloat | VertexNumeric::Ufloat | VertexNumeric::Shared => raw,
        }
    }

    /// Moves all results to their registers.
    fn finish(mut self) {
        self.exports.sort_by_key(|(half, _)| *half);
        for (half, value) in &self.exports {
            self.b.effect(IrOp::Export, &[*value], &[u32::from(*half)]);
        }
        self.b.finish();
    }
}

/// The location of an attribute's elements, and the element to fetch.
#[derive(Clone, Copy)]
struct Place {
    /// Number of the attribute.
    number: u32,
    /// Number of the element.
    element: Src,
    /// Distance of consecutive elements in bytes, or [`DYNAMIC_STRIDE`].
    stride: u32,
    /// First byte of the element to fetch.
    first: u32,
}

/// For words whose components share an exponent: its first bit, and the exponent of 1 in the last place of a
/// component.
const SHARED_EXPONENT_BIT: u32 = 27;
const SHARED_BIAS: u32 = 24;

/// For 32-bit floats: the exponent bias, and the number of fraction bits.
const FLOAT_BIAS: u32 = 127;
const FLOAT_FRACTION_BITS: u32 = 23;

/// Codes of the hardware's memory formats.
const I8: u32 = 0;
const I16: u32 = 1;
const I32: u32 = 2;
const RGB10A2: u32 = 8;
const RG11B10F: u32 = 12;
const RGB9E5: u32 = 13;

/// How aligned elements of a format are fetched.
enum Fetch {
    /// One word, which the hardware unpacks.
    Packed(u32),
    /// One word, to be unpacked by the prolog.
    Word(u32),
    /// Consecutive components; whether the hardware's format converts them to numbers.
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
