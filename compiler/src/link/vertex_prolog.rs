//! Vertex prologs: they fetch attributes, so that the main part depends on no format.
//!
//! Aligned elements are fetched by one load each, in the machine's own format where it has one. What the machine would
//! round down to an aligned address is fetched byte by byte. Numbers of elements are clamped to those inside the buffer.

use agx_abi::registers::{INSTANCE_ID, VERTEX_ID};
use agx_abi::vertex::{self, Attribute, InputAssembly, RunsAs};
use agx_abi::vertex_format::{Field, VertexFormat, VertexNumeric};
use agx_abi::{InterfaceUniform, ShaderInfo, UniformSource};
use agx_isa::table::Opcode;

use crate::error::CompileError;
use crate::frontend::alu::{IntCond, float};
use crate::ir::op::mods_with;
use crate::ir::{Builder, Function, IrOp, Src, Type};

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
}

/// Indices that a prolog reads because the machine does not: a vertex shader that runs as a compute shader.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum IndexSize {
    /// 8 bits.
    B8,
    /// 16 bits.
    B16,
    /// 32 bits.
    B32,
}

/// Everything that affects a vertex prolog: equal keys give equal bytes.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct VertexPrologKey {
    /// What the main part reads, and where it comes from: nothing for attributes that are bound to no buffer, which read
    /// as 0, 0, 0, 1.
    pub attributes: Vec<(Components, Option<AttributeKey>)>,
    /// How the main part runs.
    pub runs_as: RunsAs,
    /// Size of indices, where a draw has some and runs as a compute shader.
    pub index: Option<IndexSize>,
    /// Half registers of the main part, which the prolog may use.
    pub gpr_halves: u16,
    /// Stack memory per lane in bytes that the main part needs, where attributes are on the stack: the prolog opens the
    /// frame for both. 0 where the main part opens one of its own.
    pub frame_bytes: u32,
}

/// Components of an attribute that the main part reads, bit 0 the first.
pub type Components = u8;

impl VertexPrologKey {
    /// The key for a main part that runs as a vertex shader; `source` says where the attribute of a location comes from.
    pub fn new(info: &ShaderInfo, source: impl Fn(u32) -> Option<AttributeKey>) -> VertexPrologKey {
        let of = |attribute: &Attribute| (attribute.components, source(attribute.location));
        VertexPrologKey {
            attributes: info.attributes.iter().map(of).collect(),
            runs_as: RunsAs::Vertex,
            index: None,
            gpr_halves: info.gpr_halves,
            frame_bytes: if info.frame_from_prolog() { info.scratch_bytes } else { 0 },
        }
    }

    /// Bytes of attributes on the stack.
    pub(super) fn stack_attribute_bytes(&self) -> u32 {
        vertex::stack_attribute_bytes(self.attributes.len() as u32)
    }
}

/// Special registers of a compute shader: the invocation's place in the grid, x then y.
const GRID: [u32; 2] = [80, 81];

/// Builds the prolog.
pub(super) fn build(f: &mut Function<'_>, key: &VertexPrologKey) -> Result<(), CompileError> {
    if key.index.is_some() && key.runs_as == RunsAs::Vertex {
        return Err(CompileError::invalid("the machine itself fetches the indices of vertex shaders"));
    }
    let count = key.attributes.len() as u32;
    if count > vertex::MAX_ATTRIBUTES {
        return Err(CompileError::limit(format!("more than {} vertex attributes", vertex::MAX_ATTRIBUTES)));
    }
    if key.frame_bytes < key.stack_attribute_bytes() {
        return Err(CompileError::invalid("the main part's stack frame is too short for its attributes"));
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
            RunsAs::Compute => GRID.map(|sr| {
                Src::value(b.value(Opcode::Mfsr, Type::B32, &[], &mods_with(Opcode::Mfsr, &[("sr", sr)])))
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

    /// The number of the vertex from its place in the draw: through the index, where there is one, and from the base.
    fn number_vertex(&mut self) {
        if let Some(size) = self.key.index {
            let assembly = self.uniform(InterfaceUniform::InputAssembly, 0, 64);
            let words = self.load(assembly, Src::imm32(0), 2, 0b1111);
            let address = self.b.collect(Type::B64, &words[..2]);
            // Indices beyond the buffer read as 0.
            let inside = self.b.icmp(IntCond::ULT, self.vertex, words[InputAssembly::INDEX_COUNT_WORD]);
            let place = self.b.select(inside, self.vertex, Src::imm32(0));
            let format = match size {
                IndexSize::B8 => 0,
                IndexSize::B16 => 1,
                IndexSize::B32 => 2,
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
            RG11B10F => 3,
            _ => mask.count_ones() as usize,
        };
        let mods = mods_with(Opcode::Load, &[("format", format), ("mask", mask.into())]);
        let loaded = self.b.value(Opcode::Load, Type::vector(32, count as u8), &[base, index], &mods);
        self.b.split(loaded.into(), Type::B32, count).to_vec()
    }

    /// Fetches what is read of an attribute.
    fn attribute(&mut self, number: u32) {
        let (read, source) = self.key.attributes[number as usize];
        let one = match source {
            Some(source) if source.format.is_integer() => Src::imm32(1),
            _ => float(1.0, 32),
        };
        let mut colour = [Src::imm32(0), Src::imm32(0), Src::imm32(0), one];
        if let Some(source) = source {
            let there = (0..4).filter(|at| source.format.fields[*at].bits != 0);
            let wanted: Vec<usize> = there.filter(|at| read >> at & 1 != 0).collect();
            if !wanted.is_empty() {
                self.fetch(number, source, &wanted, &mut colour);
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

    fn fetch(&mut self, number: u32, source: AttributeKey, wanted: &[usize], colour: &mut [Src; 4]) {
        let element = self.element(number, source);
        let base = self.uniform(InterfaceUniform::AttributeBase { attribute: number }, 0, 64);
        let format = source.format;
        let fetch = Fetch::new(format);
        let unit = u32::from(fetch.unit_bits / 8);
        if !source.stride.is_multiple_of(unit) || !source.alignment.is_multiple_of(unit) {
            return self.fetch_bytes(base, element, source, wanted, colour);
        }
        let index = self.b.imul(element, Src::imm32(source.stride / unit));
        match fetch.kind {
            Kind::Packed(code) => {
                let found = self.load(base, index, code, 0xf);
                for at in wanted {
                    // Components go from the lowest bit up.
                    let field = format.fields[*at];
                    let place =
                        format.fields.iter().filter(|other| other.bits != 0 && other.bit < field.bit).count();
                    colour[*at] = found[place];
                }
            }
            Kind::Word => {
                let word = self.load(base, index, I32, 1)[0];
                for at in wanted {
                    let Field { bit, bits } = format.fields[*at];
                    let moved = self.b.ushr(word, Src::imm32(bit.into()));
                    let raw = self.b.and(moved, Src::imm32((1 << bits) - 1));
                    colour[*at] = self.number(raw, bits, format.numeric);
                }
            }
            Kind::Array { code, converts } => {
                let mut order: Vec<usize> = wanted.to_vec();
                order.sort_by_key(|at| format.fields[*at].bit);
                let place = |at: &usize| format.fields[*at].bit / fetch.unit_bits;
                let mask = order.iter().fold(0, |mask, at| mask | 1 << place(at));
                let found = self.load(base, index, code, mask);
                for (at, word) in order.into_iter().zip(found) {
                    let bits = format.fields[at].bits;
                    colour[at] = if converts { word } else { self.number(word, bits, format.numeric) };
                }
            }
        }
    }

    /// Fetches bytes and puts words together.
    fn fetch_bytes(
        &mut self,
        base: Src,
        element: Src,
        source: AttributeKey,
        wanted: &[usize],
        colour: &mut [Src; 4],
    ) {
        let start = self.b.imul(element, Src::imm32(source.stride));
        let bytes = source.format.bytes;
        let mut words = Vec::new();
        for first in (0..bytes).step_by(4) {
            let count = (bytes - first).min(4);
            let index = self.b.iadd(start, Src::imm32(first.into()));
            let found = self.load(base, index, I8, (1 << count) - 1);
            let mut word = found[0];
            for (at, byte) in (0..).zip(found).skip(1) {
                let moved = self.b.shl(byte, Src::imm32(8 * at));
                word = self.b.or(word, moved);
            }
            words.push(word);
        }
        for at in wanted {
            let Field { bit, bits } = source.format.fields[*at];
            let word = words[usize::from(bit / 32)];
            let moved = self.b.ushr(word, Src::imm32(u32::from(bit % 32)));
            let raw = self.b.and(moved, Src::imm32(u32::MAX >> (32 - bits)));
            colour[*at] = self.number(raw, bits, source.format.numeric);
        }
    }

    /// What the `bits` of `raw`, which are all it has, stand for.
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
            VertexNumeric::Sfloat | VertexNumeric::Ufloat => raw,
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

/// Numbers of the machine's memory formats.
const I8: u32 = 0;
const I32: u32 = 2;
const RGB10A2: u32 = 8;
const RG11B10F: u32 = 12;

/// How aligned elements of a format are fetched.
struct Fetch {
    kind: Kind,
    /// Bits that indices count.
    unit_bits: u8,
}

enum Kind {
    /// One word, which the machine takes apart.
    Packed(u32),
    /// One word, to be taken apart.
    Word,
    /// Components side by side; whether the machine's format makes numbers of them.
    Array { code: u32, converts: bool },
}

impl Fetch {
    fn new(format: VertexFormat) -> Fetch {
        let bits = format.fields[0].bits;
        let uniform = format.fields.iter().all(|field| matches!(field.bits, 0) || field.bits == bits);
        let kind = match (uniform, bits, format.numeric) {
            (false, 10, VertexNumeric::Unorm) => Kind::Packed(RGB10A2),
            (false, _, VertexNumeric::Ufloat) => Kind::Packed(RG11B10F),
            (false, ..) => Kind::Word,
            (true, 8, VertexNumeric::Unorm) => Kind::Array { code: 4, converts: true },
            (true, 8, VertexNumeric::Snorm) => Kind::Array { code: 5, converts: true },
            (true, 16, VertexNumeric::Unorm) => Kind::Array { code: 6, converts: true },
            (true, 16, VertexNumeric::Snorm) => Kind::Array { code: 7, converts: true },
            (true, 16, VertexNumeric::Sfloat) => Kind::Array { code: 3, converts: true },
            (true, 8, _) => Kind::Array { code: I8, converts: false },
            (true, 16, _) => Kind::Array { code: 1, converts: false },
            (true, ..) => Kind::Array { code: I32, converts: true },
        };
        Fetch { kind, unit_bits: if uniform { bits } else { 32 } }
    }
}
