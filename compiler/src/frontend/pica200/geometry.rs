//! Geometry programs: compute shaders with one invocation per primitive, and the buffers that
//! [`agx_abi::pica200`] defines.

use agx_abi::pica200::{
    GEOMETRY_HEAD_BYTES, GEOMETRY_INPUT, GEOMETRY_OUTPUT, GEOMETRY_WORKGROUP, SET, primitive_bytes,
};
use agx_abi::vertex::{Output, Varying, assign_slots};
use agx_pica200::opcode::Field;
use agx_pica200::{Geometry as Shape, GeometryMode, Inst};

use super::alu::Vector;
use super::body::Translation;
use super::uniforms;
use crate::frontend::kit::Kit;
use crate::frontend::kit::buffers::{Buffer, load, load_vec4, store};
use crate::frontend::kit::compute::{self, ComputeInput};
use crate::frontend::kit::vertex::VertexOutput;
use crate::ir::build::alu::{IntCond, float};
use crate::ir::{Arithmetic, Src};
use crate::ssa::Variable;

/// Vertices of a primitive.
const VERTICES: usize = 3;

/// A geometry program in translation.
pub(super) struct Geometry {
    shape: Shape,
    input: Buffer,
    output: Buffer,
    /// Number of input vectors of a primitive.
    vectors: Src,
    /// The number of the first vector of this primitive's input, including those of the header.
    first: Src,
    /// Number of primitives that fit into this invocation's range of the output, and the range's first byte.
    capacity: Src,
    stretch: Src,
    /// The words of a vertex.
    varyings: Vec<Varying>,
    /// Number of completed primitives.
    completed: Variable,
    /// Buffer index, primitive flag and winding flag, as set by the last SETEMIT.
    emission: [Variable; 3],
    /// The vertex buffer.
    vertices: Variable,
    /// The components of output registers in use, in both banks.
    banks: Vec<[Variable; 2]>,
}

impl Geometry {
    /// Whether the input replaces uniforms.
    pub fn replaces_uniforms(&self) -> bool {
        self.shape.mode != GeometryMode::Point
    }

    /// Vector `index` of the input if `exists`, else the first.
    fn vector(&self, kit: &mut Kit<'_, '_>, index: Src, exists: Src) -> Vector {
        let near = kit.b.select(exists, index, Src::imm32(0));
        let place = kit.b.iadd(self.first, near);
        let place = kit.b.select(exists, place, Src::imm32(0));
        load_vec4(kit, self.input, place)
    }

    /// An input register; zeros past the end of the input.
    pub fn input(&self, kit: &mut Kit<'_, '_>, register: u8) -> Vector {
        if self.replaces_uniforms() {
            return [float(0.0, 32); 4];
        }
        let index = Src::imm32(register.into());
        let exists = kit.b.icmp(IntCond::ULT, index, self.vectors);
        let loaded = self.vector(kit, index, exists);
        loaded.map(|value| kit.b.select(exists, value, float(0.0, 32)))
    }

    /// The float uniform with a number, or its replacement from the input; ones if there is none.
    pub fn uniform(&self, kit: &mut Kit<'_, '_>, (index, exists): (Src, Src)) -> Vector {
        let start = match self.shape.mode {
            GeometryMode::Fixed => u32::from(self.shape.fixed_start),
            _ => 0,
        };
        let number = kit.b.isub(index, Src::imm32(start));
        let is_input = kit.b.icmp(IntCond::ULT, number, self.vectors);
        let is_input = kit.b.and(is_input, exists);
        let input = self.vector(kit, number, is_input);
        let uniform = uniforms::vector_at(kit, (index, exists));
        let mut pairs = input.into_iter().zip(uniform);
        std::array::from_fn(|_| {
            pairs.next().map_or(float(0.0, 32), |(input, uniform)| kit.b.select(is_input, input, uniform))
        })
    }

    /// Sets the parameters of the next emission.
    pub fn set_emission(&self, kit: &mut Kit<'_, '_>, inst: &Inst) {
        let fields = [Field::Vertex, Field::Primitive, Field::Winding];
        for (variable, field) in self.emission.iter().zip(fields) {
            kit.vars.write(&kit.b, *variable, Src::imm32(inst.get(field).into()));
        }
    }

    fn word(&self, vertex: usize, word: usize) -> Variable {
        self.vertices.at(vertex.wrapping_mul(self.varyings.len()).wrapping_add(word) as u32)
    }

    /// Writes words to the vertex buffer, and completes a primitive if the flag is set.
    fn emit(&self, kit: &mut Kit<'_, '_>, words: &[Src]) {
        let [place, primitive, winding] = self.emission.map(|variable| kit.vars.read(&mut kit.b, variable));
        for vertex in 0..VERTICES {
            let is_place = kit.b.icmp(IntCond::EQ, place, Src::imm32(vertex as u32));
            for (word, new) in words.iter().enumerate() {
                let variable = self.word(vertex, word);
                let old = kit.vars.read(&mut kit.b, variable);
                let chosen = kit.b.select(is_place, *new, old);
                kit.vars.write(&kit.b, variable, chosen);
            }
        }
        let completed = kit.vars.read(&mut kit.b, self.completed);
        let has_room = kit.b.icmp(IntCond::ULT, completed, self.capacity);
        let is_primitive = kit.b.icmp(IntCond::NE, primitive, Src::imm32(0));
        let stores = kit.b.and(has_room, is_primitive);
        if stores.as_imm() != Some(0) {
            self.store_primitive(kit, stores, completed, winding);
        }
        let next = kit.b.iadd(completed, primitive);
        kit.vars.write(&kit.b, self.completed, next);
    }

    /// Stores the vertex buffer if `stores` holds.
    fn store_primitive(&self, kit: &mut Kit<'_, '_>, stores: Src, number: Src, winding: Src) {
        let count = self.varyings.len();
        let words: Vec<Src> = (0..VERTICES)
            .flat_map(|vertex| (0..count).map(move |word| (vertex, word)))
            .map(|(vertex, word)| kit.vars.read(&mut kit.b, self.word(vertex, word)))
            .collect();
        kit.b.begin_if(stores);
        let bytes = kit.b.imul(number, Src::imm32(primitive_bytes(count as u32)));
        let head = kit.b.iadd(self.stretch, bytes);
        let head = kit.b.iadd(head, Src::imm32(GEOMETRY_HEAD_BYTES));
        store(kit, self.output, head, &[winding]);
        for (index, part) in words.chunks(4).enumerate() {
            let offset = kit
                .b
                .iadd(head, Src::imm32(GEOMETRY_HEAD_BYTES.wrapping_add((index as u32).wrapping_mul(16))));
            store(kit, self.output, offset, part);
        }
        kit.b.begin_else();
        kit.b.end_if();
    }
}

/// The slot of an output.
fn slot(place: VertexOutput) -> Output {
    match place {
        VertexOutput::User { location, component } => Output::User { location, component },
        VertexOutput::Position(component) => Output::Position(component),
        // The interface uses no other outputs.
        _ => Output::PointSize,
    }
}

impl Translation<'_> {
    /// Builds the start of a geometry program: the following code runs only in invocations that have a
    /// primitive.
    pub fn begin_geometry(&mut self, kit: &mut Kit<'_, '_>, shape: Shape) {
        kit.compute.workgroup_size = [GEOMETRY_WORKGROUP, 1, 1];
        let places: Vec<Output> = self.interface.outputs.iter().map(|(_, _, place)| slot(*place)).collect();
        let varyings = assign_slots(&places);
        kit.vertex.varyings = varyings.clone();
        self.add_control_variables(kit);
        let (completed, emission) = (kit.vars.add(&[32]), kit.vars.add(&[32; 3]));
        let vertices = kit.vars.add(&vec![32; varyings.len().saturating_mul(VERTICES)]);
        let mut outputs: Vec<(usize, usize)> =
            self.interface.outputs.iter().map(|(register, component, _)| (*register, *component)).collect();
        outputs.sort_unstable();
        outputs.dedup();
        let other_bank = kit.vars.add(&vec![32; outputs.len()]);
        let current =
            outputs.iter().map(|(register, component)| self.registers.output(*register, *component));
        let banks = (0..).zip(current).map(|(at, current)| [current, other_bank.at(at)]).collect();
        let input = Buffer::storage(kit, SET, GEOMETRY_INPUT);
        let output = Buffer::storage(kit, SET, GEOMETRY_OUTPUT);
        let number = compute::input(kit, ComputeInput::GlobalInvocationId(0));
        let head = load(kit, input, Src::imm32(0), 3);
        let [primitives, vectors, capacity] =
            [0, 1, 2].map(|at: usize| head.get(at).copied().unwrap_or(Src::imm32(0)));
        let before = kit.b.imul(number, vectors);
        let first = kit.b.iadd(before, Src::imm32(GEOMETRY_HEAD_BYTES / 16));
        let room = kit.b.imul(capacity, Src::imm32(primitive_bytes(varyings.len() as u32)));
        let stretch = kit.b.iadd(room, Src::imm32(GEOMETRY_HEAD_BYTES));
        let stretch = kit.b.imul(stretch, number);
        let emission = [0, 1, 2].map(|index| emission.at(index));
        self.geometry = Some(Geometry {
            shape,
            input,
            output,
            vectors,
            first,
            capacity,
            stretch,
            varyings,
            completed,
            emission,
            vertices,
            banks,
        });
        let has_primitive = kit.b.icmp(IntCond::ULT, number, primitives);
        kit.b.begin_if(has_primitive);
    }

    /// Emits the outputs as a vertex.
    pub(super) fn emit(&mut self, kit: &mut Kit<'_, '_>) {
        if self.geometry.is_none() {
            return;
        }
        let words = self.output_words(kit);
        let Some(geometry) = &self.geometry else { return };
        let word = |varying: &Varying| {
            let found = words.iter().rev().find(|(place, _)| slot(*place) == varying.output);
            found.map_or(float(0.0, 32), |(_, word)| *word)
        };
        let words: Vec<Src> = geometry.varyings.iter().map(word).collect();
        geometry.emit(kit, &words);
        self.switch_banks(kit);
    }

    /// Exchanges the two banks of output registers: what follows an `emit` writes the other one, so that a
    /// component that is not written has its value of two emits ago.
    fn switch_banks(&self, kit: &mut Kit<'_, '_>) {
        let Some(geometry) = &self.geometry else { return };
        for banks in &geometry.banks {
            let [written, before] = banks.map(|bank| kit.vars.read(&mut kit.b, bank));
            let [current, other] = *banks;
            kit.vars.write(&kit.b, current, before);
            kit.vars.write(&kit.b, other, written);
        }
    }

    /// Stores the number of primitives.
    pub fn end_geometry(&mut self, kit: &mut Kit<'_, '_>) {
        if let Some(geometry) = &self.geometry {
            let completed = kit.vars.read(&mut kit.b, geometry.completed);
            store(kit, geometry.output, geometry.stretch, &[completed]);
        }
        kit.b.begin_else();
        kit.b.end_if();
    }
}
